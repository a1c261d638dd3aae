"""What calls do: use cases, servicers, work in slices, limits, and the search pool."""
