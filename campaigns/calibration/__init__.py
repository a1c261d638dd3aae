"""Whether the values that the advice reports mean what they say: `make calibration`."""
