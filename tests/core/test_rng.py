"""The generator draws the numbers of its published definition, in every stream, forever."""

from __future__ import annotations

import pytest
from tablier_core.rng import Random, Stream

MASK = 2**64 - 1


class Reference:
    """PCG-XSH-RR 64/32 with Python's unlimited integers."""

    def __init__(self, seed: int, stream: int) -> None:
        self.increment = (2 * stream + 1) & MASK
        self.state = 0
        self.next()
        self.state = (self.state + seed) & MASK
        self.next()

    def next(self) -> int:
        old = self.state
        self.state = (old * 6364136223846793005 + self.increment) & MASK
        word = ((old >> 18) ^ old) >> 27 & 0xFFFFFFFF
        turn = old >> 59
        return (word >> turn | word << (-turn % 32)) & 0xFFFFFFFF

    def below(self, bound: int) -> int:
        """Return the high half of a product; draw again if the low half would cause a bias."""
        while True:
            product = self.next() * bound
            if product % 2**32 >= 2**32 % bound:
                return product // 2**32


def test_draws_the_published_vector():
    random = Random(42, 54)
    assert [random.next() for _ in range(6)] == [
        0xA15C02B7, 0x7B47F409, 0xBA1D3330, 0x83D2F293, 0xBFA4784B, 0xCBED606E,
    ]  # fmt: skip


@pytest.mark.parametrize("stream", [*Stream, 0, 2**64 - 1])
@pytest.mark.parametrize("seed", [0, 1, 2026, 2**63, 2**64 - 1])
def test_every_stream_follows_the_definition(seed, stream):
    random, reference = Random(seed, stream), Reference(seed, int(stream))
    assert [random.next() for _ in range(100)] == [reference.next() for _ in range(100)]


def test_streams_are_never_renumbered():
    assert {stream.name: stream.value for stream in Stream} == {
        "GAME_STREAM": 1,
        "PLAYOUT_STREAM": 2,
        "VIEW_STREAM": 3,
        "SEARCH_STREAM": 4,
        "ENGINE_STREAM": 5,
        "WORLD_STREAM": 6,
        "LEVEL_STREAM": 7,
        "SIMULATION_STREAM": 8,
        "EPISODE_STREAM": 9,
    }


def test_streams_of_one_seed_differ():
    starts = {tuple(Random(7, stream).next() for _ in range(2)) for stream in Stream}
    assert len(starts) == len(Stream)


@pytest.mark.parametrize("bound", [1, 2, 3, 6, 52, 1000, 2**31 + 1, 3 * 2**30, 2**32 - 1])
def test_below_follows_the_definition(bound):
    random, reference = Random(5, 2), Reference(5, 2)
    numbers = [random.below(bound) for _ in range(500)]
    assert numbers == [reference.below(bound) for _ in range(500)]
    assert all(0 <= number < bound for number in numbers)


def test_below_rejects_an_empty_range():
    with pytest.raises(ValueError, match="at least 1"):
        Random(1, 1).below(0)


@pytest.mark.parametrize(("bound", "parts"), [(6, 6), (7, 7), (3 * 2**30, 3)])
def test_below_is_fair(bound, parts):
    # Without rejection, half of all numbers below the last bound would fall into one of the parts.
    draws = 60_000
    random = Random(11, 2)
    counts = [0] * parts
    for _ in range(draws):
        counts[random.below(bound) * parts // bound] += 1
    expected = draws / parts
    assert sum((count - expected) ** 2 / expected for count in counts) < 22.5  # 6 degrees: 0.1 %


def test_unit_has_53_bits_below_one():
    random, reference = Random(3, 4), Reference(3, 4)
    numbers = [random.unit() for _ in range(1000)]
    assert numbers == [
        ((reference.next() >> 5) * 2**26 + (reference.next() >> 6)) / 2**53 for _ in range(1000)
    ]
    assert all(0 <= number < 1 for number in numbers)
    assert abs(sum(numbers) / 1000 - 0.5) < 0.04
