"""Free text is read as the move that it says, as candidates, or not at all."""

from __future__ import annotations

import json
import random
from collections import Counter

import pytest
from tablier_core.errors import GameOver, InvalidField, WrongSeat
from tablier_core.interpretation.reader import MAX_LENGTH, Interpretation, Outcome, Reader
from tablier_core.languages import IN_ENGLISH, Language, catalogue
from tablier_core.position import Position
from tablier_core.registry import GAMES

from tests.core.laws import interpret
from tests.core.sloppy import sloppy_inputs
from tests.core.variants import ALL_GAMES, VARIANTS

INPUTS = 2000
FRENCH = catalogue("fr")


def at_start(name: str, seed: int = 1, **options: object) -> Position:
    return ALL_GAMES[name].start(options, seed)


def read(position: Position, text: str, language: Language = IN_ENGLISH) -> tuple[str, list[str]]:
    """The outcome of a text for the first seat to move, and the notations that it names."""
    seat = position.actors[0]
    understood = interpret(position, seat, text, language)
    return understood.outcome.value, [position.game.write_move(move) for move in understood.moves]


def reason(position: Position, text: str, language: Language = IN_ENGLISH) -> str:
    return interpret(position, position.actors[0], text, language).reason


CONTIGO = at_start("contigo-alignment", seed=2)
FIRST, SECOND = CONTIGO.notations(0)[:2]
ORIGIN, TARGET = FIRST.split("-")


@pytest.mark.parametrize("name", GAMES)
def test_reads_sloppy_inputs(name: str):
    """Less than 1% is unreadable, and nothing is read as another move."""
    outcomes: Counter[Outcome] = Counter()
    for meant, text in sloppy_inputs(GAMES[name], VARIANTS[name], INPUTS, seed=15):
        understood = interpret(meant.position, meant.seat, text)
        outcomes[understood.outcome] += 1
        if understood.outcome is not Outcome.NONE:
            assert meant.move in understood.moves, (text, meant.notation)
        if understood.outcome in (Outcome.EXACT, Outcome.NORMALISED):
            assert understood.moves == (meant.move,), (text, meant.notation)
    assert outcomes[Outcome.NONE] < INPUTS // 100
    # Where notations are numbers, as in the template, a number can also be one of the list.
    assert outcomes[Outcome.AMBIGUOUS] < INPUTS // 10


def test_only_the_notation_itself_is_exact():
    assert read(CONTIGO, FIRST) == ("exact", [FIRST])
    for text in (FIRST.upper(), f" {FIRST}", f"{FIRST}."):
        assert read(CONTIGO, text) == ("normalised", [FIRST])


@pytest.mark.parametrize(
    "text",
    [
        f"{ORIGIN} to {TARGET}",
        f"{ORIGIN}\N{EN DASH}{TARGET}",
        f"{ORIGIN}{TARGET}",
        f"I move my pawn from {ORIGIN} to {TARGET}",
        f"je d\N{LATIN SMALL LETTER E WITH ACUTE}place un pion de {ORIGIN} en {TARGET}",
        f'{{"move": "{FIRST}"}}',
        f'{{"seat": 0, "notation": "{FIRST}"}}',
        f"{{'move': '{FIRST}', 'why': ['it', {{'is': 'good'}}]}}",
        f'Here you are:\n```json\n{{"moves": ["{FIRST}"],}}\n```',
        f'{{"action": {CONTIGO.moves(0)[0]}}}',
        "option 1",
        "#1",
        "1",
        f"3. {FIRST}",
        f"{FIRST}: {CONTIGO.words(0)[0]}",
        f"{FIRST}\n{FIRST}",
    ],
)
def test_reads_other_forms(text: str):
    assert read(CONTIGO, text) == ("normalised", [FIRST])


