"""What can be wrong with what a caller sends, as exceptions that carry a reason and a field.

Each class is one kind of answer; the service maps it to a status code in one table. Messages never
contain hidden state: they speak of the request only.
"""

from __future__ import annotations

from typing import ClassVar


class TablierError(Exception):
    """Anything that the caller can put right. `reason` is stable; the message is for people."""

    reason: ClassVar[str] = "INVALID"

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field
        self.message = message

    def within(self, parent: str) -> TablierError:
        """The same error, its field named from one level further out."""
        self.field = f"{parent}.{self.field}" if self.field else parent
        return self


class UnknownGame(TablierError):
    """No game of that name is registered."""

    reason = "UNKNOWN_GAME"


class OptionError(TablierError):
    """A game option is unknown, of the wrong type, or out of range."""

    reason = "INVALID_OPTION"


class TokenMalformed(TablierError):
    """The bytes are not a token: wrong magic, truncated, oversized, or a checksum that fails."""

    reason = "TOKEN_MALFORMED"


class TokenUnsupported(TablierError):
    """A token of a format or rules version that this build does not play."""

    reason = "TOKEN_UNSUPPORTED"


class TokenInvalid(TablierError):
    """The envelope is sound, but the state inside breaks the rules of its game."""

    reason = "TOKEN_INVALID"


class ViewToken(TablierError):
    """A view token where the true state is needed, or another seat's knowledge is asked for."""

    reason = "VIEW_TOKEN"


class MoveUnparsable(TablierError):
    """The text or number is no move of this game, in any position."""

    reason = "MOVE_UNPARSABLE"


class MoveIllegal(TablierError):
    """A move of this game, but not a legal one of that seat now."""

    reason = "MOVE_ILLEGAL"


class WrongSeat(TablierError):
    """A seat that does not exist, or that is not to move."""

    reason = "WRONG_SEAT"


class GameOver(TablierError):
    """A move was sent to a finished game."""

    reason = "GAME_OVER"
