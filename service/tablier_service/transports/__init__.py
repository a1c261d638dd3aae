"""The ways into the service. A transport translates between bytes and calls, nothing more."""
