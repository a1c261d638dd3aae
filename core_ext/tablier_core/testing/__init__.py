"""Tools for tests: tiny games with known answers, perft, random play, laws and play-throughs."""
