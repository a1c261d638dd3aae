def count_worlds(packed: bytes, viewer: int) -> int:
    """Count the ways in which the box can have gone round, given everything a viewer knows."""
