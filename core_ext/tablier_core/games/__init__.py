"""One folder per game, and folders for what two games share."""
