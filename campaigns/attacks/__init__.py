"""No caller can block the others: attacks on a service, measured by what other callers notice."""
