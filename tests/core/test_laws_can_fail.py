"""The laws notice what they are for: each test plants one fault and sees it found."""

from __future__ import annotations

import dataclasses
import random
from functools import lru_cache
from itertools import count
from typing import Any
from zlib import crc32

import pytest
from tablier_core.drawing import PLAIN
from tablier_core.games.contract import GAME as CONTRACT
from tablier_core.games.contrast import GAME as CONTRAST
from tablier_core.games.contrast import draw as contrast_draw
from tablier_core.games.contrast import game as contrast_game
from tablier_core.games.contrast.observe import observe as observe_contrast
from tablier_core.games.contrast.telling import TELLING as CONTRAST_TELLING
from tablier_core.interpretation import reader
from tablier_core.interpretation.lexicon import shared
from tablier_core.interpretation.notations import Notations
from tablier_core.interpretation.reader import Interpretation, Outcome, Reader
from tablier_core.position import Game, Position
from tablier_core.testing import games, kuhn_poker, rock_paper_scissors, telling
from tablier_core.testing.guards import LawBroken, check_games, check_packed
from tablier_core.testing.lawless import spoil

from tests.core import laws
from tests.core.variants import ALL_GAMES

KUHN = games.KUHN_POKER


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("moves reversed", "ascending"),
        ("moves out of range", "num_actions"),
        ("moves of nobody", "an actor has no moves"),
        ("moves after the end", "a finished game has a move"),
        ("moves past the end", "outside its buffer"),
        ("seats too many", "number of seats"),
        ("phase without end", "phase"),
        ("actors of no seat", "not a seat"),
        ("scores missing", "score"),
        ("scores that write", "may only read"),
        ("returns too large", "return"),
        ("evaluate too large", "estimated"),
        ("features missing", "a feature is missing"),
        ("features out of bounds", "bounds of its slice"),
        ("features past the end", "outside its buffer"),
        ("features that write", "may only read"),
        ("features peeking", "changed the viewer's features"),
        ("write nothing", "notation"),
        ("read another", "notation"),
        ("pack nothing", "determinize made a state that unpack rejects"),
        ("pack before the start", "outside its buffer"),
        ("pack with a tail", "rejects"),
        ("pick past the end", "past the end"),
        ("narrow to others", "moves for a tree"),
        ("narrow to more", "moves for a tree"),
        ("narrow reversed", "moves for a tree"),
        ("determinize peeking", "depends on hidden information"),
        ("determinize by playing", "changed the phase, the actors"),
        ("determinize for another", "infoset"),
    ],
)
def test_a_fault_in_a_slot_breaks_a_law(fault: str, message: str):
    check_games(KUHN, {}, 0, games=100)
    with pytest.raises(LawBroken, match=message):
        check_games(spoil(KUHN, fault), {}, 0, games=100)


@pytest.mark.parametrize("fault", ["features peeking", "features of seat 0"])
def test_features_that_are_not_of_the_seat_break_a_law(fault: str):
    def check(game: Game) -> None:
        for seed in range(40):
            for step in laws.play(game, {}, seed):
                laws.check_features(step.before, seed)

    check(KUHN)
    with pytest.raises(AssertionError):
        check(spoil(KUHN, fault))


@pytest.mark.parametrize("fault", ["features peeking", "features incomplete"])
def test_features_that_are_not_the_view_break_a_law(fault: str):
    def check(game: Game) -> None:
        seen = laws.SeenByLearners()
        for seed in range(40):
            for step in laws.play(game, {}, seed):
                seen.add(step.before)

    check(games.PIG)
    with pytest.raises(AssertionError, match="features of seat"):
        check(spoil(games.PIG, fault))


def test_accepting_bytes_that_pack_never_writes_breaks_a_law():
    packed = KUHN.start({}, 0).pack()
    assert not check_packed(KUHN, packed + b"\0")
    with pytest.raises(LawBroken, match="other bytes"):
        check_packed(spoil(KUHN, "unpack any tail"), packed + b"\0")


def test_packing_a_state_into_nothing_breaks_a_law():
    with pytest.raises(LawBroken, match="empty or too long"):
        check_games(spoil(games.TIC_TAC_TOE, "pack nothing"), {}, 0)