@pytest.mark.parametrize(
    "text",
    [
        f"{FIRST} or {SECOND}",
        f"not {FIRST} but {SECOND}",
        f'["{FIRST}", "{SECOND}"]',
        f'{{"notation": "{FIRST}", "action": {CONTIGO.moves(0)[1]}}}',
        f'{{"move": "{FIRST}"}} or maybe {SECOND}',
        f"Move 1: {FIRST}, move 2: {SECOND}",
    ],
)
def test_does_not_choose_between_moves(text: str):
    outcome, moves = read(CONTIGO, text)
    assert outcome == "ambiguous"
    assert {FIRST, SECOND} <= set(moves)


@pytest.mark.parametrize(
    "text",
    [f"anything but {FIRST}", f"do not play {FIRST}", f"is {FIRST} legal?", f"ne joue pas {FIRST}"],
)
def test_does_not_play_what_a_text_merely_mentions(text: str):
    assert read(CONTIGO, text) == ("ambiguous", [FIRST])


def test_a_number_can_be_in_the_list_or_in_the_move():
    bids = at_start("contrat500")
    assert read(bids, "5") == ("ambiguous", ["bid 5", "bid 7"])
    assert read(bids, "number 5") == ("normalised", ["bid 7"])
    assert read(bids, "bid 5") == ("exact", ["bid 5"])
    assert read(bids, "999")[0] == "none"


def test_an_illegal_notation_is_never_replaced():
    """Not even if only one move is legal, or a letter away."""
    illegal = next(
        f"a{row}-a{target}"
        for row in range(1, 7)
        for target in range(1, 7)
        if row != target and f"a{row}-a{target}" not in CONTIGO.notations(0)
    )
    action = CONTIGO.game.read_move(illegal)
    for text in (illegal, illegal.upper(), illegal.replace("-", " to "), f"My move: {illegal}"):
        for language in (IN_ENGLISH, FRENCH):
            assert read(CONTIGO, text, language)[0] == "none"
            assert reason(CONTIGO, text, language) == CONTIGO.reason(0, action, language)
    for answer in ({"move": illegal}, {"action": action}):
        assert read(CONTIGO, json.dumps(answer))[0] == "none"
        assert reason(CONTIGO, json.dumps(answer)) == CONTIGO.reason(0, action)


def test_a_move_without_its_capture_is_another_move():
    position = at_start("contigo-capture", layout="Rr..../....../..b.B./.g...y/.G..Y./......")
    chance = random.Random(1)
    while not any("x" in notation for notation in position.notations(position.actors[0])):
        seat = position.actors[0]
        position = position.apply(seat, chance.choice(position.moves(seat)))
    capture = next(each for each in position.notations(position.actors[0]) if "x" in each)
    origin, target = capture.split("x")
    assert read(position, f"{origin} takes {target}") == ("normalised", [capture])
    assert read(position, f"{origin}{target}") == ("normalised", [capture])
    assert read(position, f"{origin}-{target}")[0] == "none"
    assert read(position, f"{origin} to {target}")[0] == "none"


def test_the_order_of_squares_matters():
    """A text that goes backwards is not read as the move that goes forwards."""
    assert read(CONTIGO, f"move a pawn to {ORIGIN} from {TARGET}")[0] != "normalised"
    assert read(CONTIGO, f"{TARGET} to {ORIGIN}")[0] == "none"


def test_a_move_of_another_seat_is_not_the_seats_own():
    other = json.dumps({"seat": 1, "move": FIRST})
    assert read(CONTIGO, other)[0] == "none"
    assert reason(CONTIGO, other) == "The text is about another seat than seat 0"
    words = CONTIGO.words(0)[0]
    assert words.startswith("Red ")
    assert read(CONTIGO, words.replace("Red ", "Blue "))[0] == "ambiguous"


def test_a_sowing_needs_its_direction():
    position = CONTIGO.apply(0, CONTIGO.moves(0)[0])
    sowing = next(each for each in position.notations(0) if "." in each and "+" in each)
    assert read(position, sowing.replace(".", " ")) == ("normalised", [sowing])
    assert read(position, sowing.replace(".", "")) == ("normalised", [sowing])
    assert read(position, sowing.replace("+", " "))[0] != "normalised"


