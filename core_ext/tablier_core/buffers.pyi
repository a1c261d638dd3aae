"""Memory that a caller lends, through the buffer protocol or DLPack, without a copy."""

class Lent:
    """The memory of an array, which stays in place until this object is deleted."""
