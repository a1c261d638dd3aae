"""Types of telling.pyx."""

from tablier_core.languages import Language

class Phrases:
    """The pieces of all sentences about the sowings of a player, in one language."""

    def __init__(self, player: str, language: Language) -> None: ...
