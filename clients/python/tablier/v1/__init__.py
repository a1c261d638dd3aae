"""Generated from proto/tablier/v1 by `make gen`; do not edit."""
