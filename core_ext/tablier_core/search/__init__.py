"""Search over any game through its interface; what applies to one follows from its slots."""
