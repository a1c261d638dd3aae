"""Types of lines.pyx: C functions only."""
