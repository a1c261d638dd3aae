"""A game in progress, on any backend: its moves in words, its history and its record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from tablier_client import Advice, Interpretation, Move, Record, write_record
from tablier_client.match import History, load_match, run, start_match
from tablier_core.options import Value
from tablier_core.position import Game

from tablier_cli.backend import Backend, State
from tablier_cli.calls import LegalMove, described_steps, drawing, legal_moves


def start_game(backend: Backend, game: Game, options: Mapping[str, Value], seed: int) -> State:
    """Start a game and return its first state."""
    state: State = backend.send(backend.calls.start(game.name, options, seed=seed))
    return state


class OngoingGame(History[State]):
    """A game in progress; `state` is its current state. Texts are in one language."""

    _backend: Backend
    _language: str

    @classmethod
    def start(
        cls,
        backend: Backend,
        game: Game,
        options: Mapping[str, Value],
        seed: int,
        language: str = "",
    ) -> Self:
        """Start a game."""
        dialogue = start_match(backend.calls, game.name, options, seed, "")
        return cls(*run(backend.send, dialogue))._with(backend, language)

    @classmethod
    def load(cls, backend: Backend, record: Record, language: str = "") -> Self:
        """Continue the game of a record after its last move."""
        loaded = cls(*run(backend.send, load_match(backend.calls, record, "")))
        loaded.redo(len(record.moves))
        return loaded._with(backend, language)

    def _with(self, backend: Backend, language: str) -> Self:
        self._backend = backend
        self._language = language
        return self

    def legal(self, seat: int) -> list[LegalMove]:
        """List the legal moves of a seat."""
        calls = self._backend.calls
        return self._backend.send(legal_moves(calls, self.state, seat, self._language))

    def interpret(self, seat: int, text: str) -> Interpretation:
        """Read what a person typed as a move of a seat."""
        call = self._backend.calls.interpret(self.state, text, seat, language=self._language)
        return self._backend.send(call)

    def play(self, seat: int, notation: str, viewer: int) -> str:
        """Make a legal move and return what a viewer saw of it."""
        move = Move(notation, seat)
        call = described_steps(self._backend.calls, self.state, [move], viewer, self._language)
        played = self._backend.send(call)
        self._enter([each.step for each in played])
        return played[0].words

    def choose(self, seat: int, level: int, seed: int) -> str:
        """Return the move that the computer makes for a seat at a level."""
        call = self._backend.calls.suggest(self.state, seat, level=level, seed=seed, limit=1)
        return self._backend.send(call).suggestions[0].move.notation

    def advise(self, seat: int, milliseconds: int, limit: int) -> Advice:
        """Return the best moves of a seat."""
        call = self._backend.calls.suggest(self.state, seat, milliseconds=milliseconds, limit=limit)
        return self._backend.send(call)

    def take_back(self, seat: int) -> int:
        """Take back the last move of a seat and all after it; returns how many these were.

        They are forgotten: a record must not continue with moves that were taken back.
        """
        made = [step.move.seat for step in self.history]
        if seat not in made:
            return 0
        count = made[::-1].index(seat) + 1
        self.undo(count)
        self._node.children.clear()
        return count

    def draw(self, seat: int) -> str:
        """Draw a seat's view as text."""
        return self._backend.send(drawing(self._backend.calls, self.state, seat, self._language))

    def rules(self) -> str:
        """Return the rules of the game as Markdown."""
        call = self._backend.calls.rules(self.state.game, language=self._language)
        return self._backend.send(call)

    def write_record(self) -> str:
        """Return the record of the game as text."""
        return write_record(self._backend.send(self._record_call(self._backend.calls, None)))
