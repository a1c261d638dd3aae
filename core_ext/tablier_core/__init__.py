"""The compiled core of Tablier: games, tokens, random numbers and search, without any network."""
