"""Types of engine.pyx: C functions only."""