def test_a_game_that_does_not_end_breaks_a_law():
    with pytest.raises(LawBroken, match="no end after 8 moves"):
        check_games(games.TIC_TAC_TOE, {}, 0, games=100, limit=8)


def test_a_determinize_that_changes_nothing_breaks_a_law():
    laws.check_worlds_differ(KUHN, {}, 0)
    with pytest.raises(AssertionError):
        laws.check_worlds_differ(spoil(KUHN, "determinize nothing"), {}, 0)


def test_worlds_of_a_finished_game_that_forget_what_a_seat_saw_break_a_law():
    def check(game: Game) -> None:
        for seed in range(40):
            *_, last = laws.play(game, {}, seed)
            laws.check_memory(last, 0, seed)

    check(KUHN)
    forgetful = spoil(KUHN, "forgetting in the end")
    # At every single position, all is well.
    check_games(forgetful, {}, 0, games=100)
    with pytest.raises(AssertionError, match="in none of"):
        check(forgetful)


def leaky_kuhn(**faces: Any) -> Game:
    """Kuhn poker with some of its Python functions replaced."""
    lawful: dict[str, Any] = {
        "observe": games.observe_kuhn,
        "draw_text": games.draw_kuhn_text,
        "draw_svg": games.draw_kuhn_svg,
        "telling": telling.KUHN_POKER,
    }
    return Game(
        kuhn_poker.ops,
        title=KUHN.title,
        french_title=KUHN.french_title,
        summary=KUHN.summary,
        options=KUHN.options,
        notation=KUHN.notation,
        pack_options=kuhn_poker.pack_options,
        **(lawful | faces),
    )


def observe_all(position: Position, viewer: int) -> games.KuhnView:
    """Leak everything: every seat gets the referee's view."""
    return games.observe_kuhn(position, -1)


def observe_half(position: Position, viewer: int) -> games.KuhnView:
    """Leak subtly: a detail reveals the other card."""
    view = games.observe_kuhn(position, viewer)
    strong = "K" in games.observe_kuhn(position, -1).cards
    return dataclasses.replace(view, said=(*view.said, "hm") if strong else view.said)


@pytest.mark.parametrize("observe", [observe_all, observe_half])
def test_a_view_that_shows_hidden_cards_breaks_the_law_of_secrecy(observe: Any):
    def check(game: Game) -> None:
        for seed in range(40):
            laws.check_secrecy(game.start({}, seed), seed)

    check(leaky_kuhn())
    with pytest.raises(AssertionError):
        check(leaky_kuhn(observe=observe))


def test_showing_a_secret_move_breaks_the_law_of_public_moves():
    def check(game: Game) -> int:
        return sum(
            laws.check_public_moves(step, viewer, seed)
            for seed in range(20)
            for step in laws.play(game, {}, seed)
            for viewer in range(2)
        )

    secret = games.ROCK_PAPER_SCISSORS
    assert check(secret) > 0
    with pytest.raises(AssertionError, match="cannot distinguish"):
        check(leaky_signs(public_moves=("rock",)))


def leaky_signs(**faces: Any) -> Game:
    """Rock, paper, scissors with some of its Python functions replaced."""
    lawful = games.ROCK_PAPER_SCISSORS
    return Game(
        rock_paper_scissors.ops,
        title=lawful.title,
        french_title=lawful.french_title,
        summary=lawful.summary,
        options=lawful.options,
        notation=lawful.notation,
        pack_options=rock_paper_scissors.pack_options,
        observe=games.observe_signs,
        draw_text=games.draw_signs_text,
        draw_svg=games.draw_signs_svg,
        **({"telling": telling.ROCK_PAPER_SCISSORS} | faces),
    )


@pytest.mark.parametrize("name", ["contract", "contrast", "mafia-de-cuba"])
def test_showing_all_moves_of_a_game_breaks_the_law_of_public_moves(
    name: str, monkeypatch: pytest.MonkeyPatch
):
    def show_all(game: Game, seat: int, action: int, viewer: int) -> tuple[int, str]:
        return seat, game.write_move(action)

    def check() -> None:
        for seed in range(4):
            for step in laws.play(ALL_GAMES[name], {}, seed):
                laws.check_public_moves(step, (step.seat + 1) % step.before.seats, seed)

    check()
    monkeypatch.setattr(laws, "seen_of", show_all)
    with pytest.raises(AssertionError, match="cannot distinguish"):
        check()


