"""How Contract tells moves: in words, as others see them, and as parts to click."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tablier_core.games.contract.observe import FAMILIES, Mafioso, SeatView, View
from tablier_core.games.contract.reasons import reason
from tablier_core.games.contract.words import (
    MOVES,
    SIDES,
    Move,
    caption,
    halves,
    name_card,
    name_mafioso,
    name_place,
)
from tablier_core.languages import Language
from tablier_core.telling import BUTTON, Path, Telling, listed, seat_name

# ---- Words ---------------------------------------------------------------------------------------

TEXTS = {
    "token": "{player} places a token on {mafioso}",
    "contract": "{player} places {card} on {mafioso}",
    "dollar": "{player} places {card} on {mafioso}",
    "vicelard": "{player} places the Vicelard card on {mafioso}",
    "copper": "{player} places the Copper card on {mafioso}",
    "down": "{player} places {card} face down on {mafioso}",
    "done": "{player} ends the turn with an influence of {points} on {mafioso}",
    "copper-to": "{player} decides to move Copper to {mafioso}",
    "vicelard-to": "{player} decides to move Vicelard to {mafioso}",
    "pay dollar": "{player} pays a dollar card, and Vicelard moves to {mafioso}",
    "chase": "{player} chases Copper to {mafioso}",
    "pass": "{player} passes",
    "join": "{player} adds the Blackmat {value} to the {family} column",
    "drop": "{player} makes seat {other} discard the {family} {value}",
    "take-copper": "{player} takes the Copper card for the next round",
}
INFLUENCE = "{player} influences {mafioso}"
REINFORCE = "{player} reinforces the influence on {mafioso}"
PAY_COPPER = "{player} pays half a dollar with {card} face down, and Copper moves to {mafioso}"
PAY_FIRST = "{player} pays the first half dollar with {card} face down"
PAY_SECOND = (
    "{player} pays the second half dollar with {card} face down, and Vicelard moves to {mafioso}"
)


def _text(view: View, seat: int, move: Move) -> str:
    """The English sentence of a move, with its braces."""
    if move.verb == "on":
        return REINFORCE if view.row[move.place - 1].stakes[seat].tokens else INFLUENCE
    if move.verb == "pay down":
        assert view.action is not None
        if view.action.kind == "copper":
            return PAY_COPPER
        return PAY_SECOND if view.action.half_paid else PAY_FIRST
    return TEXTS[move.verb]


def _sentence(view: View, seat: int, move: Move, language: Language) -> str:
    """What a move does, to anyone who sees it; a face-down card may be unknown."""
    place = move.place or (view.action.target if view.action else 0)
    kind, mafioso, points, value = move.kind, "", "", move.value
    if place:
        target = view.row[place - 1]
        mafioso = name_place(place, target.mafioso, language)
        points = halves(target.stakes[seat].points)
        if move.verb == "contract":
            kind = target.mafioso.family
    if move.verb == "dollar":
        kind = "dollar"
    if move.verb == "join":
        value = min(view.seats[seat].joining)
    return language.gettext(_text(view, seat, move)).format(
        player=seat_name(seat, language),
        mafioso=mafioso,
        points=points,
        card=name_card(kind, language),
        family=move.kind.capitalize(),
        value=value,
        other=move.seat,
    )


def words(view: View, seat: int, moves: Sequence[int], language: Language) -> list[str]:
    """One sentence per move."""
    return [_sentence(view, seat, MOVES[move], language) for move in moves]


# ---- Stories -------------------------------------------------------------------------------------


def _seen_action(after: View) -> Move:
    action = after.action
    if action is None:
        return Move("pass")
    verb = {"copper": "copper-to", "vicelard": "vicelard-to"}.get(action.kind, "on")
    return Move(verb, action.target)


def _seen_piece(before: View, after: View, seat: int) -> Move:
    action = before.action
    assert action is not None
    if after.phase != "pieces":
        return Move("done")
    old, new = (view.row[action.target - 1].stakes[seat] for view in (before, after))
    for verb, changed in (
        ("token", old.tokens != new.tokens),
        ("contract", old.contracts != new.contracts),
        ("dollar", old.dollars != new.dollars),
        ("vicelard", old.vicelard != new.vicelard),
        ("copper", old.copper != new.copper),
    ):
        if changed:
            return Move(verb)
    return Move("down")


def _seen_join(before: View, after: View, seat: int) -> Move:
    value = min(before.seats[seat].joining)
    columns = after.seats[seat].columns
    return Move("join", kind=next(c.family for c in columns if value in c.blackmats))


def _seen_drop(before: View, after: View) -> Move:
    for seat, (old, new) in enumerate(zip(before.seats, after.seats, strict=True)):
        for mafioso in _owned(old) - _owned(new):
            assert mafioso.value is not None
            return Move("drop", kind=mafioso.family, seat=seat, value=mafioso.value)
    return Move("take-copper")


def _seen(before: View, after: View, seat: int) -> Move:
    """The move between two views, as far as the viewer saw it."""
    if before.phase == "action":
        return _seen_action(after)
    if before.phase == "pieces":
        return _seen_piece(before, after, seat)
    if before.phase == "pay":
        paid = after.seats[seat].paid_up > before.seats[seat].paid_up
        return Move("pay dollar" if paid else "pay down")
    if before.phase == "chase":
        return Move("chase", after.copper_pawn)
    if before.phase == "join":
        return _seen_join(before, after, seat)
    return _seen_drop(before, after)


def _owned(seat: SeatView) -> set[Mafioso]:
    """The Mafiosi of a seat."""
    owned = {Mafioso("blackmat", value) for value in (*seat.waiting, *seat.joining)}
    for column in seat.columns:
        owned.update([Mafioso(column.family, value) for value in column.values])
        owned.update([Mafioso("blackmat", value) for value in column.blackmats])
    return owned


def _listed(mafiosi: set[Mafioso], language: Language) -> str:
    text = language.gettext("the {mafioso}")
    named = [text.format(mafioso=name_mafioso(mafioso)) for mafioso in sorted(mafiosi)]
    return listed(named, language)


def _counted(before: View, after: View, move: Move, language: Language) -> Iterator[str]:
    """What a counting brought: who took which Mafiosi and briefcases."""
    say = language.gettext
    for seat, (old, new) in enumerate(zip(before.seats, after.seats, strict=True)):
        gained = _owned(new) - _owned(old)
        if gained:
            mafiosi = _listed(gained, language)
            yield say("seat {seat} takes {mafiosi}").format(seat=seat, mafiosi=mafiosi)
    removed = set(after.removed) - set(before.removed) - {Mafioso(move.kind, move.value)}
    if removed:
        yield say("nobody takes {mafiosi}").format(mafiosi=_listed(removed, language))
    for seat in range(len(after.seats)):
        won = [
            say(SIDES[new.side])
            for old, new in zip(before.briefcases, after.briefcases, strict=True)
            if old.holder is None and new.holder == seat
        ]
        if won:
            text = language.ngettext(
                "seat {seat} wins a briefcase ({sides})",
                "seat {seat} wins briefcases ({sides})",
                len(won),
            )
            yield text.format(seat=seat, sides=", ".join(won))


def _special_cards(before: View, after: View, move: Move, language: Language) -> Iterator[str]:
    """Who took which special card for the next round, where the move does not say so."""
    for name, old, new in (
        ("Vicelard", before.vicelard_card, after.vicelard_card),
        ("Copper", before.copper_card, after.copper_card),
    ):
        winner = new.won_by if after.round == before.round else new.holder
        said_by_move = name == "Copper" and move.verb == "take-copper"
        if winner not in (None, old.won_by) and not said_by_move:
            text = language.gettext("seat {seat} takes the {name} card")
            yield text.format(seat=winner, name=name)


def _followed(before: View, after: View, move: Move, language: Language) -> Iterator[str]:
    """What a move led to, one sentence each."""
    say = language.gettext
    if before.phase not in ("action", "join", "copper") or after.action is not None:
        return
    counted = [*_counted(before, after, move, language)]
    if after.phase != "over":
        counted += _special_cards(before, after, move, language)
    results = say("; ").join(counted)
    if results:
        if before.phase == "action":
            yield say("The row is counted: {results}").format(results=results)
        else:
            yield say("The counting goes on: {results}").format(results=results)
    if after.phase == "over":
        yield caption(after, language)
    elif after.round != before.round:
        yield say("Round {round} begins").format(round=after.round)


def story(before: View, after: View, seat: int, move: int | None, language: Language) -> str:
    """What a viewer saw of a move, and of the counting if the move led to one."""
    seen = _seen(before, after, seat) if move is None else MOVES[move]
    sentence = _sentence(before, seat, seen, language)
    sentences = [sentence, *_followed(before, after, seen, language)]
    return sentence if len(sentences) == 1 else f"{'. '.join(sentences)}."


# ---- Paths ---------------------------------------------------------------------------------------


def _path(view: View, seat: int, move: Move) -> Path:
    verb, kind = move.verb, move.kind
    if verb in ("on", "chase"):
        return (f"mafioso-{move.place}",)
    if verb in ("copper-to", "vicelard-to"):
        return (f"{verb.removesuffix('-to')}-pawn", f"mafioso-{move.place}")
    if verb == "token":
        return (f"tokens-{seat}",)
    if verb == "contract":
        assert view.action is not None
        return (f"hand-{seat}-{view.row[view.action.target - 1].mafioso.family}",)
    if verb in ("dollar", "pay dollar"):
        return (f"hand-{seat}-dollar",)
    if verb in ("down", "pay down"):
        return (f"back-{seat}-{kind}",)
    if verb == "vicelard":
        return ("vicelard-card",)
    if verb in ("copper", "take-copper"):
        return ("copper-card",)
    if verb == "join":
        return (f"column-{seat}-{kind}",)
    if verb == "drop":
        return (f"{kind}-{move.value}",)
    return (BUTTON + verb,)


def paths(view: View, seat: int, moves: Sequence[int]) -> list[Path]:
    """One path per move: a place of the row, a card of the hand or its back, a column."""
    return [_path(view, seat, MOVES[move]) for move in moves]


def colours(language: Language) -> dict[str, str]:
    """The names of the families, in the colours of their cards."""
    return dict(zip(FAMILIES, ("red", "yellow", "green", "blue"), strict=True))


# ---- Synonyms ------------------------------------------------------------------------------------


def synonyms(language: Language) -> tuple[str, ...]:
    """What people write instead of the words above."""
    return (
        language.pgettext(
            "synonyms",
            "influences, reinforces the influence on, reinforces my influence on,"
            " reinforces influence on, reinforces, strengthens",
        ),
        # A piece says enough without a verb, and a number without "Mafioso".
        language.pgettext("synonyms", ", places, puts, lays, sets, adds, uses"),
        language.pgettext("synonyms", ", Mafioso, decides to, turn"),
        language.pgettext(
            "synonyms",
            "…, on Mafioso, with an influence, and Copper moves, and Vicelard moves,"
            " for the next round",
        ),
        language.pgettext("synonyms", "move, slide, shift, go, come, bring"),
        language.pgettext("synonyms", "pays, spends, gives"),
        language.pgettext("synonyms", "ends, finishes, completes"),
        language.pgettext("synonyms", "takes, grabs, gets, picks up"),
        language.pgettext("synonyms", "chases, drives"),
        language.pgettext("synonyms", "passes, skips"),
        language.pgettext("synonyms", "discard, drop, lose, throw away, get rid of"),
        language.pgettext("synonyms", "token, counter, chip"),
    )


TELLING = Telling(words, story, reason, paths, colours, synonyms=synonyms)
