"""Types of images.pyx: C functions only."""
