"""Types of belief.pyx: nothing of it is for Python."""
