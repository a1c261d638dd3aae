"""Search for any game, through `GameOps` alone."""
