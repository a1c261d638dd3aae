"""The rules of Contract, one by one (reference: A turn)."""

from __future__ import annotations

import pytest
from tablier_core.errors import MoveIllegal, MoveUnparsable

from tests.core.games.contract_positions import (
    GAME,
    NOBODY,
    ROW,
    Table,
    all_pass,
    begun,
    legal,
    play,
    view_of,
)

# ---- Setup (reference: A round begins) -----------------------------------------------------------


@pytest.mark.parametrize(
    ("seats", "row", "rounds", "mafiosi", "tiles"),
    [(2, 4, 5, 20, 5), (3, 5, 4, 20, 5), (4, 6, 4, 24, 6), (5, 6, 4, 24, 6)],
)
def test_setup_depends_on_the_number_of_seats(
    seats: int, row: int, rounds: int, mafiosi: int, tiles: int
):
    position = GAME.start({"seats": seats}, 11)
    view = view_of(position)
    assert (len(view.row), view.rounds, view.deck_count) == (row, rounds, mafiosi - row)
    assert (view.copper_pawn, view.vicelard_pawn) == (1, row)
    assert view.vicelard_card.holder == (view.first - 1) % seats
    assert view.copper_card.holder is None
    assert [seat.hand.count for seat in view.seats] == [5] * seats
    assert [seat.tokens for seat in view.seats] == [3] * seats
    assert sorted(t.first for t in view.traffics) == [5, 6, 7, 8]
    assert sorted(t.second for t in view.traffics) == [1, 2, 3, 4]
    assert [tile.worth for tile in view.briefcases] == [2] * tiles
    everyone = [place.mafioso for place in view.row] + list(view.deck or ())
    assert (2 in {mafioso.value for mafioso in everyone}) == (seats > 3)
    seen = view_of(position, 0)
    assert [place.mafioso.value is None for place in seen.row] == [i % 2 == 0 for i in range(row)]
    assert all(place.mafioso.family for place in seen.row)


def test_chance_decides_the_first_player_tiles_and_sides():
    views = [view_of(GAME.start({"seats": 4}, seed)) for seed in range(60)]
    assert {view.first for view in views} == {0, 1, 2, 3}
    assert {view.traffics[0].first for view in views} == {5, 6, 7, 8}
    assert {view.briefcases[0].side for view in views} == {"families-3", "families-4"}
    assert {view.briefcases[3].side for view in views} == {"twos-3", "most-twos"}


# ---- Actions (reference: Actions) ----------------------------------------------------------------


def test_the_first_player_must_begin_by_influencing():
    position = Table(row=ROW).position()
    assert legal(position) == ["on 1", "on 2", "on 3", "on 4", "on 5"]
    with pytest.raises(MoveIllegal):
        play(position, "pass")


def test_an_influence_takes_a_token_then_a_card_and_ends_with_done():
    position = play(
        Table(row=ROW, hands={0: ["yakaz", "yakaz", "dollar", "costa", "costa"]}).position(), "on 1"
    )
    assert position.phase == "pieces"
    assert legal(position) == ["token"]
    position = play(position, "token")
    assert legal(position) == [
        "token",
        "contract",
        "dollar",
        "down yakaz",
        "down costa",
        "down dollar",
    ]
    position = play(position, "token", "token")
    assert legal(position) == ["contract", "dollar", "down yakaz", "down costa", "down dollar"]
    position = play(position, "contract", "contract", "dollar", "down costa", "down costa")
    assert legal(position) == ["done"]
    assert position.actors == [0]
    after = play(position, "done")
    assert after.actors == [1]
    assert view_of(after).row[0].stakes[0].points == 3 + 4 + 1 + 1


def test_pieces_are_placed_in_a_fixed_order():
    table = begun(
        hands={1: ["yakaz", "brakova", "costa", "dollar", "dollar"]},
        numbers={"to_move": 1, "vicelard_holder": 2, "copper_holder": 1, "round": 1},
        round=2,
    )
    position = play(table.position(), "on 1", "token", "dollar")
    assert legal(position) == [
        "dollar", "copper", "down brakova", "down yakaz", "down costa", "down dollar", "done",
    ]  # fmt: skip
    position = play(position, "copper", "down yakaz")
    assert legal(position) == ["down costa", "down dollar", "done"]


