"""What operators see of the service: metrics, logs and traces."""
