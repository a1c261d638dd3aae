"""The engine of Contract: how well the seats stand, and which moves deserve a search."""
