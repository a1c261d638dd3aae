"""The bytes of Contrast."""

from __future__ import annotations

import pytest
from tablier_core.errors import TokenInvalid

from tests.core.games.contrast_positions import EXCLUDED, GAME, NOT_YET, packed, play


def altered(data: bytes, at: int, value: int) -> bytes:
    return data[:at] + bytes([value]) + data[at + 1 :]


class TestBytes:
    """Packed states (reference: Byte layout)."""

    def test_the_layout_is_as_documented(self):
        position = GAME.unpack(packed(3)).apply(2, 11)
        assert position.pack() == packed(3, pending=[NOT_YET, NOT_YET, 11])
        position = play(GAME.unpack(packed(5, pile=7)), ["red", "red", None, "blue", "square"])
        assert position.pack() == packed(5, pile=7, rounds=[[0, 0, EXCLUDED, 2, 11]])

    @pytest.mark.parametrize(
        ("at", "value", "fault"),
        [
            (0, 1, "seats"),
            (0, 7, "seats"),
            (1, 1, "row"),
            (1, 4, "row"),
            (2, 73, "images"),
            (3, 2, "deck"),
            (4, 60, "rounds"),
            (4, 1, "length"),
            (5, 1, "order"),
            (5, 74, "order"),
            (79, 6, "rows"),
            (79, 4, "rows"),
        ],
    )
    def test_rejects_invalid_settings_and_deals(self, at: int, value: int, fault: str):
        with pytest.raises(TokenInvalid, match=fault):
            GAME.unpack(altered(packed(4), at, value))

    @pytest.mark.parametrize(
        ("data", "fault"),
        [
            (b"", "length"),
            (packed(4)[:-1], "length"),
            (packed(4) + b"\0", "length"),
            # A symbol that is not in hand, a missing choice, two excluded seats.
            (packed(4, rounds=[[4, 0, 0, 0]]), "rounds"),
            (packed(4, rounds=[[0, 0, 0, NOT_YET]]), "rounds"),
            (packed(4, rounds=[[0, 0, EXCLUDED, EXCLUDED]]), "rounds"),
            (packed(4, rounds=[[13, 0, 0, 0]]), "rounds"),
            # The card was played before and is still in the row.
            (packed(4, rounds=[[0, 2, 2, 2], [0, 2, 2, 2]]), "rounds"),
            # The game was over after the first round.
            (packed(3, pile=2, rounds=[[0, 0, 2], [10, 10, 10]]), "rounds"),
            (packed(4, pending=[4, NOT_YET, NOT_YET, NOT_YET]), "choices"),
            (packed(4, pending=[EXCLUDED, 0, 0, NOT_YET]), "choices"),
            (packed(4, pending=[0, 0, 0, 0]), "choices"),
            (packed(3, pile=1, rounds=[[0, 0, 2]], pending=[10, NOT_YET, NOT_YET]), "choices"),
        ],
    )
    def test_rejects_impossible_choices(self, data: bytes, fault: str):
        with pytest.raises(TokenInvalid, match=f"^{fault}"):
            GAME.unpack(data)

    def test_rejects_padding_that_is_not_zero(self):
        data = packed(3)
        with pytest.raises(TokenInvalid, match=r"^choices"):
            GAME.unpack(altered(data, len(data) - 1, data[-1] | 0x10))

    def test_rejects_affinities_above_one(self):
        data = packed(4, pile=3)
        with pytest.raises(TokenInvalid, match=r"^deck"):
            GAME.unpack(altered(data, len(data) - 1, 201))

    def test_rejects_the_built_in_deck_as_a_custom_one(self):
        deck = GAME.start({}, 0).observe(0).deck
        with pytest.raises(TokenInvalid, match=r"^deck"):
            GAME.unpack(altered(packed(4), 3, 1) + deck)
