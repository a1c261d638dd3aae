"""Connect and gRPC-Web: every call of the protocol at the path of its name."""
