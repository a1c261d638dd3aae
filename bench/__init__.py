"""Side-by-side measurements that print ratios. `python -m bench` runs them all."""

# Before gRPC is imported: this makes the echo servers poll like the service (docs/adr/0009).
import tablier_service as tablier_service