def check_telling(game: Game) -> None:
    """Check the laws of words, reasons and paths in a few games."""
    for seed in range(20):
        for step in laws.play(game, {}, seed):
            laws.check_words(step, seed)
            laws.check_reasons(step.before, seed)
            laws.check_paths(step.before, seed)


def secret_of(view: Any, seat: int) -> str:
    """What a leak would tell: the card or sign that another seat holds, if the view knew it."""
    return str(getattr(view, "cards", getattr(view, "chosen", ()))[1 - seat])


@pytest.mark.parametrize("part", ["words", "story", "paths"])
def test_telling_a_secret_breaks_a_law(part: str):
    """The views themselves leak here, so that each function has a secret to tell."""

    def observe(position: Position, viewer: int) -> games.KuhnView:
        view = games.observe_kuhn(position, viewer)
        return dataclasses.replace(view, cards=games.observe_kuhn(position, -1).cards)

    lawful = telling.KUHN_POKER
    leaks: dict[str, Any] = {
        "words": lambda view, seat, moves, language: [
            words + secret_of(view, seat) for words in lawful.words(view, seat, moves, language)
        ],
        "story": lambda before, after, seat, move, language: (
            lawful.story(before, after, seat, move, language) + secret_of(after, 0)
        ),
        "paths": lambda view, seat, moves: [
            (*path, f"button-{secret_of(view, seat)}") for path in lawful.paths(view, seat, moves)
        ],
    }
    check_telling(leaky_kuhn())
    check_telling(leaky_kuhn(observe=observe))
    with pytest.raises(AssertionError):
        check_telling(leaky_kuhn(observe=observe, telling=lawful._replace(**{part: leaks[part]})))


@pytest.mark.parametrize(
    "spoiled",
    [
        pytest.param(lambda paths: [paths[0]] * len(paths), id="one path for several moves"),
        pytest.param(lambda paths: [("nowhere", *path) for path in paths], id="not in the picture"),
        pytest.param(lambda paths: [(), *paths[1:]], id="no path"),
        pytest.param(lambda paths: paths[:-1], id="a move without a path"),
    ],
)
def test_paths_that_nobody_can_click_break_a_law(spoiled: Any):
    lawful = telling.KUHN_POKER

    def paths(view: Any, seat: int, moves: Any) -> Any:
        return spoiled(lawful.paths(view, seat, moves))

    with pytest.raises(AssertionError):
        check_telling(leaky_kuhn(telling=lawful._replace(paths=paths)))


def test_a_reason_that_tells_a_secret_breaks_a_law():
    """With Contrast: no move of the tiny games with secrets is ever illegal."""

    def check(reason: Any) -> None:
        game = Game(
            contrast_game.ops,
            title=CONTRAST.title,
            french_title=CONTRAST.french_title,
            summary=CONTRAST.summary,
            options=CONTRAST.options,
            notation=CONTRAST.notation,
            pack_options=contrast_game.pack_options,
            observe=lambda position, viewer: observe_contrast(position, -1),
            draw_text=contrast_draw.draw_text,
            draw_svg=contrast_draw.draw_svg,
            telling=CONTRAST_TELLING._replace(reason=reason),
        )
        for step in list(laws.play(game, {}, 3))[:20]:
            laws.check_reasons(step.before, 3)

    check(lambda view, seat, move, language: "No")
    with pytest.raises(AssertionError):
        check(lambda view, seat, move, language: f"No {crc32(repr(view).encode())}")
    # The table has the referee's view, so it has everybody's secrets to tell.
    with pytest.raises(AssertionError):
        check(
            lambda view, seat, move, language: (
                f"No {crc32(repr(view).encode())}" if seat < 0 else "No"
            )
        )


@lru_cache(maxsize=64)
def draw_kept(view: games.KuhnView) -> str:
    """Draw a view only once, although it contains a secret."""
    return games.draw_kuhn_svg(view, PLAIN)


