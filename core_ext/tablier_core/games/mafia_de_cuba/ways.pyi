"""Nothing here is for Python: ways.pxd is the interface."""
