"""Learners on games in this process."""

import os

# Their matrices are small: one thread for each product is faster, even more on a busy machine.
# NumPy reads this once, when it is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
