"""Types of hands.pyx: nothing of it is for Python."""
