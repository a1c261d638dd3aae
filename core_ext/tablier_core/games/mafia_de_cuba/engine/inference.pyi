TAKING: tuple[float, ...]  # by take: how tempting it is, relative to the others in the box

def suspect(packed: bytes, viewer: int) -> list[dict[str, float]]:
    """The chance of each take of seats 1, 2, ..., by what a viewer knows and has heard."""
