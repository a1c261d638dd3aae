"""Nothing here is for Python: engine.pxd is the interface."""
