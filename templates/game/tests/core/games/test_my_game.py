"""My Game: the cases of its reference page, one test each."""

from __future__ import annotations

from collections import Counter

import pytest
from tablier_core.advice import advise
from tablier_core.errors import MoveIllegal, OptionError, TokenInvalid, WrongSeat
from tablier_core.games.my_game.encoding import facts
from tablier_core.position import REFEREE, Position
from tablier_core.registry import GAMES

GAME = GAMES["my-game"]
NONE = 255


def packed(
    hands: list[list[int]],
    rounds: tuple[tuple[int, ...], ...] = (),
    chosen: dict[int, int] | None = None,
    hand_size: int = 3,
) -> bytes:
    """Write the bytes of a state by hand, from the page alone (reference: Byte layout)."""
    data = bytearray([len(hands), hand_size, len(rounds)])
    data += bytes(card - 1 for cards in rounds for card in cards)
    for seat, hand in enumerate(hands):
        data += sum(1 << card - 1 for card in hand).to_bytes(2, "little")
        data.append((chosen or {}).get(seat, NONE + 1) - 1)
    return bytes(data) + bytes(8)


def table(*hands: list[int], chosen: dict[int, int] | None = None) -> Position:
    """Return a position in the first round; the hands have the default size."""
    return GAME.unpack(packed(list(hands), chosen=chosen))


def play(position: Position, *cards: int) -> Position:
    """Let every seat play a card, in seat order."""
    for seat, card in enumerate(cards):
        position = position.apply(seat, GAME.read_move(str(card)))
    return position


# ---- Setup and choosing --------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("hand_size", [1, 2, 3])
def test_deals_every_seat_its_hand_and_the_rest_to_the_pile(seats: int, hand_size: int):
    """(reference: Setup)"""
    known = facts(GAME.start({"seats": seats, "hand_size": hand_size}, 5).pack())
    cards = [*known["pile"], *(card for hand in known["hands"] for card in hand)]
    assert [len(hand) for hand in known["hands"]] == [hand_size] * seats
    assert sorted(cards) == list(range(1, 13))


@pytest.mark.parametrize(
    ("option", "value"), [("seats", 1), ("seats", 5), ("hand_size", 0), ("hand_size", 4)]
)
def test_rejects_options_out_of_range(option: str, value: int):
    with pytest.raises(OptionError) as caught:
        GAME.start({option: value}, 1)
    assert caught.value.field == option


def test_seats_choose_in_any_order_and_only_once():
    """(reference: Choose)"""
    position = table([1, 5, 9], [2, 6, 10], [3, 7, 11])
    assert position.actors == [0, 1, 2]
    after = position.apply(1, GAME.read_move("6"))
    assert after.actors == [0, 2]
    with pytest.raises(WrongSeat):
        after.apply(1, GAME.read_move("2"))


def test_a_seat_plays_cards_of_its_own_hand():
    """(reference: Choose)"""
    position = table([1, 5, 9], [2, 6, 10], [3, 7, 11])
    assert position.notations(0) == ["1", "5", "9"]
    with pytest.raises(MoveIllegal):
        position.apply(0, GAME.read_move("6"))


# ---- Revealing, drawing and winning --------------------------------------------------------------


def test_the_highest_card_wins_the_value_of_the_lowest():
    """(reference: Reveal)"""
    after = play(table([1, 5, 9], [2, 6, 10], [3, 7, 11]), 5, 10, 3)
    assert after.scores == [0, 3, 0]


def test_every_seat_draws_a_card_while_the_pile_lasts():
    """(reference: Draw)"""
    after = play(table([1, 5, 9], [2, 6, 10], [3, 7, 11]), 5, 10, 3)
    known = facts(after.pack())
    assert [len(hand) for hand in known["hands"]] == [3, 3, 3]
    assert known["pile"] == []
    last = play(after, *(hand[0] for hand in known["hands"]))
    assert [len(hand) for hand in facts(last.pack())["hands"]] == [2, 2, 2]


