"""The Tablier service: two doors, gRPC and REST, on one pipeline over the core."""

import os

# The thread that waits for gRPC's events reads the sockets too, instead of a pool of threads that
# wake each other at every read: docs/adr/0009. gRPC looks at this once, so it is set before any
# module of ours imports it.
os.environ.setdefault("GRPC_EXPERIMENTS", "-event_engine_listener")