def test_a_drawing_that_is_kept_with_its_secrets_breaks_the_law_of_timing():
    def check(game: Game) -> None:
        for seed in range(20):
            laws.check_timing(game.start({}, seed), seed)

    check(KUHN)
    draw_kept.cache_clear()
    with pytest.raises(AssertionError):
        check(leaky_kuhn(draw_svg=lambda view, look: draw_kept(view)))


def read_back(game: Game) -> None:
    """Check the law of reading in a few games."""
    for seed in range(10):
        for step in laws.play(game, {}, seed):
            for seat in step.before.actors:
                laws.check_reading(step.before, seat, 8, random.Random(seed))


def test_words_that_change_break_the_law_of_reading():
    lawful = telling.KUHN_POKER
    told = count()

    def words(view: Any, seat: int, moves: Any, language: Any) -> list[str]:
        listed = lawful.words(view, seat, moves, language)
        return [f"{sentence}, for the {next(told)}th time" for sentence in listed]

    read_back(leaky_kuhn())
    with pytest.raises(AssertionError):
        read_back(leaky_kuhn(telling=lawful._replace(words=words)))


def test_reading_another_move_breaks_the_law_of_reading(monkeypatch: pytest.MonkeyPatch):
    def misunderstood(reader: Reader, outcome: Outcome, indices: Any) -> Interpretation:
        return understood(reader, outcome, [0 for _ in indices])

    understood = Reader._understood
    read_back(games.TIC_TAC_TOE)
    monkeypatch.setattr(Reader, "_understood", misunderstood)
    with pytest.raises(AssertionError):
        read_back(games.TIC_TAC_TOE)


def test_reading_nothing_breaks_the_law_of_reading(monkeypatch: pytest.MonkeyPatch):
    """Notations in other forms are lost without the comparison of notations."""
    monkeypatch.setattr(Notations, "longest_at", lambda self, chunks, start: (start, []))
    with pytest.raises(AssertionError):
        read_back(games.TIC_TAC_TOE)


@pytest.mark.parametrize(
    "fault",
    [
        # Words that mean nothing are left out all at once, or not looked at in notations.
        ("cores", lambda chunks: [chunks, [c for c in chunks if c.stem not in shared().fillers]]),
        ("cores", lambda chunks: [chunks]),
        ("read_action", lambda game, chunks: None),
    ],
)
def test_reading_illegal_moves_as_others_breaks_a_law(
    fault: tuple[str, Any], monkeypatch: pytest.MonkeyPatch
):
    def check() -> None:
        for seed in range(4):
            chance = random.Random(seed)
            steps = list(laws.play(CONTRACT, {}, seed))
            played = sorted({step.action for step in steps})
            for step in chance.sample(steps, 12):
                laws.check_reading_of_illegal(step.before, step.seat, played, chance)

    check()
    monkeypatch.setattr(reader, *fault)
    with pytest.raises(AssertionError):
        check()


@pytest.mark.parametrize("part", ["words", "reason"])
def test_reading_that_depends_on_a_secret_breaks_a_law(part: str):
    """The views themselves leak here, so that a game has a secret to tell."""

    def check(**faces: Any) -> None:
        game = Game(
            contrast_game.ops,
            title=CONTRAST.title,
            french_title=CONTRAST.french_title,
            summary=CONTRAST.summary,
            options=CONTRAST.options,
            notation=CONTRAST.notation,
            pack_options=contrast_game.pack_options,
            observe=lambda position, viewer: observe_contrast(position, -1),
            draw_text=contrast_draw.draw_text,
            draw_svg=contrast_draw.draw_svg,
            telling=CONTRAST_TELLING._replace(**faces),
        )
        for step in list(laws.play(game, {}, 3))[:20]:
            laws.check_reading_secrecy(step.before, 3)

    lawful = {
        "words": CONTRAST_TELLING.words,
        "reason": lambda view, seat, move, language: "No",
    }
    leaky: dict[str, Any] = {
        "words": lambda view, seat, moves, language: [
            f"{sentence} {crc32(repr(view).encode())}"
            for sentence in CONTRAST_TELLING.words(view, seat, moves, language)
        ],
        "reason": lambda view, seat, move, language: f"No {crc32(repr(view).encode())}",
    }
    check(**lawful)
    with pytest.raises(AssertionError):
        check(**(lawful | {part: leaky[part]}))
