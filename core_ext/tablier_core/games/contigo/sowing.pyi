"""Nothing here is for Python: sowing.pxd is the interface."""
