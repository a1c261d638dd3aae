"""Long-running proofs, apart from the default test run; README.md lists them."""
