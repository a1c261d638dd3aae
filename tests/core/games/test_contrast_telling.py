"""How Contrast tells what happens: words, stories, reasons and paths."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape

import pytest
from tablier_core import languages
from tablier_core.drawing import CONTRAST, DARK, LIGHT, Look, Palette
from tablier_core.position import REFEREE, Position

from tests.core.games.contrast_positions import EXCLUDE, GAME, TABLE, packed, play

FRENCH = languages.catalogue("fr")


def move(symbol: str) -> int:
    return GAME.read_move(symbol)


def choose(position: Position, *symbols: str) -> Position:
    """Let the seats choose, from seat 0 on."""
    for seat, symbol in enumerate(symbols):
        position = position.apply(seat, move(symbol))
    return position


def stories(before: Position, seat: int, action: int) -> dict[int, str]:
    """What the story of a move tells each viewer."""
    after = before.apply(seat, action)
    return {
        viewer: before.story(after, seat, action, viewer) for viewer in range(REFEREE, before.seats)
    }


def last_story(votes: list[str | None], viewer: int = 0) -> str:
    """What the story of the move that ends a round tells; None is the excluded seat."""
    position = GAME.unpack(packed(len(votes)))
    if None in votes:
        before = choose(position, *[symbol for symbol in votes if symbol is not None])
        seat, action = TABLE, EXCLUDE
    else:
        *first, last = [symbol for symbol in votes if symbol is not None]
        before = choose(position, *first)
        seat, action = len(first), move(last)
    return before.story(before.apply(seat, action), seat, action, viewer)


class TestWords:
    """Moves in words (reference: Moves and notation)."""

    def test_a_seat_chooses_a_symbol(self):
        position = GAME.unpack(packed(3))
        assert position.words(1) == [
            f"Seat 1 chooses {position.game.write_move(action)}" for action in position.moves(1)
        ]

    def test_the_table_excludes_the_last_seat(self):
        position = choose(GAME.unpack(packed(3)), "red", "blue")
        assert position.words(TABLE) == ["The table excludes seat 2 from the round"]
        assert GAME.unpack(packed(3)).words(TABLE) == []

    def test_in_french(self):
        position = choose(GAME.unpack(packed(3)), "red", "blue")
        assert position.words(2, FRENCH)[-2:] == [
            "La place 2 choisit rond",
            "La place 2 choisit carré",
        ]
        assert position.words(TABLE, FRENCH) == ["La table exclut la place 2 du tour de jeu"]


class TestStories:
    """What viewers see of a move (reference: View)."""

    def test_a_choice_is_a_secret_of_its_seat(self):
        told = stories(GAME.unpack(packed(3)), 1, move("red"))
        assert told == {
            REFEREE: "Seat 1 chooses red",
            0: "Seat 1 chooses a symbol",
            1: "Seat 1 chooses red",
            2: "Seat 1 chooses a symbol",
        }

    @pytest.mark.parametrize("seats", range(2, 7))
    def test_the_story_for_other_viewers_is_the_same_for_every_choice(self, seats: int):
        position = GAME.start({"seats": seats}, 3)
        seen = {stories(position, 0, action)[1] for action in position.moves(0)}
        assert seen == {"Seat 0 chooses a symbol"}

    def test_the_last_choice_reveals_all_to_everyone(self):
        before = choose(GAME.unpack(packed(4)), "red", "blue", "red")
        told = stories(before, 3, move("square"))
        assert set(told.values()) == {
            (
                "Seat 3 chooses square. Revealed: red by seats 0 and 2; blue by seat 1; square by"
                " seat 3. Winning symbol: red."
            )
        }

    def test_an_exclusion_reveals_all_to_everyone(self):
        told = stories(choose(GAME.unpack(packed(3)), "red", "red"), TABLE, EXCLUDE)
        assert set(told.values()) == {
            (
                "The table excludes seat 2 from the round. Revealed: red by seats 0 and 1."
                " Winning symbol: red."
            )
        }

    @pytest.mark.parametrize(
        ("votes", "result"),
        [
            (["red", "red", "blue"], "Winning symbol: red"),
            (["red", "red", "blue", "blue", "round"], "Winning symbols: red and blue"),
            (["red", "red", "red"], "No symbol wins: all votes agree"),
            (["red", "blue", "round"], "No symbol wins: no two votes agree"),
            (["red", "red", "blue", "blue"], "No symbol wins: it is a tie"),
            (["red", "red", "blue", "blue", None], "No symbol wins: it is a tie"),
            (["red", "red", "blue", "blue", "round", "round"], "No symbol wins: it is a tie"),
        ],
    )
    def test_the_result_says_why_no_symbol_wins(self, votes: list[str | None], result: str):
        """Results of a reveal (reference: A turn, step 3)."""
        assert last_story(votes).endswith(f". {result}.")

    @pytest.mark.parametrize(
        ("votes", "result"),
        [
            (["red", "red"], "The team scores 1 point"),
            (["red", "blue"], "No point for the team"),
            (["red", None], "No point for the team"),
        ],
    )
    def test_two_seats_are_a_team(self, votes: list[str | None], result: str):
        """Results of a team (reference: Two seats)."""
        assert last_story(votes).endswith(f". {result}.")

    def test_the_last_move_of_the_game_has_a_story(self):
        before = choose(GAME.unpack(packed(3, pile=1)), "red", "red")
        told = stories(before, 2, move("blue"))
        assert before.apply(2, move("blue")).over
        assert told[0].endswith("Winning symbol: red.")

    def test_in_french(self):
        before = choose(GAME.unpack(packed(3)), "red", "red")
        after = before.apply(2, move("square"))
        assert before.story(after, 2, move("square"), 0, FRENCH) == (
            "La place 2 choisit carré. Symboles dévoilés\xa0: rouge par les places 0 et 1\xa0;"
            " carré par la place 2. Symbole gagnant\xa0: rouge."
        )


def over() -> Position:
    return play(GAME.unpack(packed(3, pile=1)), ["red", "blue", "round"])


class TestReasons:
    """Every kind of illegal move has a reason (reference: Moves and notation)."""

    @pytest.mark.parametrize(
        ("start", "seat", "notation", "reason", "french"),
        [
            # A symbol that is not in hand (reference: A turn, step 1).
            pytest.param(
                lambda: GAME.unpack(packed(3)),
                1,
                "small",
                "Seat 1 has the card large/small in its row and takes it back after playing 1 card",
                "La place 1 a la carte grand/petit dans sa rangée et la reprendra en main après"
                " avoir joué 1 carte",
                id="a symbol on the next card of the row",
            ),
            pytest.param(
                lambda: GAME.unpack(packed(3)),
                0,
                "thick",
                "Seat 0 has the card thick/thin in its row and takes it back after playing 2 cards",
                "La place 0 a la carte gros/fin dans sa rangée et la reprendra en main après"
                " avoir joué 2 cartes",
                id="a symbol on a later card of the row",
            ),
            # A choice is final (reference: A turn, step 1).
            pytest.param(
                lambda: choose(GAME.unpack(packed(3)), "red"),
                0,
                "blue",
                "Seat 0 has already chosen red in this round, and a choice is final",
                "La place 0 a déjà choisi rouge pour ce tour de jeu, et un choix est définitif",
                id="a second choice",
            ),
            # Only the table excludes, and only the last seat (reference: A turn, step 2).
            pytest.param(
                lambda: choose(GAME.unpack(packed(3)), "red", "red"),
                2,
                "exclude",
                "Only the table can exclude a seat. Seat 2 has to choose a symbol in its hand.",
                "Seule la table peut exclure une place. La place 2 doit choisir un symbole de sa"
                " main.",
                id="a seat excludes",
            ),
            pytest.param(
                lambda: choose(GAME.unpack(packed(4)), "red"),
                TABLE,
                "exclude",
                "Only the last seat without a choice can be excluded, and seats 1, 2 and 3 have"
                " not chosen yet",
                "Seule la dernière place à choisir peut être exclue, et les places 1, 2 et 3 n’ont"
                " pas encore choisi",
                id="the table excludes too early",
            ),
            pytest.param(
                lambda: GAME.unpack(packed(4)),
                TABLE,
                "red",
                "The table has no symbols: it can only exclude the last seat",
                "La table n’a pas de symbole\xa0: elle peut seulement exclure la dernière place à"
                " choisir",
                id="the table chooses",
            ),
            # After the end (reference: A turn, step 6).
            pytest.param(
                over, 0, "red", "The game is over", "La partie est terminée", id="a seat at the end"
            ),
            pytest.param(
                over,
                TABLE,
                "exclude",
                "The game is over",
                "La partie est terminée",
                id="the table at the end",
            ),
        ],
    )
    def test_reason(
        self, start: Callable[[], Position], seat: int, notation: str, reason: str, french: str
    ):
        position = start()
        assert move(notation) not in position.moves(seat)
        assert position.reason(seat, move(notation)) == reason
        assert position.reason(seat, move(notation), FRENCH) == french

    def test_the_count_of_the_reason_is_true(self):
        position = GAME.unpack(packed(3))
        for symbols in (["red", "red", "red"], ["blue", "blue", "blue"]):
            assert move("thick") not in position.moves(0)
            position = play(position, symbols)
        assert move("thick") in position.moves(0)


class TestPaths:
    """What a person clicks."""

    def test_a_symbol_in_hand(self):
        position = GAME.unpack(packed(3))
        assert position.paths(1)[:3] == [("seat-1-red",), ("seat-1-yellow",), ("seat-1-blue",)]

    def test_the_seat_that_the_table_excludes(self):
        position = choose(GAME.unpack(packed(3)), "red", "blue")
        assert position.paths(TABLE) == [("seat-2",)]
        assert all('data-part="seat-2"' in position.draw_svg(viewer) for viewer in range(-1, 3))


def parts(svg: str) -> list[str]:
    return re.findall(r'data-part="([^"]+)"', svg)


class TestPicture:
    """The parts of the picture, and what it says."""

    @pytest.mark.parametrize("seats", range(2, 7))
    @pytest.mark.parametrize("width", [0, 360, 1200])
    def test_every_part_is_there_once(self, seats: int, width: int):
        position = GAME.start({"seats": seats}, 5)
        first = position.observe(0).image
        position = play(position, [GAME.write_move(position.moves(i)[0]) for i in range(seats)])
        view = position.observe(0)
        names = parts(position.draw_svg(0, Look(width=width)))
        symbols = [GAME.write_move(action) for action in range(EXCLUDE)]
        assert sorted(names) == sorted(
            ["pile", "box", f"image-{view.image}", f"image-{first}"]
            + [f"{kind}-{seat}" for kind in ("seat", "last") for seat in range(seats)]
            + [f"seat-{seat}-{symbol}" for seat in range(seats) for symbol in symbols]
        )

    def test_the_last_round_shows_who_was_excluded(self):
        position = play(GAME.unpack(packed(3)), ["red", "red", None])
        last = re.findall(r'<g data-part="last-(\d)">.*?<text[^>]*>([^<]*)<', position.draw_svg(0))
        assert last == [("0", "red"), ("1", "red"), ("2", "excluded")]

    def test_seats_begin_with_the_viewer_or_the_one_asked_for(self):
        position = GAME.unpack(packed(4))

        def order(viewer: int, look: Look) -> list[str]:
            drawn = parts(position.draw_svg(viewer, look))
            return [name for name in drawn if re.fullmatch(r"seat-\d", name)]

        assert order(2, Look()) == ["seat-2", "seat-3", "seat-0", "seat-1"]
        assert order(REFEREE, Look()) == ["seat-0", "seat-1", "seat-2", "seat-3"]
        assert order(2, Look(bottom=1)) == ["seat-1", "seat-2", "seat-3", "seat-0"]

    @pytest.mark.parametrize("palette", [LIGHT, DARK, CONTRAST])
    def test_a_picture_has_the_colours_of_its_palette(self, palette: Palette):
        svg = choose(GAME.unpack(packed(3)), "red").draw_svg(0, Look(palette=palette))
        assert f'fill="{palette.paper}"' in svg
        assert f'stroke="{palette.green}" stroke-width="4"' in svg

    def test_marks_surround_parts_of_bands(self):
        position = GAME.unpack(packed(3))
        plain = position.draw_svg(0)
        marked = position.draw_svg(0, Look(starts=("seat-0-red", "seat-0-blue")))
        assert marked.count("<rect") == plain.count("<rect") + 2

    def test_in_french(self):
        position = play(GAME.unpack(packed(3)), ["red", "red", None])
        svg = unescape(position.draw_svg(0, Look(language=FRENCH)))
        for words in ("Place 0 (vous)", "Tour 2\xa0: chacun choisit un symbole", "exclue", "carré"):
            assert f">{words}<" in svg
        assert position.draw_text(0, FRENCH).splitlines()[2] == (
            "tour précédent\xa0: rouge, rouge, exclue\xa0; symbole gagnant\xa0: rouge"
        )

    def test_every_text_of_the_game_is_in_french(self):
        """A picture and a text in French contain no English words."""
        position = play(GAME.unpack(packed(3)), ["red", "red", None]).apply(1, move("blue"))
        svg = unescape(position.draw_svg(0, Look(language=FRENCH)))
        shown = " ".join(re.findall(r">([^<>]+)<", svg))
        shown += position.draw_text(REFEREE, FRENCH)
        english = {"seat", "round", "row", "hand", "box", "chooses", "chosen", "excluded", "you"}
        english |= {GAME.write_move(action) for action in range(EXCLUDE)}
        assert not english & set(re.findall(r"\w+", shown.lower()))
