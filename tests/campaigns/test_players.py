"""The opponents of `make strength` play by the rules, and are as strong as they must be."""

from __future__ import annotations

from collections import Counter
from itertools import product
from random import Random

import pytest
from tablier_cli.matches.games import Match, fill_seats, play_game, seats_of
from tablier_cli.matches.players import Budget, find_player
from tablier_core.games.contrast.observe import View
from tablier_core.games.mafia_de_cuba.observe import Event
from tablier_core.registry import GAMES
from tablier_core.testing.tactics import can_force

from campaigns.players import contrast, contrat500, mafia_sampler

PLAYERS = "campaigns.players"
LIARS = ("silent", "babbling", "blaming_earlier", "blaming_later", "half_true", "guilty_agents")
QUICK = Budget(milliseconds=3)
WAYS = ("best_fit", "second_best", "repeater", "undecided", "sharp", "people", "soft")


def play(game, options, players, games=1, rotating=True, budget=QUICK):
    """The returns of the first player."""
    named = [each if each in ("random", "best") else f"{PLAYERS}.{each}" for each in players]
    seated = fill_seats(named, seats_of(game, options))
    match = Match(game, options, seated, budget, 1, rotating)
    return [play_game(match, number).returns[0] for number in range(games)]


@pytest.mark.parametrize(
    ("game", "options", "players"),
    [
        ("contigo-alignment", {}, ["contigo:AlphaBeta", "random"]),
        ("contigo-alignment", {"advanced": True}, ["contigo:AlphaBeta", "random"]),
        (
            "contigo-capture",
            {"quick": True},
            ["contigo:Paranoid", "contigo:Hunter", "contigo:Greedy", "random"],
        ),
        ("contigo-capture", {"turn_limit": 40}, ["contigo:Hunter", "contigo:Paranoid"]),
        ("contract", {"seats": 2}, ["contract:greedy", "contract:sniper"]),
        (
            "contract",
            {"seats": 5},
            ["contract:greedy", "contract:hoarder", "contract:sniper", "contract:spender"],
        ),
        *(("contrast", {"seats": seats}, [f"contrast:{way}"]) for way in WAYS for seats in (2, 6)),
        ("contrast", {"seats": 4}, ["contrast:insider", "best"]),
        ("contrat500", {"seats": 2}, ["contrat500:exact", "contrat500:splitter"]),
        ("contrat500", {"seats": 4}, ["contrat500:exact", "contrat500:pursuer"]),
    ],
)
def test_plays_whole_games(game, options, players):
    assert len(play(game, options, players)) == 1  # an illegal move raises BadMove


@pytest.mark.parametrize("style", [*LIARS, "scripted"])
@pytest.mark.parametrize("seats", [5, 12])
def test_liars_play_whole_games(style, seats):
    players = ["mafia_sampler:Sampler", f"mafia_liars:{style}"]
    for options in ({"seats": seats}, {"seats": seats, "cleaner": True}):
        assert len(play("mafia-de-cuba", options, players, rotating=False)) == 1


@pytest.mark.parametrize("advanced", [False, True])
def test_alpha_beta_wins_where_a_pawn_move_wins(advanced):
    """Its own rules agree with the core's: it finds every win in one, and only those."""
    game, found = GAMES["contigo-alignment"], 0
    player = find_player(f"{PLAYERS}.contigo:AlphaBeta", Budget(milliseconds=1))
    for number in range(40):
        chance = Random(number)
        position = game.start({"advanced": advanced}, number)
        while not position.over:
            seat = position.actors[0]
            if position.phase == "pawn" and can_force(position, seat, 1):
                move = player(position, seat, chance)
                assert position.apply(seat, move).returns[seat] == 1
                found += 1
                break
            position = position.apply(seat, chance.choice(position.moves(seat)))
    assert found >= 20


def test_capture_players_take_kings():
    game = GAMES["contigo-capture"]
    # The Blue King is two squares from the Red one, and the pit there has two beads.
    layout = "R.B.../....../....../....../G..Y../......"
    position = game.start({"layout": layout, "first": 0}, 1)
    for style in ("Greedy", "Hunter", "Paranoid"):
        player = find_player(f"{PLAYERS}.contigo:{style}", Budget(milliseconds=5))
        move = player(position, 0, Random(1))
        assert game.write_move(move) == "a6xc6"


