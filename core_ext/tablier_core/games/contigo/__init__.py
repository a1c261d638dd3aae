"""What the two Contigo games share: the board with its ring of pits, and the sowing of beads."""