def test_a_reinforcement_needs_one_piece_of_any_kind():
    table = begun(stakes={(1, 0): (1, 0, 0, ["costa"]), (1, 1): (3, 0, 0, ["dollar"])})
    position = play(table.position(), "on 1")
    assert "token" not in legal(position)
    assert "done" not in legal(position)
    position = play(position, next(move for move in legal(position) if "down" in move))
    assert "done" in legal(position)


def test_a_seat_without_tokens_can_only_reinforce():
    stakes = {(1, 0): (1, 0, 0, ["costa"]), (2, 1): (3, 0, 0, ["dollar"])}
    position = begun(stakes=stakes).position()
    assert [move for move in legal(position) if move.startswith("on")] == ["on 2"]
    stakes = {(1, 0): (1, 0, 0, ["costa"]), (2, 1): (3, 0, 0, ["dollar"] * 5)}
    assert legal(begun(stakes=stakes, hands={1: []}).position()) == ["pass"]


def test_a_special_card_counts_as_the_card_of_an_influence():
    stakes = {(1, 0): (1, 0, 0, ["costa"]), (2, 1): (1, 0, 0, ["dollar"] * 5)}
    table = begun(stakes=stakes, hands={1: []}, first=2, round=2)
    table.stakes[1, 2] = (1, 0, 0, ["yakaz"])
    table.numbers = {"to_move": 1, "vicelard_holder": 1, "copper_holder": NOBODY}
    position = table.position()
    assert legal(position) == ["on 2", "on 5", "pass"]  # the Vicelard pawn stands on 5
    position = play(position, "on 5", "token")
    assert legal(position) == ["token", "vicelard"]


def test_contracts_match_the_family_and_never_go_on_a_blackmat():
    hands = {1: ["yakaz", "brakova", "brakova", "costa", "costa"]}
    position = begun(hands=hands).position()
    assert "contract" in legal(play(position, "on 4", "token"))
    assert "contract" not in legal(play(position, "on 3", "token"))
    table = begun(hands=hands, row=["yakaz 5", "rodrigos 4", *ROW[2:]])
    assert "contract" not in legal(play(table.position(), "on 2", "token"))


def test_any_card_face_down_moves_copper_but_not_to_vicelard():
    position = begun(hands={1: ["yakaz", "dollar", "dollar", "costa", "costa"]}).position()
    assert [m for m in legal(position) if "copper" in m] == [
        "copper-to 2",
        "copper-to 3",
        "copper-to 4",
    ]
    position = play(position, "copper-to 3")
    assert position.phase == "pay"
    assert legal(position) == ["pay down yakaz", "pay down costa", "pay down dollar"]
    assert view_of(position).copper_pawn == 1
    position = play(position, "pay down dollar")
    assert view_of(position).copper_pawn == 3
    assert view_of(position).seats[1].paid_down.kinds == (0, 0, 0, 0, 1)
    assert position.actors == [2]


def test_vicelard_costs_a_dollar_or_two_cards_in_order_of_kind():
    position = begun(hands={1: ["yakaz", "dollar", "costa", "costa", "costa"]}).position()
    position = play(position, "vicelard-to 2")
    assert legal(position) == ["pay dollar", "pay down yakaz", "pay down costa"]
    half = play(position, "pay down costa")
    assert half.actors == [1]
    assert legal(half) == ["pay down costa", "pay down dollar"]
    for done in (play(half, "pay down costa"), play(position, "pay dollar")):
        assert view_of(done).vicelard_pawn == 2
        assert done.actors == [2]
    assert view_of(play(position, "pay dollar")).seats[1].paid_up == 1


