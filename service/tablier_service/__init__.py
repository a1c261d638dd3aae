"""The Tablier service: two doors, gRPC and REST, on one pipeline over the core."""
