"""One folder a game, and folders for what two games share."""
