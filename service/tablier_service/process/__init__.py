"""The running service: one worker, or several under a supervisor."""
