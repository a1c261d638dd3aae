"""Tiny games with known answers, perft, random play in bulk and the play-through writer."""
