"""Search over any game through its interface. It never names one: what applies follows from slots."""
