"""Rules of Mafia de Cuba: setup, theft, talk and notation."""

from __future__ import annotations

import pytest
from tablier_core.errors import MoveIllegal, MoveUnparsable, OptionError, WrongSeat

from tests.core.games.mafia_de_cuba_positions import (
    GAME,
    ROUND,
    notations,
    play,
    start,
    theft,
    winners,
)

# ---- Setup ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seats", "tokens", "jokers"),
    [
        (5, {"loyal": 1, "fbi": 1}, 0),
        (6, {"loyal": 1, "fbi": 1, "driver": 1}, 0),
        (7, {"loyal": 2, "fbi": 1, "driver": 1}, 0),
        (8, {"loyal": 3, "fbi": 1, "driver": 1}, 1),
        (9, {"loyal": 4, "fbi": 1, "driver": 1}, 1),
        (10, {"loyal": 4, "fbi": 1, "cia": 1, "driver": 1}, 1),
        (11, {"loyal": 4, "fbi": 1, "cia": 1, "driver": 2}, 2),
        (12, {"loyal": 5, "fbi": 1, "cia": 1, "driver": 2}, 2),
    ],
)
def test_standard_tokens_and_jokers_depend_on_the_seats(
    seats: int, tokens: dict[str, int], jokers: int
):
    none = {"loyal": 0, "fbi": 0, "cia": 0, "driver": 0, "cleaner": 0}
    view = start(seats=seats).observe()
    assert view.tokens == none | tokens
    assert (view.jokers, view.questions, view.statements) == (jokers, 4 * seats, 2)
    with_cleaner = start(seats=seats, cleaner=True).observe().tokens
    assert with_cleaner == none | tokens | {"loyal": tokens["loyal"] - 1, "cleaner": 1}


def test_default_options():
    assert start().seats == 8
    assert start() == GAME.start({}, 99)
    assert start() == start(jokers="table", questions="table")


def test_tokens_replace_the_standard_set():
    given = start(seats=9, tokens={"cia": 1, "driver": 2}).observe().tokens
    assert given == {"loyal": 0, "fbi": 0, "cia": 1, "driver": 2, "cleaner": 0}
    assert not any(start(tokens={}).observe().tokens.values())


def test_the_cleaner_replaces_a_loyal_unless_the_tokens_include_one():
    turned = start(tokens={"loyal": 5}, cleaner=True).observe().tokens
    assert (turned["loyal"], turned["cleaner"]) == (4, 1)
    listed = start(tokens={"loyal": 2, "cleaner": 1}, cleaner=True).observe().tokens
    assert (listed["loyal"], listed["cleaner"]) == (2, 1)
    without_loyal = start(tokens={"cleaner": 1}, cleaner=True).observe().tokens
    assert without_loyal["cleaner"] == 1


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"seats": 4}, "seats"),
        ({"seats": 13}, "seats"),
        ({"seats": "8"}, "seats"),
        ({"cleaner": 1}, "cleaner"),
        ({"cleaner": True, "tokens": {"fbi": 1}}, "cleaner"),
        ({"cleaner": True, "tokens": {}}, "cleaner"),
        ({"jokers": 3}, "jokers"),
        ({"jokers": -1}, "jokers"),
        ({"jokers": True}, "jokers"),
        ({"questions": 97}, "questions"),
        ({"questions": -1}, "questions"),
        ({"statements": 9}, "statements"),
        ({"statements": None}, "statements"),
        ({"tokens": {"loyal": 6}}, "tokens.loyal"),
        ({"tokens": {"fbi": 2}}, "tokens.fbi"),
        ({"tokens": {"cia": 2}}, "tokens.cia"),
        ({"tokens": {"driver": 3}}, "tokens.driver"),
        ({"tokens": {"cleaner": 2}}, "tokens.cleaner"),
        ({"tokens": {"loyal": -1}}, "tokens.loyal"),
        ({"tokens": {"loyal": True}}, "tokens.loyal"),
        ({"tokens": {"loyal": 1.5}}, "tokens.loyal"),
        ({"tokens": {"agent": 1}}, "tokens.agent"),
        ({"tokens": ["loyal"]}, "tokens"),
        ({"tokens": "loyal"}, "tokens"),
        ({"players": 8}, "players"),
    ],
    ids=str,
)
def test_invalid_options_are_reported_by_name(options: dict[str, object], field: str):
    with pytest.raises(OptionError) as raised:
        GAME.start(options, 0)
    assert raised.value.field == field


