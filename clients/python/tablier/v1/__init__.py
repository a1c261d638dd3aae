"""Generated from proto/tablier/v1; do not edit. `make gen` writes it anew."""
