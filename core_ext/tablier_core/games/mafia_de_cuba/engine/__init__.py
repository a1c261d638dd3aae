"""The engine of Mafia de Cuba: it settles every decision without a tree search (slot `rank`).

- `testimony`: how likely a seat's words are, given what it received and took.
- `inference`: the chances of every box and take, by forward and backward messages.
- `estimate`: the chances of roles and endings, and what an ending is worth to every seat.
- `stories`: coherent stories: what a seat says it received, took and passed on fits together.
- `rehearse`: how well each story would serve a speaker.
- `steal`, `inquire`, `speak`, `react`: the moves of the theft, the Godfather's moves, words, and
  whether the cleaner fires.
- `choose`: the entry point.
"""
