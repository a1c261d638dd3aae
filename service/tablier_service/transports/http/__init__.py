"""The HTTP transport: the REST API, server-sent events, and the pages for operators."""
