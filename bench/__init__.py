"""Side-by-side measurements that print ratios. `python -m bench` runs them all."""
