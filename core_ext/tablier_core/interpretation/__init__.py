"""Free text read as a legal move.

text         folded text and its chunks, the form that everything is compared in
lexicon      which words of a language mean the same, and which mean nothing
notations    texts compared with the notations of legal moves
sentences    texts compared with the words of legal moves
structured   moves in JSON objects and the like
reader       `Reader`, which reads texts for one seat of a position
"""
