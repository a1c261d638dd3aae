"""Adapters from Tablier's games to other frameworks, one module per framework.

Games run in this process, on the compiled core; no server is needed.
"""
