"""The engine of Contract: how well the seats stand, and which moves deserve a search.

- `standing`: what each seat owns, and which Mafiosi are still to come.
- `bidding`: finishes a round in outline: the seats go on bidding, and the row is counted.
- `chances`: shares out the traffics and briefcases that are still open.
- `estimate`: how likely each seat is to win (slot `evaluate`).
- `choose`: the moves that a search should try (slot `rank`).
"""
