"""Mafia de Cuba in words: moves, stories, reasons, paths and pictures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from xml.etree import ElementTree

import pytest
from tablier_core.drawing import CONTRAST, DARK, LIGHT, Look, Palette
from tablier_core.languages import catalogue
from tablier_core.position import REFEREE, Position

from tests.core.games.mafia_de_cuba_positions import (
    GAME,
    ROUND,
    accused,
    notations,
    play,
    reactions,
    start,
    theft,
)
from tests.core.laws import LANGUAGES, Translated

FRENCH = catalogue("fr")


def words(position: Position, seat: int, notation: str) -> str:
    return position.words(seat)[notations(position, seat).index(notation)]


def story(position: Position, move: str, viewer: int) -> str:
    """What a viewer reads about a move written as `seat notation`."""
    seat, notation = move.split(" ", 1)
    action = GAME.read_move(notation)
    return position.story(position.apply(int(seat), action), int(seat), action, viewer)


def reason(position: Position, seat: int, notation: str) -> str:
    assert notation not in notations(position, seat)
    return position.reason(seat, GAME.read_move(notation))


def path(position: Position, seat: int, notation: str) -> tuple[str, ...]:
    return position.paths(seat)[notations(position, seat).index(notation)]


def inquiry(**options: object) -> Position:
    return theft(start(**options), *ROUND)


# ---- Words ---------------------------------------------------------------------------------------


def test_words_of_the_theft():
    position = start()
    assert words(position, 0, "hide 0") == "The Godfather keeps no diamonds"
    assert words(position, 0, "hide 1") == "The Godfather keeps 1 diamond"
    position = play(position, "0 hide 1")
    assert words(position, 1, "pouch fbi") == "Seat 1 puts the FBI token in the pouch"
    assert words(position, 1, "pouch none") == "Seat 1 puts nothing in the pouch"
    position = play(position, "1 pouch none")
    assert words(position, 1, "take 1") == "Seat 1 takes 1 diamond from the box"
    assert words(position, 1, "take 4") == "Seat 1 takes 4 diamonds from the box"
    assert words(position, 1, "take driver") == "Seat 1 takes a driver token from the box"
    position = theft(start(), *ROUND[:-1])
    assert words(position, 7, "take nothing") == "Seat 7 takes nothing from the box"


@pytest.mark.parametrize(
    ("notation", "sentence"),
    [
        ("ask 4 received-diamonds", "The Godfather asks seat 4 how many diamonds it received"),
        ("ask 4 received-tokens", "The Godfather asks seat 4 which tokens it received"),
        ("ask 4 passed-diamonds", "The Godfather asks seat 4 how many diamonds it passed on"),
        ("ask 4 passed-tokens", "The Godfather asks seat 4 which tokens it passed on"),
        ("ask 4 took", "The Godfather asks seat 4 what it took"),
        ("accuse 4", "The Godfather accuses seat 4"),
    ],
)
def test_words_of_the_godfather(notation: str, sentence: str):
    assert words(inquiry(), 0, notation) == sentence


@pytest.mark.parametrize(
    ("notation", "sentence"),
    [
        ("say received-diamonds 0", "Seat 3 says it received no diamonds"),
        ("say received-tokens L2F1", "Seat 3 says it received 2 loyals and 1 FBI agent"),
        ("say received-tokens -", "Seat 3 says it received no tokens"),
        ("say passed-diamonds 5", "Seat 3 says it passed on 5 diamonds"),
        ("say passed-tokens D1", "Seat 3 says it passed on 1 driver"),
        ("say took 1", "Seat 3 says it took 1 diamond"),
        ("say took fbi", "Seat 3 says it took the FBI token"),
        ("say took nothing", "Seat 3 says it took nothing"),
    ],
)
def test_words_of_a_claim(notation: str, sentence: str):
    assert words(inquiry(), 3, notation) == sentence


def test_words_of_answers_and_reactions():
    asked = play(inquiry(), "0 ask 3 took")
    assert words(asked, 3, "say took 2") == "Seat 3 says it took 2 diamonds"
    assert words(asked, 3, "silent") == "Seat 3 stays silent"
    position = accused(1)
    assert words(position, 2, "hold") == "Seat 2 lets the accused empty its pockets"
    assert words(position, 2, "bang") == "Seat 2 fires at the accused"


# ---- Stories -------------------------------------------------------------------------------------


def test_others_see_only_that_something_was_kept_pouched_or_taken():
    position = start()
    assert story(position, "0 hide 3", 0) == "The Godfather keeps 3 diamonds"
    assert story(position, "0 hide 3", 1) == "The Godfather keeps some diamonds, or none"
    position = play(position, "0 hide 3")
    assert story(position, "1 pouch none", 1) == "Seat 1 puts nothing in the pouch"
    assert story(position, "1 pouch none", 0) == "Seat 1 puts a token in the pouch, or nothing"
    position = play(position, "1 pouch none")
    assert story(position, "1 take 4", REFEREE) == "Seat 1 takes 4 diamonds from the box"
    assert story(position, "1 take 4", 2) == "Seat 1 takes something from the box"


def test_everyone_hears_questions_and_answers():
    position = inquiry()
    for viewer in (REFEREE, 0, 3, 5):
        asked = play(position, "0 ask 3 took")
        told = "The Godfather asks seat 3 what it took"
        assert story(position, "0 ask 3 took", viewer) == told
        assert story(asked, "3 say took 2", viewer) == "Seat 3 says it took 2 diamonds"
        assert story(asked, "3 silent", viewer) == "Seat 3 stays silent"
        unasked = "Seat 5 says it passed on no tokens"
        assert story(position, "5 say passed-tokens -", viewer) == unasked


def test_the_story_of_an_accusation_tells_what_it_led_to():
    position = inquiry()
    assert story(position, "0 accuse 1", 5) == (
        "The Godfather accuses seat 1. Seat 1 returns 4 diamonds and is out."
    )
    assert story(position, "0 accuse 2", 5) == (
        "The Godfather accuses seat 2. Seat 2 shows a loyal token and gets a joker."
    )
    assert story(position, "0 accuse 7", 5) == (
        "The Godfather accuses seat 7. Seat 7 has empty pockets and gets a joker."
    )
    assert story(position, "0 accuse 3", 5) == (
        "The Godfather accuses seat 3. Seat 3 shows the FBI token and wins. Winners: seats 3 and 4."
    )
    without_jokers = inquiry(jokers=0)
    assert story(without_jokers, "0 accuse 2", 5) == (
        "The Godfather accuses seat 2. Seat 2 shows a loyal token, so the Godfather is out."
        " Winners: seats 1 and 7."
    )
    assert story(without_jokers, "0 accuse 7", 5) == (
        "The Godfather accuses seat 7. Seat 7 has empty pockets, so the Godfather is out."
        " Winners: seats 1 and 7."
    )
    assert story(play(position, "0 accuse 1"), "0 accuse 5", 2) == (
        "The Godfather accuses seat 5. Seat 5 returns 3 diamonds and is out."
        " The Godfather has all his diamonds back. Winners: seats 0, 2 and 6."
    )


def test_without_thieves_the_story_of_the_last_take_tells_the_end():
    takes = ("loyal", "loyal", "loyal", "fbi", "driver")
    position = theft(start(tokens={"loyal": 4, "fbi": 1, "driver": 1}, seats=7), *takes)
    assert story(position, "6 take nothing", 2) == (
        "Seat 6 takes nothing from the box. Nobody took diamonds. Winners: seats 0, 1, 2 and 3."
    )


def test_reactions_are_secret_until_the_last_one():
    position = accused(1)
    assert story(position, "2 bang", 2) == "Seat 2 fires at the accused"
    for move in ("2 bang", "2 hold"):
        assert story(position, move, 5) == "Seat 2 reacts in secret"
    *early, last = [f"{seat} {'bang' if seat == 2 else 'hold'}" for seat in position.actors]
    shot = "Seat 2 fires at seat 1. Seat 1 returns 4 diamonds, and both are out."
    assert story(play(position, *early), last, 5) == f"Seat 7 reacts in secret. {shot}"
    holding = [f"{seat} hold" for seat in position.actors if seat != 2]
    assert story(play(position, *holding), "2 bang", 2) == (
        "Seat 2 fires at the accused. Seat 1 returns 4 diamonds, and both are out."
    )


@pytest.mark.parametrize(
    ("seat", "end"),
    [
        (3, "Seat 3 was an agent, so the cleaner wins. Winners: seat 2."),
        (6, "Seat 6 shows a loyal token, and both are out."),
        (7, "Seat 7 has empty pockets, and both are out."),
    ],
)
def test_the_story_of_a_shot(seat: int, end: str):
    position = accused(seat)
    others = [f"{other} hold" for other in position.actors if other != 2]
    told = story(play(position, *others), "2 bang", 0)
    assert told == f"Seat 2 reacts in secret. Seat 2 fires at seat {seat}. {end}"


# ---- Reasons -------------------------------------------------------------------------------------


def test_reasons_while_the_godfather_hides_diamonds():
    """Every other move comes too early (reference: The theft, step 1)."""
    for notation in ("pouch none", "take 4", "ask 5 took", "accuse 5", "silent", "bang"):
        assert reason(start(), 0, notation) == "The Godfather first has to keep 0 to 5 diamonds"


def test_reasons_at_the_pouch():
    """Only a token of the box, or nothing (reference: The theft, step 2)."""
    position = play(start(), "0 hide 0")
    assert reason(position, 1, "pouch cia") == "There is no CIA agent in the box"
    assert (
        reason(position, 1, "take 4") == "Seat 1 first has to put a token in the pouch, or nothing"
    )


def test_reasons_for_takes():
    """What the box does not hold, and nothing (reference: The theft, step 3)."""
    position = theft(start(), "14", pouch="fbi")
    assert reason(position, 2, "take 2") == "There is only 1 diamond in the box"
    assert reason(position, 2, "take fbi") == "There is no FBI agent in the box"
    nothing = "Only the last seat may take nothing from a box that is not empty"
    assert reason(position, 2, "take nothing") == nothing
    assert reason(position, 2, "ask 1 took") == "Seat 2 has to take something from the box now"
    assert reason(position, 2, "hide 1") == "Seat 2 has to take something from the box now"
    assert reason(theft(start(), "10"), 2, "take 6") == "There are only 5 diamonds in the box"
    assert reason(theft(start(), "15"), 2, "take 1") == "There are no diamonds in the box"
    own = theft(start(), pouch="fbi")
    told = "Seat 1 put the FBI token in the pouch, and there is no other"
    assert reason(own, 1, "take fbi") == told
    empty = theft(start(tokens={}), "15")
    assert reason(empty, 2, "take 1") == "The box is empty, so seat 2 can only take nothing"
    assert reason(empty, 2, "take loyal") == "The box is empty, so seat 2 can only take nothing"


def test_reasons_for_the_godfather_in_the_inquiry():
    """He asks seats in play and accuses those that hide their take (reference: The inquiry)."""
    position = play(inquiry(questions=1), "0 accuse 1", "0 accuse 2")
    assert reason(position, 0, "ask 9 took") == "There is no seat 9: the last one is seat 7"
    assert reason(position, 0, "accuse 8") == "There is no seat 8: the last one is seat 7"
    assert reason(position, 0, "ask 1 took") == "Seat 1 is out"
    assert reason(position, 0, "accuse 1") == "Seat 1 is out"
    shown = "Seat 2 has already shown that it took a loyal token"
    assert reason(position, 0, "accuse 2") == shown
    no_statements = "The Godfather makes no statements: he asks or accuses"
    assert reason(position, 0, "say took 4") == no_statements
    assert reason(position, 0, "silent") == no_statements
    over = "The theft is over. The Godfather asks or accuses."
    assert reason(position, 0, "hide 3") == over
    assert reason(position, 0, "take 3") == over
    nobody = "Nobody is accused now. The Godfather asks or accuses."
    assert reason(position, 0, "bang") == nobody
    kid = play(inquiry(), "0 accuse 7")
    assert reason(kid, 0, "accuse 7") == "Seat 7 has already shown that it took nothing"
    asked = play(position, "0 ask 3 took", "3 silent")
    no_questions = "The Godfather has no questions left: he can only accuse"
    assert reason(asked, 0, "ask 3 took") == no_questions


def test_reasons_for_statements():
    """A statement is any claim that could answer a question (reference: The inquiry)."""
    position = inquiry()
    assert reason(position, 3, "ask 5 took") == "Only the Godfather asks and accuses"
    assert reason(position, 3, "accuse 5") == "Only the Godfather asks and accuses"
    unasked = "Seat 3 was not asked anything: it says something or waits"
    assert reason(position, 3, "silent") == unasked
    assert reason(position, 3, "take 4") == "The theft is over. Seat 3 may only make a statement."
    assert reason(position, 3, "hold") == (
        "Nobody is accused now. Seat 3 may only make a statement."
    )
    too_many = "There are only 3 loyals in this game"
    assert reason(position, 3, "say received-tokens L4") == too_many
    assert reason(position, 3, "say passed-tokens D2") == "There is only 1 driver in this game"
    assert reason(position, 3, "say passed-tokens C1") == "There is no CIA agent in this game"
    assert reason(position, 3, "say took cleaner") == "There is no cleaner in this game"


def test_reasons_for_answers():
    """An answer fits the question (reference: The inquiry)."""
    position = play(inquiry(), "0 ask 3 took")
    question = (
        "The Godfather asks seat 3 what it took. Seat 3 has to answer this question or stay silent."
    )
    for notation in ("say passed-diamonds 5", "say passed-tokens L5", "take 4", "hold", "accuse 5"):
        assert reason(position, 3, notation) == question
    assert reason(position, 3, "say took cia") == "There is no CIA agent in this game"


def test_reasons_for_reactions():
    """Every seat can hold, and only the cleaner can fire (reference: Accusations, step 1)."""
    position = accused(1)
    assert reason(position, 5, "bang") == "Only the cleaner can fire. Seat 5 took 3 diamonds."
    assert reason(position, 7, "bang") == "Only the cleaner can fire. Seat 7 took nothing."
    assert reason(position, 5, "silent") == (
        "The Godfather accuses seat 1. Seat 5 can only let the accused empty its pockets."
    )
    assert reason(position, 2, "say took 4") == (
        "The Godfather accuses seat 1. Seat 2 has to fire or let the accused empty its pockets."
    )


def test_reasons_for_seats_that_have_to_wait():
    """Others are to move, or the seat has said and done all it may (reference: The inquiry)."""
    assert reason(start(), 3, "take 4") == "It is the turn of seat 0"
    assert reason(start(), REFEREE, "take 4") == "Only seats make moves"
    asked = play(inquiry(), "0 ask 3 took")
    assert reason(asked, 0, "accuse 3") == "It is the turn of seat 3"
    assert reason(asked, 5, "say took 4") == "It is the turn of seat 3"
    mute = inquiry(statements=0)
    assert reason(mute, 5, "say took 4") == "Seat 5 has no statements left and waits to be asked"
    caught = play(inquiry(), "0 accuse 1")
    assert reason(caught, 1, "say took 4") == "Seat 1 is out"
    reacting = play(accused(1), "5 hold")
    assert reason(reacting, 5, "hold") == "Seat 5 has already reacted"
    for seat in (0, 1):
        assert reason(reacting, seat, "hold") == "Now the other seats react to the accusation"
    assert reason(reacting, REFEREE, "bang") == "Only seats make moves"


# ---- Paths and pictures --------------------------------------------------------------------------


def test_paths_click_the_box_the_seats_and_the_desk():
    position = start()
    assert path(position, 0, "hide 3") == ("diamond-3",)
    assert path(position, 0, "hide 0") == ("button-nothing",)
    position = play(position, "0 hide 3")
    assert path(position, 1, "pouch loyal") == ("token-loyal",)
    assert path(position, 1, "pouch none") == ("button-nothing",)
    position = play(position, "1 pouch none")
    assert path(position, 1, "take 4") == ("diamond-4",)
    assert path(position, 1, "take driver") == ("token-driver",)
    position = inquiry()
    assert path(position, 0, "ask 5 took") == ("seat-5", "question-took")
    assert path(position, 0, "accuse 5") == ("seat-5", "accuse")
    assert path(position, 3, "say passed-diamonds 5") == ("statement-passed-diamonds", "number-5")
    counts = ("loyal-2", "fbi-0", "driver-1")
    assert path(position, 3, "say passed-tokens L2D1") == ("statement-passed-tokens", *counts)
    assert path(position, 3, "say took nothing") == ("statement-took", "claim-nothing")
    asked = play(position, "0 ask 3 passed-tokens")
    assert path(asked, 3, "say passed-tokens L2D1") == counts
    assert path(asked, 3, "silent") == ("button-silent",)
    assert path(accused(1), 2, "bang") == ("button-bang",)
    without_tokens = theft(start(tokens={}), "4", "1", "1", "1", "1", "1", "1")
    asked = play(without_tokens, "0 ask 3 passed-tokens")
    assert path(asked, 3, "say passed-tokens -") == ("button-no-tokens",)


def texts(drawn: str) -> list[str]:
    return [unescape(words) for words in re.findall(r"<t(?:ext|span)[^>]*>([^<]+)", drawn)]


def test_a_picture_speaks_in_words():
    position = play(inquiry(), "0 ask 5 passed-tokens", "5 say passed-tokens L2D1", "4 say took 4")
    drawn = texts(position.draw_svg(3))
    assert "Seat 5 says it passed on 2 loyals and 1 driver" in drawn
    assert "Seat 4 says it took 4 diamonds, unasked" in drawn
    assert "“4 diamonds”" in drawn
    assert "Tokens at the start: 3 loyals, 1 FBI agent and 1" in drawn
    assert not any("L2" in line or "passed-" in line for line in drawn)


def test_a_long_talk_shows_its_last_events_and_how_many_came_before():
    position = inquiry(questions=40)
    for _ in range(40):
        position = play(position, "0 ask 3 took", "3 silent")
    drawn = texts(position.draw_svg(0, Look(width=360)))
    shown = sum("stays" in line or "silent" in line for line in drawn)
    heading = next(line for line in drawn if line.startswith("The talk"))
    earlier = 40 - sum(line.startswith("The Godfather asks seat 3") for line in drawn)
    assert shown > 0
    assert heading == f"The talk, after {earlier} earlier events"


def places_in(element: ElementTree.Element, x: float, y: float) -> Iterator[tuple[float, float]]:
    """Where the rectangles and texts of a picture are; groups are moved."""
    moved = re.match(r"translate\((\S+) (\S+)\)", element.get("transform", ""))
    if moved:
        x, y = x + float(moved[1]), y + float(moved[2])
    if element.tag.endswith(("}rect", "}text")):
        yield x + float(element.get("x", 0)), y + float(element.get("y", 0))
    for child in element:
        yield from places_in(child, x, y)


@pytest.mark.parametrize("width", [0, 360, 1200])
def test_parts_and_texts_stay_inside_the_picture(width: int):
    position = theft(start(seats=12, cleaner=True), *["1"] * 10, "cleaner")
    for viewer in (REFEREE, 0, 3):
        drawn = position.draw_svg(viewer, Look(width=width))
        box = re.search(r'viewBox="0 0 (\d+) (\d+)"', drawn)
        assert box is not None
        right, bottom = map(int, box.groups())
        assert right == (440 if width == 360 else 864)
        places = list(places_in(ElementTree.fromstring(drawn), 0, 0))
        assert len(places) > 50
        for x, y in places:
            assert 0 <= x < right
            assert 0 <= y < bottom


def test_any_seat_can_be_at_the_bottom():
    position = inquiry()

    def height(seat: int, look: Look) -> int:
        match = re.search(
            rf'data-part="seat-{seat}"[^>]* transform="translate\(\d+ (\d+)\)"',
            position.draw_svg(3, look),
        )
        assert match is not None
        return int(match[1])

    assert height(0, Look()) == min(height(seat, Look()) for seat in range(8))
    turned = Look(bottom=3)
    assert height(3, turned) == max(height(seat, turned) for seat in range(8))


@pytest.mark.parametrize("palette", [LIGHT, DARK, CONTRAST])
def test_marks_do_not_change_the_parts(palette: Palette):
    position = inquiry()
    plain = position.draw_svg(0, Look(palette=palette))
    marked = position.draw_svg(0, Look(palette=palette, starts=("seat-3",), last=("box",)))
    parts = re.compile(r'data-part="([^"]+)"')
    assert parts.findall(marked) == parts.findall(plain)
    assert marked.count('pointer-events="none"') == 2
    assert 'pointer-events="none"' not in plain


# ---- French --------------------------------------------------------------------------------------


def test_words_and_reasons_in_french():
    position = inquiry()
    asked = GAME.read_move("ask 4 took")
    told = position.words(0, FRENCH)[position.moves(0).index(asked)]
    assert told == "Le Parrain demande à la place 4 ce qu’elle a pris"
    said = GAME.read_move("say passed-tokens L2F1D1")
    told = position.words(3, FRENCH)[position.moves(3).index(said)]
    assert told == "La place 3 dit avoir passé 2 Fidèles, 1 Agent du FBI et 1 Chauffeur"
    nothing = GAME.read_move("say received-diamonds 0")
    told = position.words(3, FRENCH)[position.moves(3).index(nothing)]
    assert told == "La place 3 dit n’avoir reçu aucun diamant"
    accuse = GAME.read_move("accuse 1")
    after = position.apply(0, accuse)
    assert position.story(after, 0, accuse, 5, FRENCH) == (
        "Le Parrain accuse la place 1. La place 1 rend 4 diamants et est éliminée."
    )
    refused = after.reason(0, accuse, FRENCH)
    assert refused == "La place 1 est éliminée"


def test_no_text_is_missing_in_french():
    # It fails at the first text that is missing.
    (french,) = [each for each in LANGUAGES if isinstance(each, Translated)]
    positions = [
        start(),
        play(start(cleaner=True), "0 hide 2"),
        theft(start(tokens={}), "15", pouch="none"),
        theft(start(seats=12, cleaner=True), "4"),
        inquiry(),
        inquiry(statements=0),
        play(inquiry(), "0 ask 3 took"),
        play(inquiry(), "0 ask 3 took", "3 say took 4", "5 say took 3", "5 say took 2"),
        play(inquiry(), "0 ask 3 took", "3 silent", "0 accuse 1", "0 accuse 2"),
        play(inquiry(), "0 accuse 3"),
        play(accused(1), "2 bang", "5 hold"),
        *[reactions(accused(seat), seat2="bang") for seat in (1, 3, 6, 7)],
        *[reactions(accused(seat, jokers=0)) for seat in (2, 7)],
        reactions(accused(7)),
    ]
    for position in positions:
        for viewer in range(REFEREE, position.seats):
            position.draw_text(viewer, french)
            position.draw_svg(viewer, Look(language=french))
        for seat in position.actors:
            position.words(seat, french)
            legal = set(position.moves(seat))
            for move in set(range(GAME.num_actions)) - legal:
                position.reason(seat, move, french)
            for move in legal:
                after = position.apply(seat, move)
                for viewer in (REFEREE, 0, 1, 5):
                    position.story(after, seat, move, viewer, french)
    for option in GAME.options.properties.values():
        french.gettext(option["description"])