def test_strong_players_beat_weak_ones():
    # Even without time to look ahead.
    assert sum(play("contigo-alignment", {}, ["contigo:AlphaBeta", "random"], 4)) >= 2
    quick = {"quick": True}
    assert sum(play("contigo-capture", quick, ["contigo:Paranoid", "random"], 8)) >= 0
    assert sum(play("contract", {"seats": 2}, ["contract:greedy", "random"], 6)) >= 4
    assert sum(play("contrat500", {"seats": 2}, ["contrat500:exact", "random"], 4)) == 4


def test_bidders_of_contract_differ():
    seats = {"seats": 4}
    table = [f"contract:{name}" for name in ("hoarder", "greedy", "sniper", "spender")]
    won = play("contract", seats, table, 8)
    assert play("contract", seats, table[::-1], 8) != won


@pytest.mark.parametrize("crowd", ["best", "undecided", "mixed"])
def test_responders_gain_more_than_the_crowd(crowd):
    """A best response wins more than the fair share of 25%."""
    table = [f"contrast:knows_{crowd}", *(f"contrast:{name}" for name in contrast.CROWDS[crowd])]
    returns = play("contrast", {"seats": 4}, table, 16)
    assert sum((1 + value) / 2 for value in returns) / len(returns) > 0.3


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_knows_which_symbols_win(seats):
    """The responders' own rule agrees with the game's, over every round of random games."""
    chance = Random(seats)
    position = GAMES["contrast"].start({"seats": seats}, seats)
    while not position.over:
        seat = position.actors[0]
        position = position.apply(seat, chance.choice(position.moves(seat)[:3]))
    view: View = position.observe(-1)
    assert any(round_.winning for round_ in view.rounds)
    for round_ in view.rounds:
        named = tuple(contrast.SYMBOLS[name] for name in round_.choices if name is not None)
        winning = {contrast.SYMBOLS[name] for name in round_.winning}
        assert contrast.winning_symbols(seats, named) == winning


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_an_insider_forgets_what_has_been_chosen(seats):
    position = GAMES["contrast"].start({"seats": seats}, 1)
    for seat in range(seats - 1):
        after = position.apply(seat, position.moves(seat)[0])
        assert contrast.unchosen(after).pack() == position.pack()


def test_the_exact_bidder_announces_what_pays_most():
    position = GAMES["contrat500"].start({"seats": 2}, 5)
    starter = position.actors[0]
    view = position.observe(starter)
    hand = view.hands[starter]
    move = position.game.write_move(contrat500.exact(position, starter, Random(1)))
    bid = int(move.split()[1])
    values = contrat500.VALUES
    splits = {
        sum(three): values[sum(three)] + values[sum(hand) - sum(three)]
        for three in product(hand, repeat=3)
        if not Counter(three) - Counter(hand)
    }
    assert splits[bid] == max(splits.values())


def test_the_sampler_suspects_who_lies():
    """With everybody honest but the thieves, it wins more often than a random accuser."""
    options = {"seats": 6}
    honest = "mafia_de_cuba:truthful"
    worlds = Budget(iterations=100)  # not a time, so that it is the same on any machine
    sampled, blind = (
        play("mafia-de-cuba", options, [f"mafia_{who}", honest], 20, False, worlds)
        for who in ("sampler:Sampler", "de_cuba:accuser")
    )
    assert sum(sampled) > sum(blind) + 8


def test_a_claim_is_true_or_not():
    box = (7, {"loyal": 1, "fbi": 0}, 5, {"loyal": 1, "fbi": 0}, "2")
    for question, claim, true in (
        ("took", "2", True),
        ("took", "loyal", False),
        ("received-diamonds", 7, True),
        ("passed-diamonds", 7, False),
        ("passed-tokens", {"loyal": 1, "fbi": 0}, True),
    ):
        event = Event("asked", 1, question=question, claim=claim)
        assert mafia_sampler.is_true(event, box) == true
