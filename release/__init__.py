"""Makes releases: builds and tries the distributions, and writes the version of a release."""
