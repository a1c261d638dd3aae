"""The compiled core of Tablier: games, bytes, random numbers and search. It knows no network."""