def test_every_card_of_the_pile_is_drawn_equally_often():
    """(reference: Draw)"""
    start = table([1, 5, 9], [2, 6, 10], [3, 7, 11])
    drawn = Counter(
        next(iter(set(facts(after.pack())["hands"][0]) - {1, 5, 9}))
        for after in (play(start.determinize(REFEREE, seed), 5, 10, 3) for seed in range(3000))
    )
    assert set(drawn) == {4, 8, 12}
    assert all(abs(times - 1000) < 150 for times in drawn.values())


def test_the_game_ends_when_all_cards_are_played():
    """(reference: End)"""
    rounds = ((12, 1), (2, 11), (3, 10), (9, 4), (5, 8))
    position = GAME.unpack(packed([[6], [7]], rounds))
    assert position.scores == [1 + 4, 2 + 3 + 5]
    end = play(position, 6, 7)
    assert end.over
    assert (end.scores, end.returns) == ([5, 16], [-1, 1])


def test_tied_winners_share_the_win():
    """(reference: Scoring)"""
    rounds = ((12, 11), (8, 7), (9, 10), (5, 6), (3, 4))
    end = play(GAME.unpack(packed([[1], [2]], rounds)), 1, 2)
    assert (end.scores, end.returns) == ([11 + 7, 9 + 5 + 3 + 1], [0, 0])


# ---- Notation and bytes --------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["0", "13", "07", "7 ", "", "seven"])
def test_other_texts_are_not_moves(text: str):
    """(reference: Moves and notation)"""
    with pytest.raises(Exception, match="not a move"):
        GAME.read_move(text)


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (packed([[1], [2]], hand_size=1)[:-1], "length"),
        (packed([[1]], hand_size=1), "seats"),
        (packed([[1], [1]], hand_size=1), "two places"),
        (packed([[1], [2]], hand_size=2), "wrong number"),
        (packed([[1], [2]], hand_size=1, chosen={0: 3}), "not in the hand"),
        (packed([[1], [2]], hand_size=1, chosen={0: 1, 1: 2}), "every seat has chosen"),
    ],
)
def test_unpack_names_the_fault(data: bytes, fault: str):
    """(reference: Byte layout)"""
    with pytest.raises(TokenInvalid, match=fault):
        GAME.unpack(data)


# ---- Hidden information --------------------------------------------------------------------------


def test_a_view_hides_other_hands_and_choices():
    """(reference: View)"""
    position = table([1, 5, 9], [2, 6, 10], [3, 7, 11], chosen={0: 5, 1: 6})
    own, other, _ = position.observe(0).seats
    assert (own.hand, own.choice) == ((1, 5, 9), 5)
    assert (other.hand, other.hand_size, other.has_chosen, other.choice) == (None, 3, True, None)
    assert position.observe(0).pile is None
    assert position.observe(REFEREE).pile == (4, 8, 12)


def test_worlds_deal_every_unseen_card_equally_often():
    """(reference: View)"""
    position = table([1, 5, 9], [2, 6, 10], [3, 7, 11], chosen={1: 6})
    held, chosen = Counter[int](), Counter[int | None]()
    for seed in range(3000):
        known = facts(position.determinize(0, seed).pack())
        assert known["hands"][0] == [1, 5, 9]
        held.update(known["hands"][1])
        chosen[known["chosen"][1]] += 1
    unseen = {2, 3, 4, 6, 7, 8, 10, 11, 12}
    assert set(held) == set(chosen) == unseen
    assert all(abs(times - 1000) < 150 for times in held.values())
    assert all(abs(times - 333) < 90 for times in chosen.values())


# ---- The engine ----------------------------------------------------------------------------------


def test_the_engine_prefers_the_likeliest_winner():
    """(reference: Engine)"""
    position = table([1, 5, 12], [2, 6, 10], [3, 7, 11])
    report = advise(position, 0, iterations=300)
    weights = {found.action + 1: found.weight for found in report.suggestions}
    # Card 12 beats everything; of the nine unseen cards, three are lower than 5.
    assert weights == {1: 1.0, 5: 1.0 + 3 / 9 * 2 / 8, 12: 2.0}
