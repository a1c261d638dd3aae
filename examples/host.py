"""A host in thirty lines: what a stateless service leaves to you.

The host keeps the newest state of each match and replaces it under a lock, so that no state is
continued twice. Players get view tokens, which contain only what their seat knows, and send a move
together with the view that they chose it for. Any other view is refused: it is old, of another
seat, or not from this host. Your own login decides which seat a caller may name.
"""

from __future__ import annotations

from threading import Lock

from tablier_client import Client, State


class Refused(Exception):
    """The view is not the newest one of this seat: ask for it, and choose again."""


class Host:
    """Keeps the newest state of each match; a host of several processes keeps it in a database."""

    def __init__(self) -> None:
        self._newest: dict[str, State] = {}
        self._views: dict[str, dict[int, bytes]] = {}
        self._lock = Lock()

    def add(self, first: State) -> None:
        """Keep a new match. Sealed tokens of one match are rejected in all others."""
        with self._lock:
            if first.match in self._newest:
                raise Refused(f"the match {first.match!r} has already started")
            self._keep(first)

    def view(self, match: str, seat: int) -> bytes:
        """Return what the player of a seat may have."""
        with self._lock:
            return self._views[match][seat]

    def play(self, match: str, seat: int, view: bytes, move: str) -> None:
        """Play the move that a player chose for a view; an illegal move changes nothing."""
        with self._lock:
            if view != self._views[match].get(seat):
                raise Refused("this is not the newest view of the seat")
            self._keep(self._newest[match].play(move, seat=seat))

    def _keep(self, state: State) -> None:
        self._views[state.match] = {seat: state.view_token(seat) for seat in range(state.seats)}
        self._newest[state.match] = state


def main() -> None:
    """Let bots play a match; they see nothing but their views."""
    with Client("127.0.0.1:50051") as client:
        host = Host()
        host.add(client.start("contrat500", match="friday", seats=3, seed=1, max_deals=2))
        first = host.view("friday", 0)
        seen = client.state(first, match="friday")
        while not seen.over:
            seat = seen.actors[0]
            view = host.view("friday", seat)
            advice = client.state(view, match="friday").suggest(seat, level=3)
            host.play("friday", seat, view, advice.suggestions[0].move.notation)
            seen = client.state(host.view("friday", 0), match="friday")
        print(f"{seen.ply} moves, scores {seen.scores}")
        try:
            host.play("friday", 0, first, "pass")
        except Refused as refusal:
            print(f"refused: {refusal}")


if __name__ == "__main__":
    main()
