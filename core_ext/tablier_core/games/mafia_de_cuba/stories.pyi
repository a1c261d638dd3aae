"""Nothing here is for Python: stories.pxd is the interface."""
