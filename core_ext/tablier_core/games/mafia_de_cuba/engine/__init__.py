"""The engine of Mafia de Cuba; `choose.pyx` is its entry point."""
