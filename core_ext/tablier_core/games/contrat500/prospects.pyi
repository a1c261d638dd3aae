"""Types of prospects.pyx: nothing of it is for Python."""
