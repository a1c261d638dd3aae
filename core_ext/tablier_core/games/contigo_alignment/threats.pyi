"""Types of threats.pyx: C functions only."""
