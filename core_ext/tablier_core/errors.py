"""The errors that callers can cause: exceptions with a reason and the field at fault.

The service maps each class to a status code in one table. Messages describe the request and never
contain hidden state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from tablier_core.languages import Language


class TablierError(Exception):
    """An error that the caller can fix. `reason` is stable; the message is for people."""

    reason: ClassVar[str] = "INVALID"

    def __init__(
        self,
        field: str,
        message: str,
        explain: Callable[[Language], str] | None = None,
    ) -> None:
        super().__init__(message)
        self.field = field
        self.message = message
        # Gives the message in another language. None: it is English, as most messages are.
        self._explain = explain

    def within(self, parent: str) -> TablierError:
        """Return this error with its field named relative to an enclosing field or list."""
        separator = "." if self.field and not self.field.startswith("[") else ""
        self.field = f"{parent}{separator}{self.field}"
        return self

    def in_language(self, language: Language) -> TablierError:
        """Return this error with its message in a language, if there is one."""
        if self._explain is not None:
            self.message = self._explain(language)
        return self


class InvalidField(TablierError):
    """A field of the request is missing, malformed or out of range."""

    reason = "INVALID_FIELD"


class UnknownGame(TablierError):
    """No game with this name is registered."""

    reason = "UNKNOWN_GAME"


class OptionError(TablierError):
    """A game option is unknown, of the wrong type, or out of range."""

    reason = "INVALID_OPTION"


class TokenMalformed(TablierError):
    """The bytes are not a token: wrong first bytes, truncated, too long, or a wrong checksum."""

    reason = "TOKEN_MALFORMED"


class TokenUnsupported(TablierError):
    """The token has a format or a rules version that this build does not support."""

    reason = "TOKEN_UNSUPPORTED"


class TokenInvalid(TablierError):
    """The envelope is intact, but its state is impossible in this game."""

    reason = "TOKEN_INVALID"


class ViewToken(TablierError):
    """A view token was used where the true state is needed, or for another seat."""

    reason = "VIEW_TOKEN"


class MoveUnparsable(TablierError):
    """The text or number is not a move of this game in any position."""

    reason = "MOVE_UNPARSABLE"


class MoveIllegal(TablierError):
    """The move exists in this game, but the seat may not play it now; the message says why."""

    reason = "MOVE_ILLEGAL"


class WrongSeat(TablierError):
    """The seat does not exist or is not to move."""

    reason = "WRONG_SEAT"


class GameOver(TablierError):
    """The game is over, so there is nothing to play or to advise."""

    reason = "GAME_OVER"


class FormatUnavailable(TablierError):
    """This installation cannot draw the format; the message says what is missing."""

    reason = "FORMAT_UNAVAILABLE"
