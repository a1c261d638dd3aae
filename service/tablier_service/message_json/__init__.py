"""Protocol messages as JSON, compiled from their descriptors."""