def test_a_pawn_can_only_move_if_the_seat_can_pay():
    held = ["dollar"] * 4
    stakes = {(1, 0): (1, 0, 0, ["costa"]), (2, 1): (1, 0, 0, held)}
    one_contract = begun(stakes=stakes, hands={1: ["yakaz"]}).position()
    assert not any("vicelard-to" in move for move in legal(one_contract))
    assert any("copper-to" in move for move in legal(one_contract))
    one_dollar = begun(stakes=stakes, hands={1: ["dollar"]}).position()
    assert legal(play(one_dollar, "vicelard-to 2")) == ["pay dollar"]


def test_vicelard_chases_copper_to_any_other_mafioso():
    position = begun(hands={1: ["dollar"] * 5}).position()
    position = play(position, "vicelard-to 1", "pay dollar")
    assert (position.phase, position.actors) == ("chase", [1])
    assert legal(position) == ["chase 2", "chase 3", "chase 4", "chase 5"]
    position = play(position, "chase 5")
    assert (view_of(position).vicelard_pawn, view_of(position).copper_pawn) == (1, 5)
    assert position.actors == [2]


def test_the_round_ends_when_all_pass_in_succession():
    position = play(begun().position(), "pass", "pass")
    assert position.actors == [0]
    position = play(position, "on 2", "token", legal(play(position, "on 2", "token"))[-1], "done")
    assert view_of(position).passes == 0
    position = play(position, "pass", "pass", "pass")
    assert view_of(position).round == 2
    assert view_of(position).first == 1


# ---- Influence (reference: Influence points) -----------------------------------------------------


@pytest.mark.parametrize(("place", "points"), [(5, 2), (3, 1)])
def test_the_vicelard_card_still_counts_when_its_pawn_moves_on(place: int, points: int):
    table = begun(first=2, hands={1: ["dollar"] * 5, 2: ["dollar"] * 4})
    table.stakes = {(1, 2): (1, 0, 0, ["costa"])}
    table.numbers = {"to_move": 1, "vicelard_pawn": place - 1}
    position = play(table.position(), f"on {place}", "token", "vicelard", "done")
    assert view_of(position).row[place - 1].stakes[1].points == 1 + points
    position = play(position, "vicelard-to 2", "pay dollar")
    assert view_of(position).row[place - 1].stakes[1].points == 1 + points


@pytest.mark.parametrize(("option", "points"), [(0, 1), (0.5, 1.5), (1, 2), (3, 4)])
def test_the_option_sets_the_points_of_the_copper_card(option: float, points: float):
    table = begun(round=2)
    table.numbers |= {"copper_holder": 1, "copper_points": int(2 * option)}
    position = play(table.position(), "on 3", "token", "copper", "done")
    assert view_of(position).row[2].stakes[1].points == points
    assert GAME.start({"copper_card": option}, 0).observe().copper_card_points == option


# ---- Drawing cards (reference: A round begins) ---------------------------------------------------


def test_hands_are_kept_and_never_exceed_ten_cards():
    table = begun(round=2, hands={1: ["costa"] * 7, 2: ["yakaz"] * 3 + ["dollar"] * 2})
    view = view_of(all_pass(table.position()))
    assert [seat.hand.count for seat in view.seats] == [9, 10, 10]


# ---- Notation (reference: Moves and notation) ----------------------------------------------------


def test_every_action_has_exactly_one_notation():
    texts = [GAME.write_move(action) for action in range(GAME.num_actions)]
    assert len(set(texts)) == GAME.num_actions
    assert [GAME.read_move(text) for text in texts] == list(range(GAME.num_actions))
    for form, _ in GAME.notation:
        assert form in texts


@pytest.mark.parametrize(
    "text",
    ["", "on", "on 0", "on 7", "On 1", "on  1", " pass", "pass ", "down", "down black", "pay half",
     "drop 5 yakaz 3", "drop 0 blackmat 3", "drop 0 yakaz 21", "drop 0 yakaz 03", "copper-to", "x"],
)  # fmt: skip
def test_rejects_invalid_notation(text: str):
    with pytest.raises(MoveUnparsable):
        GAME.read_move(text)
