"""Worlds of Contract after discards have become the draw pile, once and twice.

`agrees` decides from the views alone whether a world agrees with what its viewer saw, with a flow
network of its own: all cards that the viewer saw go into a pile must have been drawn when the pile
is empty.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence

import pytest
from tablier_core.errors import TokenInvalid
from tablier_core.games.contract.observe import Cards, View
from tablier_core.position import Position

from tests.core.games.contract_positions import (
    COLOURS,
    GAME,
    KINDS,
    Table,
    join,
    legal,
    play,
    split,
    view_of,
)

pytestmark = pytest.mark.slow

TOTALS = (10, 10, 10, 10, 13)
Kinds = tuple[int, ...]


def kinds(cards: Cards) -> Kinds:
    assert cards.kinds is not None
    return cards.kinds


def plus(*many: Sequence[int]) -> Kinds:
    return tuple(map(sum, zip(*many, strict=True)))


def minus(some: Kinds, others: Kinds) -> Kinds:
    return tuple(a - b for a, b in zip(some, others, strict=True))


def played_up(view: View, seat: int) -> Kinds:
    """Return the cards that a seat has played or paid face up in this round."""
    up = [0, 0, 0, 0, view.seats[seat].paid_up]
    for place in view.row:
        up[4] += place.stakes[seat].dollars
        if place.stakes[seat].contracts:
            up[COLOURS.index(place.mafioso.family)] += place.stakes[seat].contracts
    return tuple(up)


def played_down(view: View, seat: int) -> Kinds:
    stakes = [kinds(place.stakes[seat].down) for place in view.row]
    return plus(kinds(view.seats[seat].paid_down), *stakes)


def had(view: View, seat: int) -> Kinds:
    """Return all cards that a seat has had in this round."""
    return plus(kinds(view.seats[seat].hand), played_up(view, seat), played_down(view, seat))


def max_flow(capacity: dict[object, dict[object, int]]) -> int:
    """Return the maximum flow from "source" to "sink"; modifies the capacities."""
    flow = 0
    while True:
        came_from: dict[object, object] = {"source": None}
        queue: list[object] = ["source"]
        for node in queue:
            for head, room in capacity.get(node, {}).items():
                if room and head not in came_from:
                    came_from[head] = node
                    queue.append(head)
        if "sink" not in came_from:
            return flow
        node = "sink"
        while node != "source":
            tail = came_from[node]
            capacity[tail][node] -= 1
            back = capacity.setdefault(node, {})
            back[tail] = back.get(tail, 0) + 1
            node = tail
        flow += 1


def agrees(world: View, before: View, viewer: int) -> bool:
    """Whether a world after the second shuffle agrees with the first.

    `before` is the referee's view at the end of the round between them. A unit of flow is a card of
    another seat that is older than the first shuffle. Their number by kind is limited, since the
    viewer saw the rest go into that pile.
    """
    first = [seat.shuffled[0] for seat in before.seats]
    known = plus(kinds(first[viewer].down), *(pile.up for pile in first))
    own_old = minus(had(before, viewer), kinds(first[viewer].drawn))
    capacity: dict[object, dict[object, int]] = {
        "source": dict(enumerate(minus(minus(TOTALS, known), own_old)))
    }
    wanted = 0
    for seat, shown in enumerate(world.seats):
        if seat == viewer:
            continue
        let_go = plus(played_up(before, seat), kinds(shown.shuffled[1].down))
        kept = minus(had(world, seat), kinds(shown.shuffled[1].drawn))
        assert min(kept) >= 0
        old = sum(had(before, seat)) - first[seat].drawn.count
        # A seat cannot have discarded what it drew from the first pile later.
        surely = max(0, sum(let_go) - first[seat].drawn.count)
        wanted += old
        for kind in range(5):
            edges = capacity.setdefault(kind, {})
            edges["let go", seat], edges["kept", seat] = let_go[kind], kept[kind]
        capacity["let go", seat] = {("surely", seat): surely, ("either", seat): old - surely}
        capacity["kept", seat] = {("either", seat): old - surely}
        capacity["surely", seat] = {"sink": surely}
        capacity["either", seat] = {"sink": old - surely}
    return max_flow(capacity) == wanted


def choose(notations: list[str], chance: random.Random) -> str:
    """Prefer short rounds with cards face up, so that piles run out and much of them is known."""
    for wanted, odds in ((("pass", "done"), 0.4), (("contract", "dollar", "pay dollar"), 0.9)):
        found = [notation for notation in notations if notation in wanted]
        if found and chance.random() < odds:
            return chance.choice(found)
    return chance.choice([n for n in notations if n.startswith("on")] or notations)


def walk(seats: int, seed: int) -> Iterator[tuple[Position, View | None]]:
    """Yield the positions after a shuffle, with the referee's last view before a second one."""
    chance = random.Random(seed)
    position = GAME.start({"seats": seats}, seed)
    before = None
    while not position.over:
        view = view_of(position)
        if view.shuffles == 1:
            before = view
        if view.shuffles:
            yield position, before if view.shuffles == 2 else None
        position = play(position, choose(legal(position), chance))


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_worlds_contain_what_the_viewer_saw_go_into_the_pile(seats: int):
    checked = 0
    for seed in range(6):
        for position, _ in walk(seats, seed):
            viewer = checked % seats
            world = view_of(position.determinize(viewer, seed))
            assert world.pile is not None
            piles = [seat.shuffled[-1] for seat in world.seats]
            there = plus(*(kinds(pile.drawn) for pile in piles), [*map(world.pile.count, KINDS)])
            assert min(minus(there, plus(kinds(piles[viewer].down), *(p.up for p in piles)))) >= 0
            checked += 1
    assert checked > 30


