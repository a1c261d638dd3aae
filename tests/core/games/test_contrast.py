"""The rules of Contrast, section by section."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest
from tablier_core.errors import GameOver, MoveIllegal, MoveUnparsable, WrongSeat
from tablier_core.games.contrast.encoding import CARD_NAMES
from tablier_core.games.contrast.notation import SYMBOL_NAMES
from tablier_core.position import REFEREE, Position

from tests.core.games.contrast_positions import EXCLUDE, GAME, PLAIN, TABLE, packed, play


def scores(position: Position) -> list[int]:
    return [seat.score for seat in position.observe(REFEREE).seats]


class TestComponents:
    """Cards and images (reference: Setup)."""

    def test_there_are_six_cards_of_two_symbols(self):
        assert CARD_NAMES == (
            "red/yellow", "blue/green", "large/small", "heavy/light", "thick/thin", "round/square",
        )  # fmt: skip

    @pytest.mark.parametrize(
        ("seats", "box", "pile"),
        [(2, 30, 44), (3, 26, 48), (4, 22, 52), (5, 18, 56), (6, 14, 60)],
    )
    def test_the_pile_has_the_images_that_do_not_go_to_the_box(
        self, seats: int, box: int, pile: int
    ):
        view = GAME.start({"seats": seats}, 1).observe(REFEREE)
        assert (view.box, view.pile) == (box, pile)
        assert sorted(view.pile_order + view.box_order) == list(range(74))
        assert len(view.deck) == 74 * 12

    def test_the_deck_is_shuffled(self):
        orders = {GAME.start({}, seed).observe(REFEREE).pile_order for seed in range(20)}
        assert len(orders) == 20
        # Every image can be first; 2000 deals miss one of the 74 with a chance of 1 in 10**10.
        first = {GAME.start({}, seed).observe(0).image for seed in range(2000)}
        assert first == set(range(74))


class TestStart:
    """The first rows (reference: Setup)."""

    @pytest.mark.parametrize("seats", range(2, 7))
    @pytest.mark.parametrize(("expert", "row_length"), [(False, 2), (True, 3)])
    def test_the_cards_that_are_not_in_the_row_are_the_hand(
        self, seats: int, expert: bool, row_length: int
    ):
        view = GAME.start({"seats": seats, "expert": expert}, 5).observe(0)
        assert len(view.seats) == seats
        for seat in view.seats:
            assert len(seat.row) == row_length
            assert sorted(seat.row + seat.hand) == sorted(CARD_NAMES)

    def test_each_seat_shuffles_its_own_cards(self):
        rows = Counter(
            seat.row for seed in range(300) for seat in GAME.start({}, seed).observe(0).seats
        )
        assert len(rows) == 6 * 5  # every ordered pair
        assert max(rows.values()) < 3 * min(rows.values())


class TestChoose:
    """Choosing a symbol (reference: A turn, step 1)."""

    def test_a_seat_chooses_a_symbol_on_a_card_in_hand(self):
        position = GAME.unpack(packed(4, rows=[(0, 1), (2, 3), (4, 5), (0, 5)]))
        hands = [" ".join(map(GAME.write_move, position.moves(seat))) for seat in range(4)]
        assert hands == [
            "large small heavy light thick thin round square",
            "red yellow blue green thick thin round square",
            "red yellow blue green large small heavy light",
            "blue green large small heavy light thick thin",
        ]
        with pytest.raises(MoveIllegal):
            position.apply(0, GAME.read_move("red"))

    def test_expert_hands_have_six_symbols(self):
        position = GAME.start({"expert": True}, 3)
        assert [position.count_moves(seat) for seat in range(4)] == [6] * 4

    def test_a_choice_is_final(self):
        position = GAME.unpack(packed(4)).apply(2, 0)
        assert position.actors == [0, 1, 3]
        assert position.moves(2) == []
        with pytest.raises(WrongSeat):
            position.apply(2, 1)

    def test_seats_choose_in_any_order(self):
        votes = dict(enumerate(["red", "red", "blue", "square"]))
        after = set()
        for order in itertools.permutations(votes):
            position = GAME.unpack(packed(4))
            for seat in order:
                position = position.apply(seat, GAME.read_move(votes[seat]))
            after.add(position.pack())
        assert len(after) == 1

    def test_choices_are_hidden_until_the_reveal(self):
        position = GAME.unpack(packed(3)).apply(0, 0).apply(1, 11)
        shown = [[seat.choice for seat in position.observe(viewer).seats] for viewer in range(3)]
        assert shown == [["red", None, None], [None, "square", None], [None, None, None]]
        assert [seat.choice for seat in position.observe(REFEREE).seats] == ["red", "square", None]
        assert [seat.has_chosen for seat in position.observe(2).seats] == [True, True, False]
        assert position.apply(2, 2).observe(2).rounds[0].choices == ("red", "square", "blue")


class TestExclude:
    """Excluding the last seat (reference: A turn, step 2)."""

    @pytest.mark.parametrize("seats", range(2, 7))
    def test_excluding_is_legal_only_when_one_seat_has_not_chosen(self, seats: int):
        position = GAME.unpack(packed(seats))
        for seat in range(seats):
            waited = seats - seat
            assert position.moves(TABLE) == ([EXCLUDE] if waited == 1 else [])
            assert TABLE not in position.actors
            assert all(EXCLUDE not in position.moves(mover) for mover in range(seats))
            with pytest.raises(MoveIllegal):
                position.apply(seat, EXCLUDE)
            if waited > 1:
                with pytest.raises(MoveIllegal):
                    position.apply(TABLE, EXCLUDE)
                position = position.apply(seat, 0)
        with pytest.raises(MoveIllegal):
            position.apply(TABLE, 0)
        after = position.apply(TABLE, EXCLUDE)
        assert after.observe(0).rounds[0].choices == ("red",) * (seats - 1) + (None,)
        assert after.moves(TABLE) == []

    def test_an_excluded_seat_keeps_its_row(self):
        before = GAME.unpack(packed(4, rows=[(0, 1), (2, 4), (2, 4), (2, 4)]))
        after = play(before, [None, "red", "blue", "square"])
        rows = [seat.row for seat in after.observe(0).seats]
        assert rows == [
            ("red/yellow", "blue/green"),
            ("thick/thin", "red/yellow"),
            ("thick/thin", "blue/green"),
            ("thick/thin", "round/square"),
        ]
        assert after.actors == [0, 1, 2, 3]


class TestReveal:
    """Which symbols win (reference: A turn, step 3)."""

    @pytest.mark.parametrize(
        ("votes", "winning"),
        [
            (["square", "square", "yellow", "light"], ["square"]),
            (["square", "yellow", "round", "green"], []),
            (["square", "square", "yellow", "yellow"], []),
            (["square", "square", "square", "square"], []),
        ],
    )
    def test_four_seats(self, votes: list[str], winning: list[str]):
        assert list(play(GAME.unpack(packed(4)), votes).observe(0).rounds[0].winning) == winning

    @pytest.mark.parametrize(
        ("votes", "winning"),
        [
            # A symbol needs at least two votes, more than any other, and not all votes.
            ("rrb", "r"),
            ("rgb", ""),
            ("rrr", ""),
            ("rrrb", "r"),
            ("rrrr", ""),
            ("rrrbb", "r"),
            ("rrrrb", "r"),
            ("rrrbbb", ""),
            ("rrrbbg", "r"),
            ("rrbgys", "r"),
            ("rrrrrr", ""),
            # Only the seats that took part count as all.
            ("rrr-", ""),
            ("rrb-", "r"),
            ("rgb-", ""),
            ("rrrr-", ""),
            ("rrrrr-", ""),
            ("rrrrb-", "r"),
            # Three seats, one excluded: both votes win.
            ("rr-", "r"),
            ("-rr", "r"),
            ("rb-", ""),
            # Five or six seats: two pairs win if there are other symbols, with one vote each.
            ("rrbbg", "rb"),
            ("rgbrb", "rb"),
            ("rrbbgy", "rb"),
            ("rrbb-", ""),
            ("rrbbg-", "rb"),
            ("rrbbgg", ""),
            ("rrbby-", "rb"),
            ("rrrbb-", "r"),
            ("rrbgy-", "r"),
            ("rgbys-", ""),
        ],
    )
    def test_winning_symbols(self, votes: str, winning: str):
        names = {"r": "red", "y": "yellow", "b": "blue", "g": "green", "s": "square", "-": None}
        position = play(GAME.unpack(packed(len(votes))), [names[vote] for vote in votes])
        assert set(position.observe(0).rounds[0].winning) == {names[vote] for vote in winning}
        assert scores(position) == [vote in winning for vote in votes]


class TestImages:
    """Who takes which images (reference: A turn, step 4)."""

    def test_winners_take_the_current_image_first_then_the_top_of_the_pile(self):
        position = play(GAME.unpack(packed(4)), ["blue", "red", "red", "red"])
        view = position.observe(REFEREE)
        assert [seat.won for seat in view.seats] == [(), (22,), (23,), (24,)]
        assert (view.image, view.pile, view.box) == (25, 49, 22)

    def test_without_a_winner_the_top_image_goes_to_the_box(self):
        position = play(GAME.unpack(packed(4)), ["blue", "blue", "red", "red"])
        view = position.observe(REFEREE)
        assert (view.image, view.pile, view.box, view.box_order[0]) == (23, 51, 23, 22)

    def test_winners_take_from_the_box_when_the_pile_is_empty(self):
        position = play(GAME.unpack(packed(5, pile=2)), ["red", "red", "red", "red", "blue"])
        view = position.observe(REFEREE)
        # The image that entered the box last is on top.
        assert [seat.won for seat in view.seats] == [(18,), (19,), (17,), (16,), ()]
        assert (position.phase, view.pile, view.box) == ("over", 0, 16)

    def test_an_image_that_nobody_won_is_on_top_of_the_box(self):
        position = play(GAME.unpack(packed(3, pile=2)), ["red", "red", "red"])
        position = play(position, ["blue", "blue", "green"])
        assert [seat.won for seat in position.observe(REFEREE).seats] == [(27,), (26,), ()]

    @pytest.mark.parametrize("seats", range(2, 7))
    def test_no_image_is_lost(self, seats: int):
        position = GAME.start({"seats": seats}, 9)
        while not position.over:
            seat = position.actors[position.ply % len(position.actors)]
            moves = position.moves(seat)
            position = position.apply(seat, moves[position.ply % 3])
            view = position.observe(REFEREE)
            won = [image for seat in view.seats for image in seat.won]
            assert sorted([*view.pile_order, *view.box_order, *won]) == list(range(74))


class TestRows:
    """Playing a card into the row (reference: A turn, step 5)."""

    def test_the_played_card_goes_to_the_right_and_the_leftmost_returns_to_the_hand(self):
        position = GAME.unpack(packed(3, rows=[(0, 1), (2, 3), (4, 5)]))
        seat = play(position, ["thin", "red", "red"]).observe(0).seats[0]
        assert seat.row == ("blue/green", "thick/thin")
        assert seat.hand == ("red/yellow", "large/small", "heavy/light", "round/square")

    def test_expert_rows_have_three_cards(self):
        position = GAME.unpack(packed(3, rows=[(0, 1, 2), (2, 3, 4), (4, 5, 3)]))
        seat = play(position, ["thin", "red", "red"]).observe(0).seats[0]
        assert seat.row == ("blue/green", "large/small", "thick/thin")
        assert seat.hand == ("red/yellow", "heavy/light", "round/square")


class TestResult:
    """The end of the game (reference: Scoring)."""

    def test_the_game_ends_when_the_pile_is_empty(self):
        position = GAME.unpack(packed(4, pile=3))
        position = play(position, ["red", "red", "blue", "green"])
        assert (position.phase, position.returns) == ("choose", [])
        position = play(position, ["blue", "green", "round", "square"])
        assert (position.phase, position.actors, position.over) == ("over", [], True)
        assert position.moves(TABLE) == []
        assert [position.moves(seat) for seat in range(4)] == [[]] * 4
        with pytest.raises(GameOver):
            position.apply(0, 0)
        assert position.observe(0).image is None

    def test_the_highest_score_wins(self):
        position = play(GAME.unpack(packed(3, pile=3)), ["red", "red", "blue"])
        position = play(position, ["square", "light", "square"])
        assert position.scores == [2, 1, 1]
        assert position.returns == [1, -1, -1]

    @pytest.mark.parametrize(
        ("votes", "returns"),
        [
            (["red", "red", "blue", "green"], [0, 0, -1, -1]),
            (["red", "red", "red", "green"], [2 / 3 - 1] * 3 + [-1]),
            (["red", "blue", "green", "yellow"], [-0.5] * 4),
        ],
    )
    def test_tied_winners_share_the_win(self, votes: list[str], returns: list[float]):
        assert play(GAME.unpack(packed(4, pile=1)), votes).returns == returns


class TestCooperative:
    """Two seats play as a team (reference: Two seats)."""

    def test_a_match_scores_one_point_and_uses_one_image(self):
        position = play(GAME.unpack(packed(2)), ["red", "red"])
        view = position.observe(REFEREE)
        assert (position.scores, view.pile, view.box) == ([1, 1], 43, 30)
        assert view.rounds[0].winning == ("red",)

    @pytest.mark.parametrize(
        "votes", [["red", "blue"], ["red", "yellow"], ["red", None], [None, "red"]]
    )
    def test_without_a_match_the_image_goes_to_the_box(self, votes: list[str | None]):
        position = play(GAME.unpack(packed(2)), votes)
        view = position.observe(REFEREE)
        assert (position.scores, view.pile, view.box) == ([0, 0], 43, 31)

    @pytest.mark.parametrize("images", [74, 60, 51, 120])
    @pytest.mark.parametrize("short_by", [0, 1])
    def test_22_points_win_with_any_deck(self, images: int, short_by: int):
        position = GAME.start({"seats": 2, "deck": [PLAIN] * images}, 3)
        matches = min(22, images - 30) - short_by
        while not position.over:
            moves = position.moves(0)
            common = [move for move in moves if move in position.moves(1)]
            other = next(move for move in position.moves(1) if move != common[0])
            match = len(position.observe(0).rounds) < matches
            position = position.apply(0, common[0]).apply(1, common[0] if match else other)
        assert position.scores == [matches, matches]
        assert position.returns == ([1, 1] if matches >= 22 else [-1, -1])
        assert len(position.observe(0).rounds) == images - 30


class TestNotation:
    """Names of moves (reference: Moves and notation)."""

    def test_actions_are_named_by_symbol(self):
        names = [GAME.write_move(action) for action in range(GAME.num_actions)]
        assert names == [*SYMBOL_NAMES, "exclude"]
        assert [GAME.read_move(name) for name in names] == list(range(13))

    @pytest.mark.parametrize("text", ["", "Red", "red ", " red", "redd", "re", "excluded", "12"])
    def test_rejects_other_spellings(self, text: str):
        with pytest.raises(MoveUnparsable):
            GAME.read_move(text)
