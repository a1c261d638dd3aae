from collections.abc import Mapping

ops: object

def pack_options(values: Mapping[str, object]) -> bytes:
    """Return the options struct as bytes, for checked values."""