@pytest.mark.parametrize("seats", [4, 5])
def test_worlds_agree_with_both_of_two_shuffles(seats: int):
    checked = 0
    for seed in range(24):
        for position, before in walk(seats, seed):
            if before is None or checked > 100:
                continue
            viewer = checked % seats
            assert agrees(view_of(position), before, viewer)
            world = position.determinize(viewer, checked)
            assert agrees(view_of(world), before, viewer)
            assert world.observe(viewer) == position.observe(viewer)
            assert GAME.unpack(world.pack()).pack() == world.pack()
            checked += 1
    assert checked > 20


@pytest.mark.parametrize("seats", [4, 5])
def test_worlds_of_a_finished_game_remember_when_cards_were_discarded(seats: int):
    """Cards drawn in the last round cannot be among those discarded before it."""
    checked = 0
    for seed in range(30):
        *_, (position, _) = walk(seats, seed)
        last = view_of(position)
        if last.shuffles == 2 or not any(sum(seat.discarded_up) for seat in last.seats):
            continue
        over = play(position, choose(legal(position), random.Random(seed)))
        while not over.over:
            over = play(over, legal(over)[-1])
        for number in range(10):
            viewer = number % seats
            world = view_of(over.determinize(viewer, number))
            for before, seat in zip(last.seats, world.seats, strict=True):
                drawn = kinds(seat.shuffled[-1].drawn)
                had = plus(kinds(seat.hand), seat.discarded_up, kinds(seat.discarded_down))
                later = minus(had, before.discarded_up)
                of_old = sum(max(0, short) for short in minus(drawn, later))
                assert of_old <= before.shuffled[-1].drawn_before
                checked += 1
    assert checked > 100


def twice(mine: list[str], next_to_me: list[str]) -> Position:
    """Round 4 of four seats, after two shuffles of cards that were all discarded face up.

    First all Brakova contracts were shuffled, and seats 0 and 1 drew five each. Then Yakaz
    contracts and dollars were shuffled, and seat 2 has drawn five of these. All other cards have
    been in the same hands since before the first shuffle.
    """
    hands = {
        0: mine,
        1: next_to_me,
        2: ["yakaz"] * 3 + ["dollar"] * 2 + ["costa"] * 5,
        3: ["rodrigos"] * 5 + ["costa"] * 5,
    }
    fields = Table(seats=4, round=4, hands=hands).fields()
    fields["shuffles"] = [2]
    fields["first_up"][:5] = [10, 0, 0, 0, 0]
    fields["first_drawn"][:10] = [5, 0, 0, 0, 0] * 2
    fields["first_before"] = [5, 5, 0, 0, 0]
    fields["second_up"][10:15] = [0, 10, 0, 0, 13]
    fields["second_drawn"][10:15] = [0, 3, 0, 0, 2]
    return GAME.unpack(join(fields))


def hands_in_worlds(position: Position, viewer: int, seat: int) -> Counter[Kinds]:
    worlds = (view_of(position.determinize(viewer, seed)) for seed in range(200))
    return Counter(kinds(world.seats[seat].hand) for world in worlds)


def test_cards_of_the_first_shuffle_stay_with_the_seats_that_drew_them():
    position = twice(["brakova"] * 5 + ["rodrigos"] * 5, ["brakova"] * 5)
    assert set(hands_in_worlds(position, 0, 1)) == {(5, 0, 0, 0, 0)}
    assert len(hands_in_worlds(position, 0, 2)) > 10
    # Seat 3 knows that both drew Brakova; the rest of seat 0's hand can be any older cards.
    assert set(hands_in_worlds(position, 3, 1)) == {(5, 0, 0, 0, 0)}
    old = hands_in_worlds(position, 3, 0)
    assert {hand[0] for hand in old} == {5}
    assert len(old) > 2


def test_a_token_that_contradicts_the_first_shuffle_still_has_worlds():
    """Seat 0 holds all Brakova contracts, although seat 1 has drawn five."""
    position = twice(["brakova"] * 10, ["rodrigos"] * 5)
    hands = set()
    for seed in range(20):
        world = position.determinize(0, seed)
        assert world.observe(0) == position.observe(0)
        assert world.infoset(0) == position.infoset(0)
        assert GAME.unpack(world.pack()).pack() == world.pack()
        assert world.determinize(0, 7) == position.determinize(0, 7)
        hands.add(kinds(view_of(world).seats[1].hand))
    assert len(hands) > 2


def test_rejects_impossible_shuffles():
    position = twice(["brakova"] * 5 + ["rodrigos"] * 5, ["brakova"] * 5)
    for name, at, value in (
        ("first_up", 0, 9),
        ("first_drawn", 0, 4),
        ("first_before", 0, 6),
        ("second_drawn", 11, 4),
        ("second_before", 2, 6),
        ("second_up", 14, 12),
    ):
        fields = split(position.pack())
        fields[name][at] = value
        with pytest.raises(TokenInvalid, match="shuffle"):
            GAME.unpack(join(fields))
    # Seat 3 cannot have drawn more than it has had since.
    fields = split(position.pack())
    fields["first_up"][:5] = [10, 0, 1, 10, 0]
    fields["first_drawn"][15:20] = [0, 0, 1, 10, 0]
    fields["first_before"][3] = 11
    with pytest.raises(TokenInvalid, match="shuffle"):
        GAME.unpack(join(fields))
    # A shuffle that has not happened is empty, and there are never three.
    fields = split(position.pack())
    fields["shuffles"] = [1]
    with pytest.raises(TokenInvalid, match="does not have"):
        GAME.unpack(join(fields))
    fields["shuffles"] = [3]
    with pytest.raises(TokenInvalid, match="range"):
        GAME.unpack(join(fields))