# ---- Theft ---------------------------------------------------------------------------------------


def test_the_godfather_hides_up_to_five_diamonds():
    position = start()
    assert (position.phase, position.actors) == ("hide", [0])
    assert notations(position, 0) == [f"hide {count}" for count in range(6)]


def test_seat_1_may_put_any_token_of_the_box_in_the_pouch():
    position = play(start(seats=10, cleaner=True), "0 hide 2")
    assert (position.phase, position.actors) == ("pouch", [1])
    assert notations(position, 1) == [
        f"pouch {what}" for what in ("loyal", "fbi", "cia", "driver", "cleaner", "none")
    ]
    assert notations(play(start(tokens={}), "0 hide 2"), 1) == ["pouch none"]


def test_hidden_diamonds_and_the_pouched_token_leave_the_box():
    position = theft(start(), hide=5, pouch="fbi")
    takes = [f"take {count}" for count in range(1, 11)]
    assert notations(position, 1) == [*takes, "take loyal", "take driver"]


def test_seats_take_in_order_and_each_take_leaves_the_box():
    position = theft(start(), "6", "fbi")
    assert (position.phase, position.actors) == ("take", [3])
    assert notations(position, 3) == [
        *(f"take {count}" for count in range(1, 10)),
        "take loyal",
        "take driver",
    ]


def test_only_the_last_seat_may_leave_a_box_that_is_not_empty():
    position = theft(start(seats=5), "15", "loyal", "fbi")
    assert notations(position, 4) == ["take nothing"]
    position = theft(start(seats=5), "14", "loyal", "fbi")
    assert notations(position, 4) == ["take nothing", "take 1"]
    position = theft(start(seats=6), "15", "loyal", "fbi")
    assert notations(position, 4) == ["take driver"]


def test_seats_that_receive_an_empty_box_still_take_a_turn():
    position = theft(start(seats=8, tokens={}), "15", "nothing", "nothing")
    assert (position.actors, notations(position, 4)) == ([4], ["take nothing"])


def test_the_last_seat_may_take_nothing_or_anything():
    position = theft(start(seats=5), "1", "1", "1")
    assert notations(position, 4)[0] == "take nothing"
    assert "take 12" in notations(position, 4)
    with pytest.raises(MoveIllegal):
        play(theft(start(seats=5), "1", "1"), "3 take nothing")


# ---- Inquiry -------------------------------------------------------------------------------------


def test_the_godfather_wins_at_once_if_nobody_took_diamonds():
    position = theft(start(seats=5), "loyal", "fbi", hide=0)
    position = play(position, "3 take 15", "4 take nothing")
    assert position.phase == "inquiry"
    table = start(seats=7, tokens={"loyal": 5, "driver": 1})
    position = theft(table, "loyal", "driver", "loyal", "loyal", "loyal", "nothing")
    assert position.phase == "over"
    assert winners(position) == [0, 1, 2, 3, 4, 5]


def test_the_godfather_asks_or_accuses_while_others_may_speak():
    position = theft(start(), *ROUND)
    assert (position.phase, position.actors) == ("inquiry", list(range(8)))
    moves = notations(position, 0)
    assert len(moves) == 7 * 5 + 7
    assert moves[:6] == [
        "ask 1 received-diamonds",
        "ask 1 received-tokens",
        "ask 1 passed-diamonds",
        "ask 1 passed-tokens",
        "ask 1 took",
        "ask 2 received-diamonds",
    ]
    assert moves[-2:] == ["accuse 6", "accuse 7"]


def test_only_the_asked_seat_answers_and_it_may_stay_silent():
    position = play(theft(start(), *ROUND), "0 ask 5 took")
    assert (position.phase, position.actors) == ("answer", [5])
    assert notations(position, 5) == [
        "say took nothing",
        *(f"say took {count}" for count in range(1, 16)),
        "say took loyal",
        "say took fbi",
        "say took driver",
        "silent",
    ]
    with pytest.raises(WrongSeat):
        play(position, "4 say took 1")
    for reply in ("silent", "say took nothing"):
        after = play(position, f"5 {reply}")
        assert (after.phase, after.actors) == ("inquiry", list(range(8)))


