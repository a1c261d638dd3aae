from collections.abc import Mapping

ops: object

def pack_options(values: Mapping[str, object]) -> bytes:
    """Fill the options struct from checked values, with defaults from the table by seats."""
