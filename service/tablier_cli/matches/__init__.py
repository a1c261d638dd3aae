"""Matches between players, with win rates, ratings and their confidence intervals."""
