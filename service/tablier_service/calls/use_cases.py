"""The use cases: what callers can do with games, states and moves, in terms of the core."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from tablier_core.errors import TablierError, UnknownGame, ViewToken
from tablier_core.languages import Language
from tablier_core.position import REFEREE, Game, Position

from tablier_service.errors import InvalidField, PermissionDenied
from tablier_service.security.callers import ANYONE, CALLER, STATE_ROLES, Role, require
from tablier_service.security.sealing import Opened, Tokens

MAX_MATCH_BYTES = 128

# A move as a caller sends it: seat (None if only one seat is to move), notation (empty if the move
# is given by its action alone) and action (or None).
RequestedMove: TypeAlias = tuple[int | None, str, int | None]


class PlayedMove(NamedTuple):
    """A move that was played, and the positions after and before it."""

    seat: int
    action: int
    after: Position
    before: Position

    def story(self, viewer: int, language: Language) -> str:
        """What a viewer saw of the move, in words."""
        return self.before.story(self.after, self.seat, self.action, viewer, language)

    def is_known_to(self, viewer: int) -> bool:
        """Whether a viewer knows the move.

        A move of another seat can be hidden, in whole or in part; the views show what is not.
        """
        return viewer in (REFEREE, self.seat) or self.after.game.is_public(self.action)


class UseCases:
    """Answers questions about positions. It keeps no state between calls."""

    def __init__(self, games: Mapping[str, Game], tokens: Tokens) -> None:
        self.games = games
        # Converts between positions and the bytes that callers hold.
        self.tokens = tokens

    def game(self, name: str) -> Game:
        """Find a game by name; raises UnknownGame."""
        game = self.games.get(name)
        if game is None:
            known = ", ".join(sorted(self.games))
            raise UnknownGame("game", f"there is no game with this name; the games are: {known}")
        return game

    def open(self, token: bytes, match: str) -> Opened:
        """Open a token of a match, if the caller may use it."""
        opened = self.tokens.open(token, checked_match(match) if match else "")
        if opened.position.viewer == REFEREE:
            require(STATE_ROLES, "state", "a true state (not a view token)")
        return opened

    def may_see_all(self, game: Game) -> bool:
        """Whether the caller may see what no seat of a game knows."""
        if not game.has_hidden_information:
            return True
        caller = CALLER.get()
        # Without authentication, nobody may see what sealed tokens hide.
        return Role.REFEREE in caller.roles and not (caller is ANYONE and self.tokens.sealed)

    def check_referee(self, game: Game, field: str) -> None:
        """Raise PermissionDenied unless the caller may see everything in a game."""
        if not self.may_see_all(game):
            raise PermissionDenied(
                field, "the referee's view requires the role referee; name a seat instead"
            )

    def seats_to_list(self, position: Position, seat: int | None) -> list[int]:
        """The seats whose moves to list: the requested seat, or all that are to move."""
        if position.viewer != REFEREE:
            return [own_seat(position, seat)]
        if seat is None:
            return position.actors
        position.check_seat(seat, table=True)
        return [seat]

    def mover(self, position: Position, seat: int | None) -> int:
        """The seat that is to make a move: the requested one, or the only one that is to move."""
        if position.viewer != REFEREE:
            return own_seat(position, seat)
        if seat is None:
            return position.only_actor()
        position.check_seat(seat, table=True)
        return seat

    def viewer(self, position: Position, seat: int | None) -> int:
        """The viewer that a caller asks for, if it may see what that viewer sees."""
        if position.viewer != REFEREE:
            return own_seat(position, seat)
        viewer = REFEREE if seat is None else seat
        position.check_viewer(viewer)
        if viewer == REFEREE:
            self.check_referee(position.game, "seat")
        return viewer

    def play(self, position: Position, moves: Iterable[RequestedMove]) -> Iterator[PlayedMove]:
        """Play a line of moves one by one; an error names the move, e.g. `moves[2]`."""
        for number, requested in enumerate(moves):
            played = self.play_one(position, requested, number)
            position = played.after
            yield played

    def play_one(self, position: Position, requested: RequestedMove, number: int = 0) -> PlayedMove:
        """Play one move; `number` is its index in the line."""
        if position.viewer != REFEREE:
            raise ViewToken("state", "is a view token; moves can only be played on a true state")
        try:
            return PlayedMove(*position.play(*requested), position)
        except TablierError as error:
            # If the game is over before the first move, the state is at fault; later, the line is.
            raise (
                error
                if error.field == "state" and number == 0
                else error.within(f"moves[{number}]")
            ) from None


def own_seat(position: Position, seat: int | None) -> int:
    """The seat of a view token; raises ViewToken if another one is requested."""
    if seat not in (None, position.viewer):
        raise ViewToken("seat", "a view token shows only what its own seat knows")
    return position.viewer


def checked_match(match: str) -> str:
    """The name of a match; raises InvalidField if it is too long."""
    if match and len(match.encode()) > MAX_MATCH_BYTES:
        raise InvalidField("match", f"must be at most {MAX_MATCH_BYTES} bytes")
    return match