@pytest.mark.parametrize("word", ["received", "passed"])
def test_answers_are_limited_to_what_the_game_contains(word: str):
    inquiry = theft(start(seats=6, cleaner=True), "4", "3", "driver", "fbi", "1")
    diamonds = play(inquiry, f"0 ask 2 {word}-diamonds")
    counts = [f"say {word}-diamonds {count}" for count in range(16)]
    assert notations(diamonds, 2) == [*counts, "silent"]
    tokens = play(inquiry, f"0 ask 2 {word}-tokens")
    sets = ["-", "N1", "D1", "D1N1", "F1", "F1N1", "F1D1", "F1D1N1"]
    assert notations(tokens, 2) == [*(f"say {word}-tokens {chosen}" for chosen in sets), "silent"]


def test_an_unasked_statement_may_be_any_claim_and_costs_no_turn():
    position = theft(start(), *ROUND)
    forms = notations(position, 3)
    assert len(forms) == 2 * 16 + 2 * 4 * 2 * 2 + 1 + 15 + 3
    assert "silent" not in forms
    after = play(position, "3 say took driver")
    assert after.phase == "inquiry"
    assert after.actors == position.actors
    assert notations(after, 0) == notations(position, 0)


def test_each_seat_has_a_limited_number_of_statements():
    position = play(theft(start(), *ROUND), "3 say took 1", "3 say passed-diamonds 0")
    assert 3 not in position.actors
    assert play(position, "0 ask 3 took", "3 say took 2").actors == position.actors
    assert theft(start(statements=0), *ROUND).actors == [0]


def test_the_godfather_can_only_accuse_without_questions_left():
    position = theft(start(questions=1, statements=0), *ROUND)
    position = play(position, "0 ask 3 took", "3 silent")
    assert notations(position, 0) == [f"accuse {seat}" for seat in range(1, 8)]
    none = theft(start(questions=0), *ROUND)
    assert notations(none, 0) == [f"accuse {seat}" for seat in range(1, 8)]


def test_the_longest_possible_inquiry_fits_in_a_state():
    takes = ["1"] * 10 + ["5"]
    position = theft(start(seats=12, questions=96, statements=8, jokers=2), *takes)
    for number in range(96):
        seat = number % 11 + 1
        position = play(position, f"0 ask {seat} passed-tokens", f"{seat} silent")
    for seat in range(1, 12):
        position = play(position, *[f"{seat} say took 15"] * 8)
    for seat in range(1, 12):
        position = play(position, f"0 accuse {seat}")
    assert position.over
    assert len(position.observe().events) == 96 + 88 + 11
    assert len(position.pack()) <= 2048
    assert GAME.unpack(position.pack(), position.ply) == position


# ---- Notation ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "hide 6", "hide 03", "hide", "hide  3", "pouch", "pouch nothing", "pouch loyals", "take 0",
        "take 16", "take 04", "take none", "take loyal ", "ask 0 took", "ask 12 took", "ask 5",
        "ask 05 took", "ask 5 took 4", "accuse 0", "accuse 12", "say", "say took", "say took 0",
        "say took 16", "say received-diamonds 16", "say received-diamonds -",
        "say received-tokens", "say received-tokens L0", "say received-tokens L6",
        "say received-tokens F1L2", "say received-tokens F2", "say passed-tokens L", "Silent",
        "silent ", "hold on", "BANG", "", " ",
    ],
)  # fmt: skip
def test_rejects_text_that_spells_no_move(text: str):
    with pytest.raises(MoveUnparsable):
        GAME.read_move(text)


def test_every_action_has_exactly_one_spelling():
    texts = [GAME.write_move(action) for action in range(GAME.num_actions)]
    assert len(set(texts)) == GAME.num_actions
    assert [GAME.read_move(text) for text in texts] == list(range(GAME.num_actions))


def test_a_claim_outside_the_setup_parses_but_is_illegal():
    position = theft(start(), *ROUND)
    for claim in ("say took cleaner", "say took cia", "say passed-tokens L4", "say took 16"):
        with pytest.raises(MoveUnparsable if claim.endswith("16") else MoveIllegal):
            play(position, f"3 {claim}")
