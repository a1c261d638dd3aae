"""Monte Carlo tree search; its functions are for other extension modules."""