def test_unreadable_texts_have_the_nearest_moves():
    assert read(at_start("pig"), "rol") == ("none", ["roll"])
    assert FIRST in read(CONTIGO, f"{ORIGIN} somewhere {TARGET}")[1]


def after(position: Position, *notations: str) -> Position:
    for notation in notations:
        position = position.apply(position.actors[0], position.game.read_move(notation))
    return position


CONTRACT = at_start("contract", seed=7)
PIECES = after(CONTRACT, "on 2", "token", "contract")
ACTION = after(PIECES, "done")
BIDS = at_start("contrat500")
MAFIA = after(at_start("mafia-de-cuba"), "hide 0", "pouch none")


@pytest.mark.parametrize(
    "text",
    [
        *("on 3", "On 3", "ON 3", "on 3 please", "I play on 3", "my move: on 3", "on the 3"),
        *("1. on 3", "on: 3", "on_3", "on #3", "on number 3", "Je joue \u00ab on 3 \u00bb !"),
        *('{"move": "I play on 3"}', '["on 3, please"]'),
    ],
)
def test_a_notation_that_begins_with_a_common_word_is_not_a_list_number(text: str):
    """Not even where the third move of the list is legal, and the only one with a 3."""
    for language in (IN_ENGLISH, FRENCH):
        assert read(PIECES, text, language)[0] == "none"
        assert reason(PIECES, text, language) == PIECES.reason(0, 2, language)


@pytest.mark.parametrize("text", ["on 3. done", "done (on 3.)", "my move is on 3. I'm done"])
def test_an_illegal_notation_next_to_a_legal_one_is_content(text: str):
    assert read(PIECES, text) == ("ambiguous", ["done"])


@pytest.mark.parametrize(
    "way", ["{}x{}", "{} x {}", "{}*{}", "{} * {}", "{}\N{MULTIPLICATION SIGN}{}", "{} takes {}"]
)
def test_a_capture_that_is_none_is_not_read_as_a_move(way: str):
    text = way.format(ORIGIN, TARGET)
    assert read(CONTIGO, f"(1) {FIRST.replace('-', ' - ')} .") == ("normalised", [FIRST])
    assert read(CONTIGO, text)[0] == "none"


@pytest.mark.parametrize(
    ("position", "text", "notation"),
    [
        (CONTRACT, "influence 2", "on 2"),
        (CONTRACT, "influence 3", "on 3"),
        (CONTRACT, "influencer le Mafieux 3", "on 3"),
        (ACTION, "influence 2", "on 2"),
        (ACTION, "j'influence le Mafieux 2", "on 2"),
        (ACTION, "I influence Mafioso 2", "on 2"),
        (ACTION, "move Copper to Mafioso 3", "copper-to 3"),
        (ACTION, "passer", "pass"),
        (ACTION, "I pass my turn", "pass"),
        (after(CONTRACT, "on 2"), "tokens", "token"),
        (after(CONTRACT, "on 2"), "un jeton", "token"),
        (PIECES, "I'm done", "done"),
        (PIECES, "je termine mon tour", "done"),
        (BIDS, "bid seven", "bid 7"),
        (BIDS, "je mise 7", "bid 7"),
        (BIDS, "je mise sur le contrat sept", "bid 7"),
        (MAFIA, "je prends 3 diamants", "take 3"),
        (MAFIA, "I take 3 diamonds", "take 3"),
    ],
)
def test_a_sentence_can_be_short(position: Position, text: str, notation: str):
    assert read(position, text) == ("normalised", [notation])


def test_what_a_sentence_cannot_leave_out_is_not_guessed():
    """Face up, the contract would be another move; and two pawns can go."""
    assert "down rodrigos" in PIECES.notations(0)
    assert read(PIECES, "I place a Rodrigos contract")[0] != "normalised"
    assert read(ACTION, "I influence Mafioso 2 (Brakova 5)")[0] != "normalised"
    assert read(ACTION, "d\u00e9placer Copper")[0] == "ambiguous"


