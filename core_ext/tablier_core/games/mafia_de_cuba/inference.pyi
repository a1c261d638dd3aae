"""The figures of how people take; inference.pxd is the interface."""

TAKING: tuple[float, ...]  # by take: how tempting it is beside the others in the box
