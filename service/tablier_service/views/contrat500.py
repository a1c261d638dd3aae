"""Converts views of Contrat 500 to their protocol messages."""

from __future__ import annotations

from tablier.v1 import contrat500_pb2 as pb
from tablier_core.games.contrat500.observe import Settlement, View

from tablier_service.views.message import GameMessages


def write_settlement(last: Settlement) -> pb.Contrat500Settlement:
    """The message of the last settlement."""
    return pb.Contrat500Settlement(
        deal=last.deal,
        winner=last.winner,
        seats=[
            pb.Contrat500SettledSeat(
                contracts=row.contracts,
                hand=row.hand,
                realised=row.realised,
                before=row.before,
                after=row.after,
            )
            for row in last.seats
        ],
    )


def write_view(view: View) -> pb.Contrat500View:
    """The message of a view. Hidden information is absent or empty."""
    return pb.Contrat500View(
        deal=view.deal,
        starter=view.starter,
        to_move=view.to_move,
        seats=[
            pb.Contrat500Seat(
                score=view.scores[seat],
                contracts=view.contracts[seat],
                hand_size=view.hand_sizes[seat],
                hand=view.hands[seat] or (),
                known=view.known[seat],
            )
            for seat in range(view.seats)
        ],
        pot_size=view.pot_size,
        pot=view.pot or (),
        discard=view.discard,
        dead=view.dead,
        turns=[
            pb.Contrat500Turn(
                seat=turn.seat,
                took=turn.took,
                received=turn.received,
                discarded=turn.discarded,
                asked=turn.asked,
                declined=turn.declined,
            )
            for turn in view.turns
        ],
        last_settlement=write_settlement(view.last) if view.last else None,
        winners=view.winners,
        target=view.target,
        max_deals=view.max_deals,
        blind_bids=view.blind_bids,
        rng=pb.Contrat500Rng(state=view.rng[0], increment=view.rng[1]) if view.rng else None,
    )


MESSAGES = GameMessages(field="contrat500", write_view=write_view)
