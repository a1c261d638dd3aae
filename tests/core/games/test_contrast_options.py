"""The options of Contrast, and its decks."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest
from tablier_core.errors import OptionError
from tablier_core.games.contrast import deck as built_in
from tablier_core.games.contrast.notation import SYMBOL_NAMES

from tests.core.games.contrast_positions import GAME, PLAIN, TO_THE_BOX


def deck_of(images: int) -> list[list[float]]:
    return [[(12 * image + symbol) % 201 / 200 for symbol in range(12)] for image in range(images)]


class TestDeck:
    def test_the_file_is_what_the_procedure_generates(self):
        made = built_in.make_deck()
        assert built_in.read_deck() == made
        assert len(made) == 74
        assert all(len(image) == 12 for image in made)
        assert all(0 <= affinity <= 1 for image in made for affinity in image)

    def test_opposites_exclude_each_other(self):
        for image in built_in.read_deck():
            for first, second in zip(image[::2], image[1::2], strict=True):
                assert min(first, second) <= 0.6
            # Apart from colours, opposites share at most 1; 0.01 is rounding.
            assert all(image[i] + image[i + 1] <= 1.01 for i in range(4, 12, 2))

    def test_every_symbol_fits_some_image_best(self):
        best = Counter(SYMBOL_NAMES[image.index(max(image))] for image in built_in.read_deck())
        assert set(best) == set(SYMBOL_NAMES)
        assert max(best.values()) <= 74 // 4

    def test_the_view_has_the_affinities_of_the_current_image(self):
        position = GAME.start({}, 4)
        view = position.observe(1)
        assert list(view.affinities) == built_in.read_deck()[view.image]

    @pytest.mark.parametrize("images", [23, 74, 120])
    def test_the_view_returns_a_custom_deck_exactly(self, images: int):
        deck = deck_of(images)
        view = GAME.start({"deck": deck}, 4).observe(0)
        assert [step / 200 for step in view.deck] == [value for image in deck for value in image]
        assert list(view.affinities) == deck[view.image]
        assert (view.pile, view.box) == (images - 22, 22)

    def test_affinities_are_rounded_to_the_nearest_200th(self):
        deck = [[0, 1, 1 / 3, 0.0024, 0.0026, 0.999, 0.5, 0.29, 0.07, 0.125, 0.1, 0.9]] * 23
        affinities = GAME.start({"deck": deck}, 0).observe(0).affinities
        assert affinities == (0, 1, 0.335, 0, 0.005, 1, 0.5, 0.29, 0.07, 0.125, 0.1, 0.9)

    def test_passing_the_built_in_deck_as_an_option_makes_no_difference(self):
        given = GAME.start({"deck": built_in.read_deck()}, 8)
        assert given.pack() == GAME.start({}, 8).pack()

    @pytest.mark.parametrize("seats", range(2, 7))
    def test_the_largest_state_fits_in_a_token(self, seats: int):
        position = GAME.start({"seats": seats, "expert": True, "deck": deck_of(120)}, 1)
        while not position.over:
            # If all choices differ nobody wins, so this is the longest game.
            hands = [position.moves(seat) for seat in range(seats)]
            votes = next(votes for votes in itertools.product(*hands) if len(set(votes)) == seats)
            for seat, symbol in enumerate(votes):
                position = position.apply(seat, symbol)
        assert len(position.observe(0).rounds) == 120 - TO_THE_BOX[seats]
        assert len(position.pack()) <= 2048
        assert GAME.unpack(position.pack()).pack() == position.pack()


class TestOptions:
    """Options (reference: Seats and options)."""

    @pytest.mark.parametrize(
        ("options", "field"),
        [
            ({"seats": 1}, "seats"),
            ({"seats": 7}, "seats"),
            ({"seats": "4"}, "seats"),
            ({"seats": True}, "seats"),
            ({"expert": 1}, "expert"),
            ({"expert": "yes"}, "expert"),
            ({"deck": 5}, "deck"),
            ({"deck": "red"}, "deck"),
            ({"deck": {}}, "deck"),
            ({"deck": []}, "deck"),
            ({"deck": [PLAIN] * 22}, "deck"),
            ({"deck": [PLAIN] * 121}, "deck"),
            ({"deck": [PLAIN] * 30, "seats": 2}, "deck"),
            ({"deck": [PLAIN] * 14, "seats": 6}, "deck"),
            ({"deck": [[0.5] * 11] * 40}, "deck[0]"),
            ({"deck": [[0.5] * 13] * 40}, "deck[0]"),
            ({"deck": [0.5] * 40}, "deck[0]"),
            ({"deck": ["twelve chars"] * 40}, "deck[0]"),
            ({"deck": [PLAIN] * 39 + [[0.5] * 11 + [1.001]]}, "deck[39][11]"),
            ({"deck": [PLAIN] * 39 + [[-0.001] + [0.5] * 11]}, "deck[39][0]"),
            ({"deck": [[float("nan")] * 12] * 40}, "deck[0][0]"),
            ({"deck": [[float("inf")] * 12] * 40}, "deck[0][0]"),
            ({"deck": [[True] * 12] * 40}, "deck[0][0]"),
            ({"deck": [["0.5"] * 12] * 40}, "deck[0][0]"),
            ({"deck": [[None] * 12] * 40}, "deck[0][0]"),
            ({"cards": 74}, "cards"),
        ],
    )
    def test_errors_name_the_bad_option(self, options: dict[str, object], field: str):
        with pytest.raises(OptionError) as caught:
            GAME.start(options, 0)
        assert caught.value.field == field

    def test_errors_in_a_deck_name_the_image_and_the_symbol(self):
        with pytest.raises(OptionError, match="must be a list of 12") as caught:
            GAME.start({"deck": [PLAIN, PLAIN, PLAIN[1:]] * 10}, 0)
        assert caught.value.field == "deck[2]"
        with pytest.raises(OptionError, match="must be a number from 0 to 1") as caught:
            GAME.start({"deck": [PLAIN, [0.5, 1.01, *PLAIN[2:]]] * 20}, 0)
        assert caught.value.field == "deck[1][1]"

    @pytest.mark.parametrize("seats", range(2, 7))
    def test_a_deck_must_be_longer_than_the_box(self, seats: int):
        shortest = [PLAIN] * (TO_THE_BOX[seats] + 1)
        assert GAME.start({"seats": seats, "deck": shortest}, 0).observe(0).pile == 1
        message = "a list of 15 to 120" if seats == 6 else "more than"
        with pytest.raises(OptionError, match=message):
            GAME.start({"seats": seats, "deck": shortest[1:]}, 0)

    def test_the_default_is_four_seats_and_the_built_in_deck(self):
        position = GAME.start({}, 0)
        assert position.seats == 4
        assert not position.observe(0).expert
