"""The Tablier service: gRPC and REST transports over one core of game rules."""

import os

# Let the thread that waits for gRPC's events also read the sockets, instead of a pool of threads
# that wake each other at every read (docs/adr/0009). gRPC reads this once, when it is imported.
os.environ.setdefault("GRPC_EXPERIMENTS", "-event_engine_listener")
