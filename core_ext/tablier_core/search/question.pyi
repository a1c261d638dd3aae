"""What a search is asked; its functions are for other extension modules."""
