"""Load tests: locust users that play whole games over gRPC and REST."""
