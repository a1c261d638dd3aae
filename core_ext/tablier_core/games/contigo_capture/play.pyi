"""Types of play.pyx: C functions only."""
