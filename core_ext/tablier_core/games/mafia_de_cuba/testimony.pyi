"""The figures of the model of lying; testimony.pxd is the interface."""

LYING: tuple[float, ...]  # parts of the five kinds of liars
SILENCE: tuple[float, float]  # how often a frank seat keeps silent, and a sly one
LEAST: float  # the least chance of words said at random
COVERS: tuple[float, ...]  # by take: how readily a liar claims it
TRUTHS: tuple[float, ...]  # by take: how often a seat tells the truth
POUCHES: tuple[float, ...]  # by kind, none last: how readily seat 1 puts it aside
