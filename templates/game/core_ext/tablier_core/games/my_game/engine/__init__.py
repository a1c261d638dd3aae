"""The engine of My Game."""
