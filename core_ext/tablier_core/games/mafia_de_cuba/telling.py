"""How Mafia de Cuba tells its moves: words, stories, reasons and paths to click."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from tablier_core.games.mafia_de_cuba.notation import MOVES
from tablier_core.games.mafia_de_cuba.observe import GODFATHER, View, open_box
from tablier_core.games.mafia_de_cuba.words import (
    OUTCOMES,
    Claim,
    name_count,
    name_diamonds,
    name_player,
    name_role,
    name_take,
    paragraph,
    tell_accusation,
    tell_claim,
    tell_end,
    tell_event,
    tell_question,
    tell_resolution,
    tell_silence,
)
from tablier_core.languages import Language
from tablier_core.position import REFEREE
from tablier_core.telling import BUTTON, Path, Telling, turn_of

if TYPE_CHECKING:
    from tablier_core.games.mafia_de_cuba.notation import MoveParts

# ---- Words ---------------------------------------------------------------------------------------


def words(view: View, seat: int, moves: Sequence[int], language: Language) -> list[str]:
    """One sentence per move."""
    sentences = _sentences(seat, language)
    return [sentences[move] for move in moves]


# A seat may have hundreds of claims to choose from at any time, and no sentence depends on the
# position. So all moves of a seat are put into words once.
@lru_cache(maxsize=64)
def _sentences(seat: int, language: Language) -> tuple[str, ...]:
    return tuple([_sentence(seat, move, language) for move in MOVES])


def _sentence(seat: int, move: MoveParts, language: Language) -> str:
    form, target, question, value = move
    if form == "ask":
        assert target is not None
        assert question is not None
        return tell_question(target, question, language)
    if form == "accuse":
        assert target is not None
        return tell_accusation(target, language)
    if form == "say":
        assert question is not None
        assert value is not None
        return tell_claim(seat, question, value, language)
    if form == "silent":
        return tell_silence(seat, language)
    if form == "take":
        assert isinstance(value, str)
        return _take_sentence(seat, value, language)
    if form == "hide":
        assert isinstance(value, int)
        text = (
            language.gettext("The Godfather keeps {things}")
            if value
            else language.gettext("The Godfather keeps no diamonds")
        )
        return text.format(things=name_diamonds(value, language))
    if form == "pouch":
        assert isinstance(value, str)
        return _pouch_sentence(seat, value, language)
    text = (
        language.gettext("{player} fires at the accused")
        if form == "bang"
        else language.gettext("{player} lets the accused empty its pockets")
    )
    return text.format(player=name_player(seat, language))


def _take_sentence(seat: int, take: str, language: Language) -> str:
    text = (
        language.gettext("{player} takes nothing from the box")
        if take == "nothing"
        else language.gettext("{player} takes {things} from the box")
    )
    return text.format(player=name_player(seat, language), things=name_take(take, language))


def _pouch_sentence(seat: int, kind: str, language: Language) -> str:
    player = name_player(seat, language)
    if kind == "none":
        return language.gettext("{player} puts nothing in the pouch").format(player=player)
    text = language.gettext("{player} puts {things} in the pouch")
    return text.format(player=player, things=name_take(kind, language))


# ---- Stories -------------------------------------------------------------------------------------


def story(before: View, after: View, seat: int, move: int | None, language: Language) -> str:
    """What a viewer saw of a move, and what it led to."""
    consequences = _consequences(after, language)
    if move is None:
        return paragraph([_deed(before, after, seat, language), *consequences])
    if MOVES[move][0] == "bang":
        # The first consequence would be the shot.
        consequences = consequences[1:]
    return paragraph([_sentences(seat, language)[move], *consequences])


def _deed(before: View, after: View, seat: int, language: Language) -> str:
    """What a viewer saw of a move that is not its own."""
    player = name_player(seat, language)
    if before.phase == "hide":
        return language.gettext("The Godfather keeps some diamonds, or none")
    if before.phase == "pouch":
        return language.gettext("{player} puts a token in the pouch, or nothing").format(
            player=player
        )
    if before.phase == "take":
        take = after.seats[seat].take
        if take is not None:
            return _take_sentence(seat, take, language)
        return language.gettext("{player} takes something from the box").format(player=player)
    if before.phase == "react":
        return language.gettext("{player} reacts in secret").format(player=player)
    event = after.events[-1]
    if event.kind == "accused":
        return tell_accusation(event.seat, language)
    assert event.question is not None
    if event.open:
        return tell_question(event.seat, event.question, language)
    if event.claim is None:
        return tell_silence(event.seat, language)
    return tell_claim(event.seat, event.question, event.claim, language)


def _consequences(after: View, language: Language) -> list[str]:
    sentences: list[str] = []
    last = after.events[-1] if after.events else None
    if last is not None and last.kind == "accused" and not last.open:
        sentences += tell_resolution(after, last, language)
    if after.outcome is not None:
        if after.outcome == "godfather":
            # The other outcomes are clear from what the accused had taken.
            nobody = language.gettext("Nobody took diamonds")
            sentences.append(language.gettext(OUTCOMES[after.outcome]) if after.events else nobody)
        sentences.append(tell_end(after, language))
    return sentences


# ---- Reasons -------------------------------------------------------------------------------------


def reason(view: View, seat: int, move: int, language: Language) -> str:
    """Why a seat may not make a move now, or what it has to do instead."""
    if seat not in view.actors:
        return _waiting_reason(view, seat, language)
    parts = MOVES[move]
    if view.phase == "hide":
        return language.gettext("The Godfather first has to keep 0 to 5 diamonds")
    if view.phase == "pouch":
        return _pouch_reason(view, seat, parts, language)
    if view.phase == "take":
        return _take_reason(view, seat, parts, language)
    if view.phase == "answer":
        return _answer_reason(view, seat, parts, language)
    if view.phase == "react":
        return _react_reason(view, seat, parts, language)
    if seat == GODFATHER:
        return _inquiry_reason(view, parts, language)
    return _statement_reason(view, seat, parts, language)


def _waiting_reason(view: View, seat: int, language: Language) -> str:
    """Why a seat, or the table, cannot move at all now."""
    if seat == REFEREE:
        return language.gettext("Only seats make moves")
    player = name_player(seat, language)
    if not view.seats[seat].in_play:
        return language.gettext("{player} is out").format(player=player)
    if view.phase == "inquiry":
        text = language.gettext("{player} has no statements left and waits to be asked")
        return text.format(player=player)
    if view.phase != "react":
        return turn_of(view.actors[0], language)
    if view.seats[seat].reacted:
        return language.gettext("{player} has already reacted").format(player=player)
    return language.gettext("Now the other seats react to the accusation")


def _pouch_reason(view: View, seat: int, move: MoveParts, language: Language) -> str:
    form, _, _, kind = move
    if form == "pouch":
        assert isinstance(kind, str)
        return _not_in_the_box(kind, language)
    text = language.gettext("{player} first has to put a token in the pouch, or nothing")
    return text.format(player=name_player(seat, language))


def _take_reason(view: View, seat: int, move: MoveParts, language: Language) -> str:
    form, _, _, take = move
    player = name_player(seat, language)
    if form != "take":
        text = language.gettext("{player} has to take something from the box now")
        return text.format(player=player)
    assert isinstance(take, str)
    diamonds, tokens = open_box(view, seat)
    if not diamonds and not any(tokens.values()):
        text = language.gettext("The box is empty, so seat {seat} can only take nothing")
        return text.format(seat=seat)
    if take == "nothing":
        return language.gettext("Only the last seat may take nothing from a box that is not empty")
    if not take.isdigit():
        if take == view.pouch:
            text = language.gettext("{player} put {things} in the pouch, and there is no other")
            return text.format(player=player, things=name_take(take, language))
        return _not_in_the_box(take, language)
    if not diamonds:
        return language.gettext("There are no diamonds in the box")
    text = language.ngettext(
        "There is only {things} in the box", "There are only {things} in the box", diamonds
    )
    return text.format(things=name_diamonds(diamonds, language))


def _not_in_the_box(kind: str, language: Language) -> str:
    text = language.gettext("There is no {role} in the box")
    return text.format(role=name_role(kind, language))


def _inquiry_reason(view: View, move: MoveParts, language: Language) -> str:
    """The Godfather asks or accuses."""
    form, target, _, _ = move
    if target is None:
        if form in ("say", "silent"):
            return language.gettext("The Godfather makes no statements: he asks or accuses")
        return paragraph(
            [_out_of_time(form, language), language.gettext("The Godfather asks or accuses")]
        )
    if target >= len(view.seats):
        text = language.gettext("There is no seat {seat}: the last one is seat {last}")
        return text.format(seat=target, last=len(view.seats) - 1)
    if not view.seats[target].in_play:
        return language.gettext("{player} is out").format(player=name_player(target, language))
    if form == "ask":
        return language.gettext("The Godfather has no questions left: he can only accuse")
    take = view.seats[target].take
    assert take is not None
    if take == "nothing":
        text = language.gettext("{player} has already shown that it took nothing")
    else:
        text = language.gettext("{player} has already shown that it took {things}")
    return text.format(player=name_player(target, language), things=name_take(take, language))


def _statement_reason(view: View, seat: int, move: MoveParts, language: Language) -> str:
    """A seat may make a statement."""
    form, _, question, claim = move
    player = name_player(seat, language)
    if form == "say":
        assert question is not None
        assert claim is not None
        return _impossible(view, claim, language)
    if form in ("ask", "accuse"):
        return language.gettext("Only the Godfather asks and accuses")
    if form == "silent":
        text = language.gettext("{player} was not asked anything: it says something or waits")
        return text.format(player=player)
    may = language.gettext("{player} may only make a statement").format(player=player)
    return paragraph([_out_of_time(form, language), may])


def _out_of_time(form: str, language: Language) -> str:
    return (
        language.gettext("Nobody is accused now")
        if form in ("hold", "bang")
        else language.gettext("The theft is over")
    )


def _answer_reason(view: View, seat: int, move: MoveParts, language: Language) -> str:
    form, _, question, claim = move
    asked = view.events[-1].question
    assert asked is not None
    if form == "say" and question == asked:
        assert claim is not None
        return _impossible(view, claim, language)
    text = language.gettext("{player} has to answer this question or stay silent")
    answer = text.format(player=name_player(seat, language))
    return paragraph([tell_question(seat, asked, language), answer])


def _impossible(view: View, claim: Claim, language: Language) -> str:
    """Why nobody can claim this in a game with these tokens."""
    if isinstance(claim, Mapping):
        kind = next(kind for kind, count in claim.items() if count > view.tokens[kind])
    else:
        assert isinstance(claim, str)
        kind = claim
    if not view.tokens[kind]:
        text = language.gettext("There is no {role} in this game")
        return text.format(role=name_role(kind, language))
    text = language.ngettext(
        "There is only {things} in this game",
        "There are only {things} in this game",
        view.tokens[kind],
    )
    return text.format(things=name_count(kind, view.tokens[kind], language))


def _react_reason(view: View, seat: int, move: MoveParts, language: Language) -> str:
    take = view.seats[seat].take
    assert take is not None
    player = name_player(seat, language)
    if move[0] == "bang":
        if take == "nothing":
            text = language.gettext("Only the cleaner can fire. {player} took nothing.")
        else:
            text = language.gettext("Only the cleaner can fire. {player} took {things}.")
        return text.format(player=player, things=name_take(take, language))
    text = (
        language.gettext("{player} has to fire or let the accused empty its pockets")
        if take == "cleaner"
        else language.gettext("{player} can only let the accused empty its pockets")
    )
    accused = tell_event(view, view.events[-1], language)
    return paragraph([accused, text.format(player=player)])


# ---- Paths ---------------------------------------------------------------------------------------


def paths(view: View, seat: int, moves: Sequence[int]) -> list[Path]:
    """The parts to click for every move: an item of the box, a seat, a question, a claim."""
    kinds = tuple([kind for kind, count in view.tokens.items() if count])
    known = _paths(kinds, view.phase == "answer")
    return [known[move] for move in moves]


@lru_cache(maxsize=32)
def _paths(kinds: tuple[str, ...], answering: bool) -> tuple[Path, ...]:
    return tuple([_path(move, kinds, answering) for move in MOVES])


def _path(move: MoveParts, kinds: tuple[str, ...], answering: bool) -> Path:
    form, target, question, value = move
    if form == "ask":
        return f"seat-{target}", f"question-{question}"
    if form == "accuse":
        return f"seat-{target}", "accuse"
    if form == "say":
        assert value is not None
        claimed = _claim_path(value, kinds)
        return claimed if answering else (f"statement-{question}", *claimed)
    if value in (0, "none", "nothing"):
        return (f"{BUTTON}nothing",)
    if isinstance(value, int) or (isinstance(value, str) and value.isdigit()):
        return (f"diamond-{value}",)
    if value is not None:
        return (f"token-{value}",)
    return (BUTTON + form,)


def _claim_path(claim: Claim, kinds: tuple[str, ...]) -> Path:
    if isinstance(claim, Mapping):
        counts = tuple([f"{kind}-{claim[kind]}" for kind in kinds])
        return counts or (f"{BUTTON}no-tokens",)
    if isinstance(claim, int) or claim.isdigit():
        return (f"number-{claim}",)
    return (f"claim-{claim}",)


def colours(language: Language) -> dict[str, str]:
    """The kinds of tokens, one and several of them, in colours like those of the picture."""
    shown = {"loyal": "green", "fbi": "blue", "cia": "mark", "driver": "yellow", "cleaner": "red"}
    return {
        name_count(kind, count, language).partition(" ")[2]: colour
        for kind, colour in shown.items()
        for count in (1, 2)
    }


# ---- Synonyms ------------------------------------------------------------------------------------


def synonyms(language: Language) -> tuple[str, ...]:
    """What people write instead of the words above."""
    return (
        language.pgettext("synonyms", "keeps, hides, retains"),
        language.pgettext("synonyms", "takes, grabs, picks up, steals"),
        language.pgettext("synonyms", "puts, places, sets, sets aside"),
        language.pgettext("synonyms", "says, claims, states, tells"),
        language.pgettext("synonyms", "accuses, blames"),
        language.pgettext("synonyms", "stays silent, remains silent, keeps silent, says nothing"),
        language.pgettext("synonyms", "fires, shoots"),
        language.pgettext("synonyms", "box, cigar box"),
        language.pgettext("synonyms", "diamond, gem"),
        language.pgettext("synonyms", "…, from the box, in the pouch"),
    )


TELLING = Telling(words, story, reason, paths, colours, name_player, synonyms)
