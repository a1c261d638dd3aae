"""What the seats of Contract know, and the worlds drawn for them (reference: View)."""

from __future__ import annotations

import random
from collections import Counter

from tablier_core.games.contract.observe import View
from tablier_core.position import Position

from tests.core.games.contract_positions import (
    GAME,
    KINDS,
    ROW,
    Stakes,
    Table,
    join,
    legal,
    play,
    view_of,
)

WORLDS = 300


def worlds(position: Position, viewer: int) -> list[View]:
    """Return the referee's view of many worlds that a seat cannot tell from the true one."""
    return [view_of(position.determinize(viewer, seed), -1) for seed in range(WORLDS)]


def hand(view: View, seat: int) -> tuple[int, ...]:
    kinds = view.seats[seat].hand.kinds
    assert kinds is not None
    return kinds


def begun(hands: dict[int, list[str]]) -> Position:
    """Seat 0 has influenced the first Mafioso with a face-down card; seat 1 is to move."""
    stakes = {(1, 0): (1, 0, 0, ["costa"])}
    table = Table(row=ROW, stakes=stakes, numbers={"to_move": 1}, hands=hands)
    return table.position()


def test_a_seat_sees_its_own_hand_and_the_size_of_others():
    position = GAME.start({"seats": 4}, 3)
    view = view_of(position, 2)
    assert [seat.hand.kinds is not None for seat in view.seats] == [False, False, True, False]
    assert [seat.hand.count for seat in view.seats] == [5, 5, 5, 5]
    assert (view.pile, view.deck, view.chance) == (None, None, None)
    assert len(view.unseen) == 24 - 3


def test_only_the_seat_that_played_a_face_down_card_sees_it():
    position = begun({1: ["yakaz", "yakaz", "dollar", "dollar", "costa"]})
    own, other = view_of(position, 0), view_of(position, 2)
    assert own.row[0].stakes[0].down.kinds == (0, 0, 0, 1, 0)
    assert (other.row[0].stakes[0].down.kinds, other.row[0].stakes[0].down.count) == (None, 1)
    position = play(position, "on 2", "token", "down yakaz")
    assert (
        view_of(position, 2).action
        == view_of(play(begun({}), "on 2", "token", "down brakova"), 2).action
    )
    assert view_of(position, 1).action != view_of(position, 2).action
    position = play(position, "done")
    while view_of(position, 0).round == 1:
        position = play(position, "pass")
    assert view_of(position, 0).seats[1].discarded_down.kinds is None
    assert view_of(position, 1).seats[1].discarded_down.kinds == (0, 1, 0, 0, 0)


def test_only_the_seat_that_paid_a_face_down_card_sees_it():
    position = play(begun({1: ["yakaz", "costa", "dollar", "dollar", "costa"]}), "vicelard-to 2")
    half = play(position, "pay down yakaz")
    assert view_of(half, 1).action != view_of(half, 0).action
    assert view_of(half, 0).action == view_of(play(position, "pay down costa"), 0).action
    assert half.infoset(0) == play(position, "pay down costa").infoset(0)
    assert half.infoset(1) != play(position, "pay down costa").infoset(1)


def test_hidden_cards_stay_hidden_at_the_end():
    chance = random.Random(1)
    position = GAME.start({}, 5)
    while not position.over:
        position = play(
            position,
            chance.choice([m for m in legal(position) if m != "down yakaz"] or ["down yakaz"]),
        )
    view = view_of(position, 0)
    assert view.seats[1].hand.kinds is None
    assert view.seats[1].discarded_down.kinds is None
    assert view.pile is None


def test_worlds_reach_every_hidden_value_and_kind():
    position = begun({})
    found = worlds(position, 1)
    unseen = {m.value for m in view_of(position, 1).unseen if m.family == "yakaz"}
    assert {world.row[0].mafioso.value for world in found} == unseen == {4, 5, 6}
    assert {world.row[3].mafioso.value for world in found} == {3}
    assert all(world.row[0].mafioso.family == "yakaz" for world in found)
    down = Counter(world.row[0].stakes[0].down.kinds for world in found)
    assert len(down) == 5
    assert min(down.values()) > WORLDS / 20
    assert len({world.pile for world in found}) > WORLDS / 2
    assert len({world.deck for world in found}) > WORLDS / 2
    assert len({world.chance for world in found}) == WORLDS
    assert all(hand(world, 1) == hand(view_of(position, -1), 1) for world in found)


