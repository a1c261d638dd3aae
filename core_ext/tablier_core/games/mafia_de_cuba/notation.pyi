"""Nothing here is for Python: notation.pxd is the interface."""
