"""The OpenAPI document, generated from the descriptors of the protocol."""
