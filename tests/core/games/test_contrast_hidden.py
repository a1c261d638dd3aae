"""Hidden information in Contrast: views, worlds and information sets."""

from __future__ import annotations

from collections import Counter

from tablier_core.position import REFEREE, Position

from tests.core.games.contrast_positions import GAME, TABLE, packed


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
        position = GAME.unpack(packed(6, pile=4)).apply(0, 0)
        second = Counter(
            position.determinize(0, seed).observe(REFEREE).pile_order[1] for seed in range(3400)
        )
        # 17 images are unseen, 14 of them in the box: about 200 draws each.
        assert set(second) == set(range(18)) - {14}
        assert all(140 < count < 265 for count in second.values())

    def test_worlds_draw_hidden_choices_from_the_hand(self):
        position = GAME.unpack(packed(3)).apply(0, 0).apply(1, 11)
        worlds = [position.determinize(0, seed).observe(REFEREE) for seed in range(1600)]
        assert {world.seats[0].choice for world in worlds} == {"red"}
        assert {world.seats[2].choice for world in worlds} == {None}
        drawn = Counter(world.seats[1].choice for world in worlds)
        hand = [GAME.write_move(move) for move in GAME.unpack(packed(3)).moves(1)]
        assert set(drawn) == set(hand)
        assert all(140 < count < 265 for count in drawn.values())

    def test_information_sets_differ_only_in_what_a_seat_knows(self):
        start = GAME.unpack(packed(3))
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
