"""Types of scoring.pyx: C functions only."""
