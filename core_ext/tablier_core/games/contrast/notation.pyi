SYMBOL_NAMES: tuple[str, ...]
