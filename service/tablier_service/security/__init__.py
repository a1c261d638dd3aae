"""Who may call and what they may see: callers, authentication, quotas, sealed tokens, TLS."""
