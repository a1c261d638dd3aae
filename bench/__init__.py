"""Side-by-side measurements that print ratios. `python -m bench` runs them all."""

# Before gRPC: the echoes are to be servers of the service's kind, which this sets (docs/adr/0009).
import tablier_service as tablier_service
