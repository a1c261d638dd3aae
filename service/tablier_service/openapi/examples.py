"""Examples for the document: real requests, and the answers of the service to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from google.protobuf.message import Message

from tablier_service.calls.methods import Method
from tablier_service.message_json.descriptors import message_class

SEED = 7


class Examples:
    """Example values for fields, by name, from the opening of a game in the catalogue."""

    def __init__(self, methods: Sequence[Method]) -> None:
        self._methods = {method.descriptor.name: method for method in methods}
        for listed in self._ask("ListGames").games:
            game = listed.name
            start = self._ask("StartGame", game=game, seed=SEED)
            # Where several seats may move, a request for advice would have to name one.
            if len(start.situation.actors) == 1:
                break
        seat = self._ask("EnumerateMoves", state=start.state).seats[0]
        move = {"seat": seat.seat, "notation": seat.notations[0]}
        self._values: Mapping[str, object] = {
            "game": game,
            "seed": SEED,
            "state": start.state,
            "budget": {"iterations": 100},
            "moves": [move],
            "text": seat.notations[0].upper(),
            "operations": [
                {"enumerate_moves": {"state": start.state}},
                {"apply_moves": {"state": start.state, "moves": [move]}},
            ],
        }

    def request(self, method: Method) -> Message:
        """A request with example values in the fields that have one."""
        names = method.descriptor.input_type.fields_by_name
        return method.request_type(
            **{name: value for name, value in self._values.items() if name in names}
        )

    def answer(self, method: Method) -> Message:
        """The answer of the service to that request."""
        return method.ask(self.request(method))

    def _ask(self, name: str, **fields: object) -> Any:
        method = self._methods[name]
        return method.ask(method.request_type(**fields))


class NoExamples:
    """Empty messages, for a document without tokens and measured times."""

    def request(self, method: Method) -> Message:
        """An empty request."""
        return method.request_type()

    def answer(self, method: Method) -> Message:
        """An empty answer."""
        return message_class(method.descriptor.output_type)()
