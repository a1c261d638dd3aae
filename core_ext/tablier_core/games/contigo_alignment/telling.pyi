"""Types of telling.pyx."""

from tablier_core.telling import Telling

TELLING: Telling
