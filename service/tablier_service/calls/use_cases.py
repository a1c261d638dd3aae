"""The use cases, on the core's types alone: what callers can do with games, states and moves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from tablier_core.errors import TablierError, UnknownGame, ViewToken
from tablier_core.position import REFEREE, Game, Position

from tablier_service.errors import InvalidField, PermissionDenied
from tablier_service.security.callers import ANYONE, CALLER, WHO_SEES_STATES, Role, require
from tablier_service.security.sealing import Opened, Tokens

MAX_MATCH_BYTES = 128


# A move as a caller names it: the seat, None if only one is to move; the notation, empty if it is
# named by its action alone; and the action, or None.
AskedMove: TypeAlias = tuple[int | None, str, int | None]


class PlayedMove(NamedTuple):
    """A move that was made, complete, and the position after it."""

    seat: int
    action: int
    after: Position


class UseCases:
    """Answers questions about positions of the games that it is given. It keeps nothing."""

    def __init__(self, games: Mapping[str, Game], tokens: Tokens) -> None:
        self.games = games
        # How positions become the bytes that callers keep, and back.
        self.tokens = tokens

    def game(self, name: str) -> Game:
        """The game of a name; raises UnknownGame."""
        game = self.games.get(name)
        if game is None:
            known = ", ".join(sorted(self.games))
            raise UnknownGame("game", f"there is no game of that name; there are: {known}")
        return game

    def open(self, token: bytes, match: str) -> Opened:
        """What a caller's token holds, if it is of that match and the caller may use it."""
        opened = self.tokens.open(token, checked_match(match) if match else "")
        if opened.position.viewer == REFEREE:
            require(WHO_SEES_STATES, "state", "a true state, and no view token,")
        return opened

    def may_see_all(self, game: Game) -> bool:
        """Whether the caller may know what no seat of a game knows."""
        if not game.has_hidden_information:
            return True
        caller = CALLER.get()
        # Where tokens are sealed, being nobody in particular is not enough.
        return Role.REFEREE in caller.roles and not (caller is ANYONE and self.tokens.sealed)

    def check_referee(self, game: Game, field: str) -> None:
        """Raise PermissionDenied unless the caller may see all of a game."""
        if not self.may_see_all(game):
            raise PermissionDenied(
                field, "the referee's view needs the role referee: name a seat, or log in as one"
            )

    def seats_to_list(self, position: Position, seat: int | None) -> list[int]:
        """The seats whose moves a caller may list: the one it names, or all that are to move."""
        if position.viewer != REFEREE:
            if seat not in (None, position.viewer):
                raise ViewToken("seat", "a view token tells the moves of its own seat only")
            seat = position.viewer
        if seat is None:
            return position.actors
        position.check_seat(seat, table=True)
        return [seat]

    def viewer(self, position: Position, seat: int | None) -> int:
        """The viewer whose knowledge a caller may ask for."""
        if position.viewer != REFEREE:
            if seat not in (None, position.viewer):
                raise ViewToken("seat", "a view token tells what its own seat knows, and no more")
            return position.viewer
        viewer = REFEREE if seat is None else seat
        position.check_seat(viewer, table=True)
        if viewer == REFEREE:
            self.check_referee(position.game, "seat")
        return viewer

    def play(self, position: Position, moves: Iterable[AskedMove]) -> Iterator[PlayedMove]:
        """Play a line of moves, one by one; an error names the move in `moves`."""
        for number, asked in enumerate(moves):
            played = self.play_one(position, asked, number)
            position = played.after
            yield played

    def play_one(self, position: Position, asked: AskedMove, number: int = 0) -> PlayedMove:
        """Play the move that has that number in its line."""
        if position.viewer != REFEREE:
            raise ViewToken("state", "is a view token: moves are played on the true state")
        try:
            return PlayedMove(*position.play(*asked))
        except TablierError as error:
            # A finished game is the state's fault before the first move, the line's afterwards.
            raise (
                error
                if error.field == "state" and number == 0
                else error.within(f"moves[{number}]")
            ) from None


def checked_match(match: str) -> str:
    """A match's name, if it is one."""
    if match and len(match.encode()) > MAX_MATCH_BYTES:
        raise InvalidField("match", f"must be at most {MAX_MATCH_BYTES} bytes")
    return match
