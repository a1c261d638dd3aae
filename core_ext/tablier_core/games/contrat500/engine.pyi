"""Types of engine.pyx: nothing of it is for Python."""
