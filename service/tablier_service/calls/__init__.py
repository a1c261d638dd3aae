"""Calls of the protocol: use cases, servicers, the lifecycle of a call, and the search pool."""
