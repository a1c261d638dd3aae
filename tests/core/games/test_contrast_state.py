"""Contrast: decks, hidden information, options, bytes and drawings."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest
from tablier_core.errors import OptionError, TokenInvalid
from tablier_core.games.contrast import deck as built_in
from tablier_core.games.contrast.notation import SYMBOL_NAMES
from tablier_core.position import REFEREE, Position

from tests.core.games.contrast_table import (
    EXCLUDED,
    GAME,
    NOT_YET,
    PLAIN,
    TABLE,
    TO_THE_BOX,
    layout,
    play,
)


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


class TestHiddenInformation:
    """What seats see and cannot see (reference: View)."""

    def mid_game(self) -> Position:
        position = GAME.start({"seats": 5}, 12)
        for ply in range(33):
            seat = position.actors[ply % len(position.actors)]
            position = position.apply(seat, position.moves(seat)[ply % 5])
        return position

    def test_seats_differ_only_in_seeing_their_own_choice(self):
        position = self.mid_game()
        assert 0 < len(position.actors) < 5
        referee = position.observe(REFEREE)
        for viewer in range(5):
            view = position.observe(viewer)
            assert view.pile_order is None
            assert view.box_order is None
            for number, (seen, true) in enumerate(zip(view.seats, referee.seats, strict=True)):
                assert seen.won is None
                assert seen.choice == (true.choice if number == viewer else None)
                assert (seen.row, seen.hand, seen.has_chosen, seen.score) == (
                    true.row, true.hand, true.has_chosen, true.score,
                )  # fmt: skip
            assert (view.rounds, view.image, view.deck) == (
                referee.rounds, referee.image, referee.deck,
            )  # fmt: skip
            assert (view.pile, view.box) == (referee.pile, referee.box)

    def test_worlds_keep_every_image_that_was_shown(self):
        position = self.mid_game()
        truth = position.observe(REFEREE)
        shown = {round_.image for round_ in truth.rounds} | {truth.image}
        places = [[], *(seat.won for seat in truth.seats), truth.pile_order, truth.box_order]
        for seed in range(30):
            world = position.determinize(0, seed).observe(REFEREE)
            others = [[], *(seat.won for seat in world.seats), world.pile_order, world.box_order]
            for true, drawn in zip(places, others, strict=True):
                assert len(true) == len(drawn)
                for image, other in zip(true, drawn, strict=True):
                    assert image == other or not {image, other} & shown

    def test_worlds_draw_unseen_images_uniformly(self):
        position = GAME.unpack(layout(6, pile=4)).apply(0, 0)
        second = Counter(
            position.determinize(0, seed).observe(REFEREE).pile_order[1] for seed in range(3400)
        )
        # 17 images are unseen, 14 of them in the box: about 200 draws each.
        assert set(second) == set(range(18)) - {14}
        assert all(140 < count < 265 for count in second.values())

    def test_worlds_draw_hidden_choices_from_the_hand(self):
        position = GAME.unpack(layout(3)).apply(0, 0).apply(1, 11)
        worlds = [position.determinize(0, seed).observe(REFEREE) for seed in range(1600)]
        assert {world.seats[0].choice for world in worlds} == {"red"}
        assert {world.seats[2].choice for world in worlds} == {None}
        drawn = Counter(world.seats[1].choice for world in worlds)
        hand = [GAME.write_move(move) for move in GAME.unpack(layout(3)).moves(1)]
        assert set(drawn) == set(hand)
        assert all(140 < count < 265 for count in drawn.values())

    def test_information_sets_differ_only_in_what_a_seat_knows(self):
        start = GAME.unpack(layout(3))
        hidden = [start.apply(1, move) for move in start.moves(1)]
        assert len({position.infoset(0) for position in hidden}) == 1
        assert len({position.infoset(1) for position in hidden}) == len(hidden)
        assert len({position.infoset(TABLE) for position in hidden}) == len(hidden)
        assert start.infoset(0) != hidden[0].infoset(0)
        # The low bits alone are usable as a hash.
        assert len({position.infoset(1) & 255 for position in hidden}) > len(hidden) // 2
        revealed = [position.apply(0, 0).apply(2, 0) for position in hidden]
        assert len({position.infoset(0) for position in revealed}) == len(hidden)

    def test_determinizing_for_the_referee_changes_nothing(self):
        position = self.mid_game()
        assert position.determinize(TABLE, 5) == position


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
            ({"deck": [[0.5] * 11] * 40}, "deck"),
            ({"deck": [[0.5] * 13] * 40}, "deck"),
            ({"deck": [0.5] * 40}, "deck"),
            ({"deck": ["twelve chars"] * 40}, "deck"),
            ({"deck": [PLAIN] * 39 + [[0.5] * 11 + [1.001]]}, "deck"),
            ({"deck": [PLAIN] * 39 + [[-0.001] + [0.5] * 11]}, "deck"),
            ({"deck": [[float("nan")] * 12] * 40}, "deck"),
            ({"deck": [[float("inf")] * 12] * 40}, "deck"),
            ({"deck": [[True] * 12] * 40}, "deck"),
            ({"deck": [["0.5"] * 12] * 40}, "deck"),
            ({"deck": [[None] * 12] * 40}, "deck"),
            ({"cards": 74}, "cards"),
        ],
    )
    def test_errors_name_the_bad_option(self, options: dict[str, object], field: str):
        with pytest.raises(OptionError) as caught:
            GAME.start(options, 0)
        assert caught.value.field == field

    def test_errors_in_a_deck_name_the_image_and_the_symbol(self):
        with pytest.raises(OptionError, match="image 2 must be a list of 12"):
            GAME.start({"deck": [PLAIN, PLAIN, PLAIN[1:]]}, 0)
        with pytest.raises(OptionError, match="yellow of image 1"):
            GAME.start({"deck": [PLAIN, [0.5, 1.01, *PLAIN[2:]]]}, 0)

    @pytest.mark.parametrize("seats", range(2, 7))
    def test_a_deck_must_be_longer_than_the_box(self, seats: int):
        shortest = [PLAIN] * (TO_THE_BOX[seats] + 1)
        assert GAME.start({"seats": seats, "deck": shortest}, 0).observe(0).pile == 1
        with pytest.raises(OptionError, match="more than"):
            GAME.start({"seats": seats, "deck": shortest[1:]}, 0)

    def test_the_default_is_four_seats_and_the_built_in_deck(self):
        position = GAME.start({}, 0)
        assert position.seats == 4
        assert not position.observe(0).expert
        assert GAME.start({"deck": None}, 0) == position


def altered(data: bytes, at: int, value: int) -> bytes:
    return data[:at] + bytes([value]) + data[at + 1 :]


class TestBytes:
    """Packed states (reference: Byte layout)."""

    def test_the_layout_is_as_documented(self):
        position = GAME.unpack(layout(3)).apply(2, 11)
        assert position.pack() == layout(3, pending=[NOT_YET, NOT_YET, 11])
        position = play(GAME.unpack(layout(5, pile=7)), ["red", "red", None, "blue", "square"])
        assert position.pack() == layout(5, pile=7, rounds=[[0, 0, EXCLUDED, 2, 11]])

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
            GAME.unpack(altered(layout(4), at, value))

    @pytest.mark.parametrize(
        ("data", "fault"),
        [
            (b"", "length"),
            (layout(4)[:-1], "length"),
            (layout(4) + b"\0", "length"),
            # A symbol that is not in hand, a missing choice, two excluded seats.
            (layout(4, rounds=[[4, 0, 0, 0]]), "rounds"),
            (layout(4, rounds=[[0, 0, 0, NOT_YET]]), "rounds"),
            (layout(4, rounds=[[0, 0, EXCLUDED, EXCLUDED]]), "rounds"),
            (layout(4, rounds=[[13, 0, 0, 0]]), "rounds"),
            # The card was played before and is still in the row.
            (layout(4, rounds=[[0, 2, 2, 2], [0, 2, 2, 2]]), "rounds"),
            # The game was over after the first round.
            (layout(3, pile=2, rounds=[[0, 0, 2], [10, 10, 10]]), "rounds"),
            (layout(4, pending=[4, NOT_YET, NOT_YET, NOT_YET]), "choices"),
            (layout(4, pending=[EXCLUDED, 0, 0, NOT_YET]), "choices"),
            (layout(4, pending=[0, 0, 0, 0]), "choices"),
            (layout(3, pile=1, rounds=[[0, 0, 2]], pending=[10, NOT_YET, NOT_YET]), "choices"),
        ],
    )
    def test_rejects_impossible_choices(self, data: bytes, fault: str):
        with pytest.raises(TokenInvalid, match=f"^{fault}"):
            GAME.unpack(data)

    def test_rejects_padding_that_is_not_zero(self):
        data = layout(3)
        with pytest.raises(TokenInvalid, match=r"^choices"):
            GAME.unpack(altered(data, len(data) - 1, data[-1] | 0x10))

    def test_rejects_affinities_above_one(self):
        data = layout(4, pile=3)
        with pytest.raises(TokenInvalid, match=r"^deck"):
            GAME.unpack(altered(data, len(data) - 1, 201))

    def test_rejects_the_built_in_deck_as_a_custom_one(self):
        deck = GAME.start({}, 0).observe(0).deck
        with pytest.raises(TokenInvalid, match=r"^deck"):
            GAME.unpack(altered(layout(4), 3, 1) + deck)


class TestDrawings:
    def test_the_text_shows_the_viewer_s_choice_and_hides_others(self):
        position = GAME.unpack(layout(3)).apply(0, 0).apply(1, 11)
        own, other = position.draw_text(0), position.draw_text(2)
        assert "chose red" in own
        assert "chose" not in other.replace("has chosen", "")
        assert own.endswith("Round 1: waiting for seat 2")

    def test_the_drawing_shows_the_last_round_and_the_winners(self):
        position = play(GAME.unpack(layout(3, pile=2)), ["red", "red", None])
        assert "last round: red, red, excluded; red won" in position.draw_text(0)
        assert "Seats 0 and 1 share the win with 1 image<" in position.draw_svg(0)

    def test_the_drawing_shows_the_result_of_a_team(self):
        position = play(GAME.unpack(layout(2, pile=1)), ["red", "red"])
        assert "The team loses with 1 point; 22 are needed" in position.draw_text(1)

    def test_different_images_are_different_pictures(self):
        pictures = {GAME.start({}, seed).draw_svg(0).split("</svg>")[0] for seed in range(8)}
        assert len(pictures) == 8
