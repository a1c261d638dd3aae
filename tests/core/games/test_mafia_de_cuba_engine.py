"""The engine of Mafia de Cuba: its decisions and its strength."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from statistics import fmean

import pytest
from tablier_core.advice import Cancel, Report, advise
from tablier_core.games.mafia_de_cuba.engine.inference import suspect
from tablier_core.games.mafia_de_cuba.observe import View
from tablier_core.position import Position

from campaigns.players.mafia_de_cuba import (
    Player,
    accuser,
    babbling_thief,
    engine,
    letters,
    speak,
    thief,
    truthful,
)
from tests.core.games.mafia_de_cuba_positions import GAME, ROUND, play, start, theft


def think(position: Position, seat: int, seed: int = 1, iterations: int = 12) -> Report:
    return advise(position, seat, iterations=iterations, seed=seed)


def best(position: Position, seat: int, seed: int = 1) -> str:
    return GAME.write_move(think(position, seat, seed).suggestions[0].action)


def weights(position: Position, seat: int) -> dict[str, float]:
    return {
        GAME.write_move(found.action): found.weight for found in think(position, seat).suggestions
    }


def finish(position: Position, players: list[Player], seed: int) -> Iterator[tuple[int, Position]]:
    """Play to the end; yield the mover and the position after each move."""
    rng = random.Random(seed)
    while actors := position.actors:
        seat = rng.choice(actors)
        move = players[seat](position.view_of(seat), seat, rng)
        position = position.apply(seat, move)
        yield seat, position


def wins(players: list[Player], seat: int, games: int, **options: object) -> int:
    """Count the games that a seat wins."""
    won = 0
    for number in range(games):
        *_, (_, end) = finish(start(seats=len(players), **options), players, number)
        won += end.returns[seat] > 0
    return won


def thief_chance(position: Position, seat: int) -> float:
    """The chance that a seat is a thief, as the Godfather sees it."""
    chances = suspect(position.pack(), 0)[seat - 1]
    return sum(chance for take, chance in chances.items() if take.isdigit())


def after_truth(position: Position, *seats: int) -> Position:
    """Play on until these seats have answered all five questions truthfully."""
    view: View = position.observe()
    boxes = [*(seat.received for seat in view.seats[1:]), view.seats[0].received]
    for seat in seats:
        received, passed = boxes[seat - 1], boxes[seat]
        assert received is not None
        assert passed is not None
        answers = {
            "received-diamonds": received.diamonds,
            "received-tokens": letters(received.tokens),
            "passed-diamonds": passed.diamonds,
            "passed-tokens": letters(passed.tokens),
            "took": view.seats[seat].take,
        }
        for question, answer in answers.items():
            position = play(position, f"0 ask {seat} {question}", f"{seat} say {question} {answer}")
    return position


# ---- The Godfather -------------------------------------------------------------------------------

THEFT = theft(start(questions=96), *ROUND)
QUIET = theft(start(questions=96, statements=0), *ROUND)


def test_a_certain_thief_is_accused_before_further_questions():
    suspected = after_truth(QUIET, 2, 3)
    assert 0.5 < thief_chance(suspected, 1) < 0.99
    assert best(suspected, 0).startswith("ask")
    caught = play(
        suspected,
        "0 ask 1 passed-diamonds",
        "1 say passed-diamonds 15",
        "0 ask 1 passed-diamonds",
        "1 say passed-diamonds 14",
    )
    assert thief_chance(caught, 1) > 0.99
    # Seat 5 has not been found yet, and most of the others have said nothing.
    assert max(weight for move, weight in weights(caught, 0).items() if move[:3] == "ask") > 0.5
    assert best(caught, 0) == "accuse 1"


def test_seats_cleared_by_all_testimony_are_accused_last():
    position = after_truth(QUIET, 2, 3, 4, 6, 7)
    # Seats 1 and 5, the thieves, each contradict the next seat.
    position = play(position, "0 ask 1 passed-diamonds", "1 say passed-diamonds 15")
    position = play(position, "0 ask 5 passed-diamonds", "5 say passed-diamonds 11")
    position = play(
        position, "0 ask 1 took", "1 say took loyal", "0 ask 5 took", "5 say took driver"
    )
    found = weights(position, 0)
    for cleared in (3, 4, 7):
        assert thief_chance(position, cleared) < 0.05
        for guilty in (1, 5):
            assert found[f"accuse {cleared}"] < found[f"accuse {guilty}"]


def test_the_likeliest_thief_is_accused_without_questions_left():
    position = play(
        theft(start(questions=2), *ROUND),
        "0 ask 4 took", "4 say took driver", "0 ask 5 took", "5 silent",
    )  # fmt: skip
    assert position.observe().questions_left == 0
    likeliest = max(range(1, 8), key=lambda seat: thief_chance(position, seat))
    assert best(position, 0) == f"accuse {likeliest}"


@pytest.mark.parametrize("jokers", [0, 1])
def test_jokers_make_accusations_of_likely_agents_less_attractive(jokers: int):
    """Accusations are ordered by the chance of a thief; with a joker, agents count against it."""
    position = theft(start(jokers=jokers), *ROUND)
    position = play(position, "3 say took fbi", "6 say took driver", "4 say took driver")
    chances = suspect(position.pack(), 0)
    found = weights(position, 0)

    def worth(seat: int) -> float:
        guilty = thief_chance(position, seat)
        innocent = 1 - guilty - chances[seat - 1].get("fbi", 0.0)
        return guilty * (1 + innocent) if jokers else guilty

    by_worth = sorted(range(1, 8), key=worth)
    assert by_worth == sorted(range(1, 8), key=lambda seat: found[f"accuse {seat}"])
    assert (by_worth == sorted(range(1, 8), key=lambda seat: thief_chance(position, seat))) == (
        not jokers
    )


@pytest.mark.parametrize("silent", [False, True])
def test_the_godfather_never_asks_the_same_question_twice(silent: bool):
    asked = set()
    position = QUIET
    while best(position, 0).startswith("ask"):
        question = best(position, 0)
        assert question not in asked
        asked.add(question)
        position = play(position, f"0 {question}")
        seat = position.actors[0]
        answer = GAME.read_move("silent") if silent else speak(position, seat, random.Random(0))
        position = position.apply(seat, answer)
    assert len(asked) > 10


def test_the_godfather_prefers_questions_about_boxes_he_has_not_seen():
    # He knows the box that he sent out, and the one that came back.
    found = weights(QUIET, 0)
    assert found["ask 1 received-diamonds"] < found["ask 1 passed-diamonds"]
    assert found["ask 7 passed-diamonds"] < found["ask 7 received-diamonds"]


def test_the_godfathers_advice_does_not_depend_on_the_seed():
    """The seed draws the world that the engine receives; it must not read secrets from it."""
    for position in (QUIET, after_truth(QUIET, 2, 3), THEFT):
        reports = [think(position, 0, seed).suggestions for seed in range(6)]
        assert all(suggestions == reports[0] for suggestions in reports)


# ---- Stories -------------------------------------------------------------------------------------


def claims_of(view: View, seat: int) -> dict[str, object]:
    """The claims of a seat by question; fails if it contradicts itself."""
    said: dict[str, object] = {}
    for event in view.events:
        if event.seat == seat and event.question and event.claim is not None:
            assert said.setdefault(event.question, event.claim) == event.claim
    return said


def check_coherent(view: View, seat: int) -> None:
    said = claims_of(view, seat)
    if len(said) < 5:
        return
    received, passed, took = said["received-tokens"], said["passed-tokens"], said["took"]
    assert isinstance(received, Mapping)
    assert isinstance(passed, Mapping)
    diamonds = int(took) if isinstance(took, str) and took.isdigit() else 0
    assert said["received-diamonds"] - diamonds == said["passed-diamonds"]  # type: ignore[operator]
    gone = [kind for kind in received for _ in range(received[kind] - passed[kind])]
    # Seat 1 may have put another token in the pouch.
    if took in received:
        gone.remove(took)
    assert len(gone) <= (seat == 1)


@pytest.mark.parametrize("options", [{"seats": 6}, {"seats": 7, "cleaner": True}], ids=str)
def test_every_seat_keeps_to_one_coherent_story(options: dict[str, object]):
    complete = lies = 0
    for game in range(4):
        players: list[Player] = [engine] * int(str(options["seats"]))
        *_, (_, end) = finish(start(statements=5, **options), players, game)
        view: View = end.observe()
        for seat in range(1, len(players)):
            check_coherent(view, seat)
            said = claims_of(view, seat)
            complete += len(said) == 5
            lies += said.get("took", view.seats[seat].take) != view.seats[seat].take
            if view.seats[seat].take in ("loyal", "cleaner"):
                assert said.get("took", view.seats[seat].take) == view.seats[seat].take
    assert complete > 5
    assert lies > 5


def test_a_thief_gives_an_answer_that_is_less_suspicious_than_the_truth():
    position = after_truth(QUIET, 2, 3, 4, 6, 7)
    asked = play(position, "0 ask 5 took")
    answers = {best(asked, 5, seed) for seed in range(8)}
    confession = play(asked, "5 say took 3")
    for answer in answers:
        assert not answer[-1].isdigit()
        assert thief_chance(play(asked, f"5 {answer}"), 5) < thief_chance(confession, 5)


def tell_all(
    position: Position, seat: int, story: dict[str, str] | None = None, seed: int = 1
) -> Position:
    """Ask a seat all questions; it answers with a story, or as the engine suggests."""
    for question in (
        "took",
        "passed-diamonds",
        "received-tokens",
        "received-diamonds",
        "passed-tokens",
    ):
        asked = play(position, f"0 ask {seat} {question}")
        answer = f"say {question} {story[question]}" if story else best(asked, seat, seed)
        position = play(asked, f"{seat} {answer}")
    return position


def test_a_thief_tells_the_least_suspicious_story():
    # Seat 5 received 11 diamonds and two loyals, and took 3 diamonds.
    position = after_truth(QUIET, 2, 3, 4, 6, 7)
    chosen = thief_chance(tell_all(position, 5), 5)
    plain = {
        "received-diamonds": "11", "received-tokens": "L2", "took": "loyal",
        "passed-diamonds": "11", "passed-tokens": "L1",
    }  # fmt: skip
    other = {
        "received-diamonds": "8", "received-tokens": "L3", "took": "loyal",
        "passed-diamonds": "8", "passed-tokens": "L2",
    }  # fmt: skip
    driver = other | {"received-tokens": "L2D1", "took": "driver"}
    believed = [thief_chance(tell_all(position, 5, story), 5) for story in (plain, other, driver)]
    assert chosen < min(believed) + 0.03
    assert chosen < max(believed) - 0.2


def test_a_thief_that_is_asked_first_anticipates_the_other_answers():
    innocents = [2, 3, 4, 6, 7]
    suspected = [
        thief_chance(after_truth(tell_all(QUIET, 5, seed=n), *innocents), 5) for n in range(8)
    ]
    # A story that ignores what the neighbours will say ends at 0.98.
    assert min(suspected) < 0.6
    assert fmean(suspected) < 0.9


@pytest.mark.parametrize(("take", "seat"), [("fbi", 4), ("nothing", 5)], ids=["agent", "kid"])
def test_agents_and_street_kids_want_to_be_accused(take: str, seat: int):
    takes = ["2", "loyal", "3", "fbi", "nothing"]
    assert takes[seat - 1] == take
    position = after_truth(theft(start(seats=6, statements=0), *takes), 1, 2)
    asked = play(position, f"0 ask {seat} took")
    lured = [
        thief_chance(play(asked, f"{seat} {best(asked, seat, seed)}"), seat) for seed in range(4)
    ]
    assert min(lured) > thief_chance(play(asked, f"{seat} say took {take}"), seat)


def test_loyals_tell_the_truth_even_if_a_thief_contradicted_them():
    position = after_truth(QUIET, 1, 3)
    assert best(play(position, "0 ask 2 took"), 2) == "say took loyal"
    position = play(position, "0 ask 2 received-diamonds")
    assert best(position, 2) == "say received-diamonds 11"


def test_the_driver_of_a_thief_covers_for_it():
    """Seat 4 drives seat 3, which took diamonds and claims that it passed them on."""
    position = theft(start(statements=0), "loyal", "2", "4", "driver", "loyal", "fbi", "nothing")
    position = after_truth(position, 1, 2, 5, 6, 7)
    for claim in ("received-diamonds 13", "took loyal", "passed-diamonds 13"):
        position = play(position, f"0 ask 3 {claim.split()[0]}", f"3 say {claim}")
    asked = play(position, "0 ask 4 received-diamonds")
    helped = play(asked, f"4 {best(asked, 4)}")
    betrayed = play(asked, "4 say received-diamonds 9")
    assert thief_chance(helped, 3) < thief_chance(betrayed, 3)


def test_a_seat_without_a_coherent_story_repeats_itself_or_stays_silent():
    position = play(THEFT, "5 say took loyal", "5 say took driver")
    assert best(play(position, "0 ask 5 took"), 5) == "say took driver"
    assert best(play(position, "0 ask 5 passed-diamonds"), 5) == "silent"


# ---- The theft and the cleaner -------------------------------------------------------------------


def test_takes_are_drawn_among_the_good_ones():
    position = play(start(), "0 hide 2", "1 pouch none")
    second_best = 0
    for seed in range(20):
        suggestions = think(position, 1, seed, iterations=64).suggestions
        values = [suggestion.values[1] for suggestion in suggestions]
        assert values[0] > max(values) - 0.25
        second_best += values[0] < max(values)
    assert 3 < second_best < 20


def test_the_driver_is_worth_more_after_a_loyal_than_after_an_agent():
    """Seat 2 sees that one loyal is missing, so seat 1 is probably a loyal."""
    position = play(start(), "0 hide 0", "1 pouch none", "1 take loyal")
    found = {GAME.write_move(s.action): s.values[2] for s in think(position, 2).suggestions}
    position = play(start(), "0 hide 0", "1 pouch none", "1 take fbi")
    other = {GAME.write_move(s.action): s.values[2] for s in think(position, 2).suggestions}
    assert found["take driver"] > other["take driver"] + 0.1
    assert found["take loyal"] == pytest.approx(other["take loyal"], abs=0.2)


def test_the_cleaner_fires_at_a_likely_agent_only():
    takes = ("4", "cleaner", "fbi", "driver", "3", "loyal", "loyal")
    position = theft(start(cleaner=True, tokens={"loyal": 3, "fbi": 1, "driver": 1}), *takes)
    position = after_truth(position, 3, 4)
    assert best(play(position, "0 accuse 3"), 2) == "bang"
    assert best(play(position, "0 accuse 1"), 2) == "hold"


# ---- Budgets and strength ------------------------------------------------------------------------


def test_one_iteration_or_a_cancelled_call_still_ranks_all_moves():
    switch = Cancel()
    switch.set()
    asked = play(THEFT, "0 ask 5 took")
    for position, seat in ((start(), 0), (asked, 5), (THEFT, 0)):
        for report in (
            think(position, seat, iterations=1),
            advise(position, seat, seconds=60.0, cancel=switch),
        ):
            assert report.stopped == "settled"
            assert len(report.suggestions) == len(position.moves(seat))
            assert all(-1 <= value <= 1 for s in report.suggestions for value in s.values)


def test_a_cancelled_speaker_judges_only_one_story():
    switch = Cancel()
    switch.set()
    asked = play(THEFT, "0 ask 3 took")
    hurried = advise(asked, 3, seconds=60.0, cancel=switch).suggestions
    calm = think(asked, 3, iterations=1).suggestions
    # Apart from silence, an answer has weight if it is part of a story that was judged.
    assert sum(found.weight > 0 for found in hurried) == 2
    assert sum(found.weight > 0 for found in calm) > 2
    # The truth is judged first.
    assert asked.observe().seats[3].take == GAME.write_move(hurried[0].action).split()[-1]


def test_the_godfather_wins_twice_as_often_as_with_random_accusations():
    crew: list[Player] = [truthful] * 5
    found, guessed = (wins([player, *crew], 0, 60) for player in (engine, accuser))
    assert found > 2 * guessed + 10


def test_a_thief_wins_more_often_than_with_random_answers():
    crew: list[Player] = [engine, truthful, truthful, truthful]
    kept, babbled = (wins([*crew, player, truthful], 4, 60) for player in (thief, babbling_thief))
    assert kept > babbled + 1
