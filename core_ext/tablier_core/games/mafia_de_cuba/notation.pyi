KIND_NAMES: tuple[str, ...]  # token kinds in the order of their numbers
KIND_LETTERS: str  # their letters in counts of tokens
