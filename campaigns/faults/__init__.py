"""A service under load while parts of it fail: `make faults`."""