@pytest.mark.parametrize(
    ("position", "text", "notation"),
    [
        (CONTRACT, "the Mafioso 3", "on 3"),
        (ACTION, "maybe influence 2", "on 2"),
        (ACTION, "maybe j'influence le Mafieux 2", "on 2"),
        (BIDS, "perhaps bid seven", "bid 7"),
    ],
)
def test_words_that_are_in_no_notation_have_the_nearest_moves(
    position: Position, text: str, notation: str
):
    outcome, moves = read(position, text)
    assert (outcome, moves[0]) == ("none", notation)


def test_numbers_and_words_name_the_moves_that_are_meant():
    assert read(ACTION, "Mafioso 3")[1][:3] == ["copper-to 3", "vicelard-to 3", "on 3"]
    # The fourth Mafioso is a Blackmat 4, the fifth a Brakova.
    outcome, moves = read(ACTION, "influence brakova 4")
    assert (outcome, set(moves[:2])) == ("none", {"on 4", "on 5"})


def test_words_of_no_move_have_no_nearest_ones():
    assert read(at_start("contract", seed=7), "!?") == ("none", [])


@pytest.mark.parametrize(
    "text",
    [
        "\0\x1b[31m\x7f",
        "\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM}" * MAX_LENGTH,
        "[" * MAX_LENGTH,
        '{"move":' * 200,
        '[a "' * 500,
        "9" * MAX_LENGTH,
        f'{{"action": {"9" * 1000}}}',
        '{"seat": null, "action": true}',
        '{"move": {"move": {"move": []}}}',
        "a6-" * 600,
        "\\" * MAX_LENGTH,
        "\\ud800",
        "\ud800",
        "\N{SUPERSCRIPT TWO}\N{VULGAR FRACTION ONE HALF}\N{KHAROSHTHI DIGIT ONE}",
        "e\N{COMBINING ACUTE ACCENT}" * 1000,
    ],
)
@pytest.mark.parametrize("name", ALL_GAMES)
def test_survives_hostile_texts(name: str, text: str):
    position = at_start(name)
    assert isinstance(interpret(position, position.actors[0], text), Interpretation)


def test_random_texts_never_fail():
    chance = random.Random(4)
    pieces = [
        '{"',
        '"}',
        "[",
        "]",
        "move",
        ":",
        "'",
        "\\u",
        "\\",
        FIRST,
        "1",
        ".",
        "seat",
        " or ",
        "\n",
    ]
    for _ in range(3000):
        interpret(CONTIGO, 0, "".join(chance.choices(pieces, k=chance.randint(1, 40))) + "?")


def test_refuses_texts_that_are_empty_or_too_long():
    for text in ("", " \n", "a" * (MAX_LENGTH + 1)):
        with pytest.raises(InvalidField) as failure:
            interpret(CONTIGO, 0, text)
        assert failure.value.field == "text"


def test_reads_only_for_seats_that_can_move():
    with pytest.raises(WrongSeat):
        Reader(CONTIGO, 1)
    position = at_start("tic-tac-toe")
    while not position.over:
        position = position.apply(position.actors[0], position.moves(position.actors[0])[0])
    with pytest.raises(GameOver):
        Reader(position, 0)


def test_reading_pauses_often():
    """A position with thousands of sowings is read in many small parts."""
    position = ALL_GAMES["contigo-capture"].start({}, 0)
    chance = random.Random(0)
    while position.count_moves(position.actors[0]) < 1000:
        seat = position.actors[0]
        position = position.apply(seat, chance.choice(position.moves(seat)))
    seat = position.actors[0]
    work = Reader(position, seat).read("something that is no move at all")
    assert sum(1 for _ in work) > position.count_moves(seat) // 64
