"""The parameters of the model of lying."""

LYING: tuple[float, ...]  # shares of the five kinds of liars
SILENCE: tuple[float, float]  # how often an honest seat stays silent, and how often a liar
LEAST: float  # the least likelihood of random words
COVERS: tuple[float, ...]  # by take: how readily a liar claims it
TRUTHS: tuple[float, ...]  # by take: how often a seat tells the truth
POUCHES: tuple[float, ...]  # by kind, none last: how readily seat 1 puts it in the pouch
