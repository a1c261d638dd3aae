"""The messages of Mafia de Cuba."""

from __future__ import annotations

from tablier.v1 import mafia_de_cuba_pb2 as pb
from tablier_core.games.mafia_de_cuba.observe import Box, Event, Seat, View

from tablier_service.views.message import GameMessages


def write_take(take: str) -> pb.MafiaDeCubaTake:
    """Write a take, given its spelling in the notation."""
    if take.isdigit():
        return pb.MafiaDeCubaTake(diamonds=int(take))
    return pb.MafiaDeCubaTake(token="" if take == "nothing" else take)


def write_box(box: Box) -> pb.MafiaDeCubaBox:
    """Write a box."""
    return pb.MafiaDeCubaBox(diamonds=box.diamonds, tokens=pb.MafiaDeCubaTokens(**box.tokens))


def write_seat(seat: Seat) -> pb.MafiaDeCubaSeat:
    """Write a seat; fields that the viewer does not know are absent."""
    return pb.MafiaDeCubaSeat(
        in_play=seat.in_play,
        joker=seat.joker,
        revealed=seat.revealed,
        statements_left=seat.statements_left,
        take=None if seat.take is None else write_take(seat.take),
        received=None if seat.received is None else write_box(seat.received),
        reacted=seat.reacted,
        reaction=seat.reaction or "",
    )


def write_claim(event: Event) -> pb.MafiaDeCubaClaim | None:
    """Write the claim of an event, if it has one."""
    if event.claim is None:
        return None
    if isinstance(event.claim, int):
        return pb.MafiaDeCubaClaim(diamonds=event.claim)
    if isinstance(event.claim, str):
        return pb.MafiaDeCubaClaim(took=write_take(event.claim))
    return pb.MafiaDeCubaClaim(tokens=pb.MafiaDeCubaTokens(**event.claim))


def write_event(event: Event) -> pb.MafiaDeCubaEvent:
    """Write an event of the inquiry."""
    return pb.MafiaDeCubaEvent(
        kind=event.kind,
        seat=event.seat,
        question=event.question or "",
        claim=write_claim(event),
        shooter=event.shooter,
        open=event.open,
    )


def write_view(view: View) -> pb.MafiaDeCubaView:
    """Write the view; fields that the viewer does not know are absent."""
    return pb.MafiaDeCubaView(
        tokens=pb.MafiaDeCubaTokens(**view.tokens),
        jokers=view.jokers,
        questions=view.questions,
        statements=view.statements,
        jokers_left=view.jokers_left,
        questions_left=view.questions_left,
        recovered=view.recovered,
        hidden=view.hidden,
        pouch=view.pouch or "",
        seats=[write_seat(seat) for seat in view.seats],
        events=[write_event(event) for event in view.events],
        outcome=view.outcome or "",
        winners=view.winners,
    )


MESSAGES = GameMessages(field="mafia_de_cuba", write_view=write_view)
