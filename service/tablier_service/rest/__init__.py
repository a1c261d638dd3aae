"""The REST door: JSON over HTTP, everything read from the protocol's descriptors."""
