"""Contract's views as protocol messages."""

from __future__ import annotations

from collections.abc import Sequence

from tablier.v1 import contract_pb2 as pb
from tablier_core.games.contract.observe import (
    KINDS,
    Action,
    Cards,
    Mafioso,
    Place,
    SeatView,
    Special,
    View,
)

from tablier_service.views.message import GameMessages


def _kinds(kinds: Sequence[int]) -> pb.ContractKinds:
    return pb.ContractKinds(**dict(zip(KINDS, kinds, strict=True)))


def _cards(cards: Cards) -> pb.ContractCards:
    kinds = None if cards.kinds is None else _kinds(cards.kinds)
    return pb.ContractCards(count=cards.count, kinds=kinds)


def _mafioso(mafioso: Mafioso) -> pb.ContractMafioso:
    return pb.ContractMafioso(family=mafioso.family, value=mafioso.value)


def _place(place: Place) -> pb.ContractPlace:
    return pb.ContractPlace(
        mafioso=_mafioso(place.mafioso),
        counted=place.counted,
        stakes=[
            pb.ContractStake(
                tokens=stake.tokens,
                contracts=stake.contracts,
                dollars=stake.dollars,
                down=_cards(stake.down),
                vicelard=stake.vicelard,
                copper=stake.copper,
                points=stake.points,
            )
            for stake in place.stakes
        ],
    )


def _special(card: Special) -> pb.ContractSpecialCard:
    return pb.ContractSpecialCard(holder=card.holder, played_on=card.played_on, won_by=card.won_by)


def _action(action: Action | None) -> pb.ContractAction | None:
    if action is None:
        return None
    return pb.ContractAction(
        kind=action.kind,
        target=action.target,
        last_piece=action.last_piece,
        down=_cards(action.down),
        half_paid=action.half_paid,
        half_kind=action.half_kind,
    )


def _seat(seat: SeatView) -> pb.ContractSeat:
    return pb.ContractSeat(
        hand=_cards(seat.hand),
        tokens=seat.tokens,
        paid_up=seat.paid_up,
        paid_down=_cards(seat.paid_down),
        discarded_up=_kinds(seat.discarded_up),
        discarded_down=_cards(seat.discarded_down),
        shuffled=[
            pb.ContractShuffled(
                up=_kinds(pile.up),
                down=_cards(pile.down),
                drawn=_cards(pile.drawn),
                drawn_before=pile.drawn_before,
            )
            for pile in seat.shuffled
        ],
        columns=[
            pb.ContractColumn(
                family=column.family, values=column.values, blackmats=column.blackmats
            )
            for column in seat.columns
        ],
        waiting=seat.waiting,
        joining=seat.joining,
    )


def write_view(view: View) -> pb.ContractView:
    """Return the view message. Fields for the referee are absent for a seat."""
    return pb.ContractView(
        round=view.round,
        rounds=view.rounds,
        first=view.first,
        to_move=view.to_move,
        passes=view.passes,
        row=[_place(place) for place in view.row],
        copper_pawn=view.copper_pawn,
        vicelard_pawn=view.vicelard_pawn,
        copper_card=_special(view.copper_card),
        vicelard_card=_special(view.vicelard_card),
        copper_card_points=view.copper_card_points,
        action=_action(view.action),
        seats=[_seat(seat) for seat in view.seats],
        traffics=[
            pb.ContractTraffic(
                family=traffic.family,
                first=traffic.first,
                second=traffic.second,
                first_to=traffic.first_to,
                second_to=traffic.second_to,
            )
            for traffic in view.traffics
        ],
        briefcases=[
            pb.ContractBriefcase(side=tile.side, worth=tile.worth, holder=tile.holder)
            for tile in view.briefcases
        ],
        removed=[_mafioso(mafioso) for mafioso in view.removed],
        unseen=[_mafioso(mafioso) for mafioso in view.unseen],
        deck_count=view.deck_count,
        pile_count=view.pile_count,
        shuffles=view.shuffles,
        deck=[_mafioso(mafioso) for mafioso in view.deck or ()],
        pile=view.pile or (),
        chance=view.chance,
    )


MESSAGES = GameMessages(field="contract", write_view=write_view)
