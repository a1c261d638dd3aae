"""Tablier's games behind the interfaces of other frameworks, a module for each.

They play in this process, on the compiled core: no server is needed.
"""
