"""The engine of Contrast: it ranks the symbols that a seat can choose (slots `rank` and `pick`).

- `people`: how likely a player is to choose each symbol, learned from their earlier choices; the
  play-out policy.
- `forecast`: how likely each set of seats is to win the round, for each own choice.
- `shares`: what a set of winners means for the chances to win the game.
- `foresight`: what it costs to be without a card in the next rounds.
- `rivals`: all of this combined for three to six seats, with a random choice among near-equals.
- `team`: two seats, which want to choose the same symbol.
- `choose`: the slot `rank`.

Sums use only the basic operations of IEEE 754, in a fixed order: results are the same on every
machine.
"""