def test_the_only_card_of_a_seat_that_pays_for_vicelard_is_a_dollar():
    stakes = {(1, 0): (1, 0, 0, ["costa"]), (2, 1): (1, 0, 0, ["yakaz"] * 4)}
    table = Table(row=ROW, stakes=stakes, numbers={"to_move": 1}, hands={1: ["dollar"]})
    position = play(table.position(), "vicelard-to 2")
    assert {hand(world, 1) for world in worlds(position, 0)} == {(0, 0, 0, 0, 1)}


def test_after_a_first_half_dollar_the_seat_can_still_pay_the_second():
    stakes = {(1, 0): (1, 0, 0, ["costa"]), (2, 1): (1, 0, 0, ["yakaz"] * 3)}
    table = Table(row=ROW, stakes=stakes, numbers={"to_move": 1}, hands={1: ["brakova", "costa"]})
    position = play(table.position(), "vicelard-to 2", "pay down brakova")
    pairs = set()
    for world in worlds(position, 0):
        assert world.action is not None
        assert world.action.half_kind is not None
        pairs.add((KINDS.index(world.action.half_kind), hand(world, 1).index(1)))
    assert pairs == {(first, second) for first in range(5) for second in range(first, 5)}


def shuffled(stakes: Stakes) -> dict[str, list[int]]:
    """Round 4, after all Brakova contracts and 8 dollars were discarded face up and shuffled.

    Seats 0 and 1 have drawn nothing since; seat 0 holds Yakaz. All cards of seat 2 are from the
    pile.
    """
    hands = {0: ["yakaz"] * 5, 1: ["costa"] * 5, 2: ["brakova"] * 3 + ["dollar"] * 2}
    table = Table(row=["brakova 5", *ROW[1:]], round=4, hands=hands, stakes=stakes)
    fields = table.fields()
    fields["discarded_up"][:5] = [0, 5, 10, 5, 5]
    fields["pile_count"] = [13]
    fields["pile"] = [0] * 7 + [4] * 6 + [0] * 40
    fields["shuffles"] = [1]
    fields["first_up"][:5] = [10, 0, 0, 0, 8]
    fields["first_drawn"][10:15] = [3, 0, 0, 0, 2]
    return fields


def test_shuffled_cards_are_in_the_pile_or_with_seats_that_drew_from_it():
    position = GAME.unpack(join(shuffled({})))
    found = worlds(position, 0)
    assert {hand(world, 1) for world in found} == {(0, 0, 0, 5, 0)}
    assert len({hand(world, 2) for world in found}) == 6
    for world in found:
        assert world.pile is not None
        counts = Counter(world.pile)
        assert counts["brakova"] + hand(world, 2)[0] == 10
        assert counts["dollar"] + hand(world, 2)[4] == 8
    # Seat 2 knows only what was shuffled, so seats 0 and 1 may have any other cards.
    assert len({hand(world, 1) for world in worlds(position, 2)}) > 3


def test_a_card_played_face_up_is_traced_to_the_pile():
    """Seat 2 drew one card and then played a Brakova: it must be that one, so its hand is older."""
    fields = shuffled({})
    fields["hand"][10:15] = [0, 0, 0, 0, 4]
    fields["discarded_up"][:5] = [0, 5, 10, 5, 1]
    fields["tokens"][2] = 1
    fields["contracts"][2] = 1
    fields["first"] = fields["to_move"] = [2]
    fields["pile_count"] = [17]
    fields["pile"] = [0] * 9 + [4] * 8 + [0] * 36
    fields["first_drawn"][10:15] = [1, 0, 0, 0, 0]
    position = GAME.unpack(join(fields))
    for world in worlds(position, 0):
        assert world.pile is not None
        assert Counter(world.pile) == {"brakova": 9, "dollar": 8}
        assert world.seats[2].shuffled[0].drawn.kinds == (1, 0, 0, 0, 0)
