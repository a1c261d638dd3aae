"""How Contrat 500 tells what happens, in the order of its reference page."""

from __future__ import annotations

import re
from html import unescape

import pytest
from tablier_core import languages
from tablier_core.drawing import CONTRAST, DARK, LIGHT, Look
from tablier_core.position import REFEREE, Position
from tablier_core.registry import GAMES

from tests.core.games.contrat500_positions import Deal

GAME = GAMES["contrat500"]
FRENCH = languages.catalogue("fr")

# The worked example of the page for players.
SEED, THREE = 1471, {"seats": 3, "max_deals": 1}
EXAMPLE = (
    "bid 29", "bid 5", "bid 18", "bid 16", "bid 25", "bid 6",
    "pot", "discard 1", "take", "discard 5", "pot", "discard 10", "take", "discard 3", "announce",
)  # fmt: skip


def play(position: Position, *moves: str) -> Position:
    for move in moves:
        position = position.apply(position.actors[0], GAME.read_move(move))
    return position


def example(moves: int) -> Position:
    return play(GAME.start(THREE, SEED), *EXAMPLE[:moves])


def words(
    position: Position, move: str, language: languages.Language = languages.IN_ENGLISH
) -> str:
    seat, action = position.actors[0], GAME.read_move(move)
    told = dict(zip(position.moves(seat), position.words(seat, language), strict=True))
    return told[action]


def story(
    position: Position, move: str, viewer: int, language: languages.Language = languages.IN_ENGLISH
) -> str:
    seat = position.actors[0]
    return position.story(play(position, move), seat, GAME.read_move(move), viewer, language)


def reason(
    position: Position, move: str, language: languages.Language = languages.IN_ENGLISH
) -> str:
    seat, action = position.actors[0], GAME.read_move(move)
    assert action not in position.moves(seat)
    return position.reason(seat, action, language)


def path(position: Position, move: str) -> tuple[str, ...]:
    seat = position.actors[0]
    return dict(zip(position.moves(seat), position.paths(seat), strict=True))[GAME.read_move(move)]


def empty_pot() -> Position:
    """Seat 0 is to move after 28 turns that emptied the pot."""
    hands = ((1, 1, 1, 1, 2, 2), (9, 9, 10, 10, 10, 10))
    return Deal(bids=(16, 16, 17, 17), hands=hands).discard_drawn(28).position()


def ready() -> Position:
    """A deal in which seat 0 holds both its contracts, 12 and 27."""
    hands = ((1, 1, 10, 8, 9, 10), (2, 2, 3, 3, 4, 4))
    return Deal(bids=(12, 3, 27, 4), hands=hands, pot=(5,)).position()


def last_turn() -> Position:
    """The last of the 40 turns of a deal for two: seat 1 holds seven tiles."""
    hands = ((1, 1, 1, 1, 2, 2), (9, 9, 10, 10, 10, 10))
    deal = Deal(bids=(16, 16, 17, 17), hands=hands).discard_drawn(1).discard_taken(38)
    return play(deal.position(), "take")


# ---- Words ---------------------------------------------------------------------------------------


def test_every_kind_of_move_has_its_sentence():
    assert words(example(0), "bid 29") == "Seat 0 bids 29, worth 150 points"
    assert words(example(6), "pot") == "Seat 0 draws a tile from the pot"
    assert words(example(12), "take") == "Seat 0 takes the 10 that seat 2 discarded"
    assert words(example(13), "discard 3") == "Seat 0 discards a 3"
    assert words(example(14), "announce") == "Seat 0 announces contracts 29 and 16"
    assert words(example(14), "decline") == "Seat 0 declines to announce and plays on"
    assert words(empty_pot(), "void") == (
        "Seat 0 ends the deal without points because the pot is empty"
    )


def test_an_eight_has_another_article():
    position = play(ready(), "pot")
    assert words(position, "discard 8") == "Seat 0 discards an 8"
    assert words(position, "discard 9") == "Seat 0 discards a 9"


def test_words_in_french():
    assert (
        words(example(0), "bid 29", FRENCH)
        == "La place 0 mise sur le contrat 29, qui vaut 150 points"
    )
    assert words(example(6), "pot", FRENCH) == "La place 0 prend une pièce dans le pot"
    assert words(example(12), "take", FRENCH) == "La place 0 ramasse le 10 rejeté par la place 2"
    assert words(example(13), "discard 3", FRENCH) == "La place 0 rejette un 3"
    assert words(example(14), "announce", FRENCH) == "La place 0 annonce ses contrats 29 et 16"


# ---- Stories -------------------------------------------------------------------------------------


def test_only_the_seat_and_the_referee_see_the_tile_from_the_pot():
    for viewer in (REFEREE, 0):
        assert story(example(6), "pot", viewer) == "Seat 0 draws a 5 from the pot"
    for viewer in (1, 2):
        assert story(example(6), "pot", viewer) == "Seat 0 draws a tile from the pot"


@pytest.mark.parametrize("viewer", [REFEREE, 0, 1, 2])
def test_public_moves_have_the_same_story_for_all_viewers(viewer: int):
    assert story(example(4), "bid 25", viewer) == "Seat 1 bids 25, worth 30 points"
    assert story(example(7), "discard 1", viewer) == "Seat 0 discards a 1"
    assert story(example(8), "take", viewer) == "Seat 1 takes the 1 that seat 0 discarded"
    assert story(example(14), "decline", viewer) == "Seat 0 declines to announce and plays on"


@pytest.mark.parametrize("viewer", [REFEREE, 0, 1, 2])
def test_a_story_tells_that_a_seat_is_asked(viewer: int):
    assert story(example(13), "discard 3", viewer) == (
        "Seat 0 discards a 3. It now makes both its contracts."
    )


@pytest.mark.parametrize("viewer", [REFEREE, 0, 1, 2])
def test_a_story_tells_what_an_announcement_pays(viewer: int):
    assert story(example(14), "announce", viewer) == (
        "Seat 0 announces contracts 29 and 16. Points: seat 0 +193, seat 1 +51, seat 2 +1."
        " Seat 0 wins the match."
    )


def test_an_announcement_at_the_start_of_a_turn_has_a_story():
    told = story(ready(), "announce", 1)
    assert told.startswith("Seat 0 announces contracts 12 and 27. Points: seat 0 +")
    assert "match" not in told


@pytest.mark.parametrize("viewer", [REFEREE, 0, 1])
def test_a_void_deal_has_a_story(viewer: int):
    assert story(empty_pot(), "void", viewer) == (
        "Seat 0 ends the deal without points because the pot is empty"
    )


def test_the_end_of_a_deal_hides_its_last_discard_from_other_seats():
    # The next deal has cleared the table, and views do not keep older deals.
    end = "After 20 turns each, the deal ends without points."
    assert story(last_turn(), "discard 9", 1) == f"Seat 1 discards a 9. {end}"
    assert story(last_turn(), "discard 9", 0) == f"Seat 1 discards a tile. {end}"
    assert story(last_turn(), "discard 10", 0) == f"Seat 1 discards a tile. {end}"


def test_seats_can_share_the_win():
    position = GAME.start({"max_deals": 1}, 1)
    while len(position.observe().turns) < 40:
        quiet = [move for move in position.moves(position.actors[0]) if move != 40]
        position = position.apply(position.actors[0], quiet[0])
    last = GAME.write_move(position.moves(position.actors[0])[0])
    assert story(position, last, 0).endswith("Seats 0 and 1 share the win of the match.")
    assert story(position, last, 0, FRENCH).endswith("Les places 0 et 1 partagent la victoire.")


def test_stories_in_french():
    assert story(example(6), "pot", 0, FRENCH) == "La place 0 prend un 5 dans le pot"
    assert story(example(6), "pot", 1, FRENCH) == "La place 0 prend une pièce dans le pot"
    assert story(example(14), "announce", 1, FRENCH) == (
        "La place 0 annonce ses contrats 29 et 16. Points\xa0: place 0 +193, place 1 +51, place 2"
        " +1. La place 0 gagne la manche."
    )


# ---- Reasons -------------------------------------------------------------------------------------


def test_a_full_contract_has_no_room():
    # reference: A turn, step 2
    position = play(Deal(seats=4).position(), "bid 16", "bid 16", "bid 16")
    assert reason(position, "bid 16") == "Contract 16 has no room: three tokens are on it"
    assert reason(position, "bid 16", FRENCH) == (
        "Le contrat 16 est complet\xa0: il porte déjà trois jetons"
    )


@pytest.mark.parametrize("move", ["pot", "take", "discard 1", "announce", "decline", "void"])
def test_nothing_else_comes_before_the_bids_are_complete(move: str):
    # reference: A turn, step 2
    assert reason(example(5), move) == (
        "Not all tokens are placed yet: seat 2 has to bid a contract"
    )


def test_there_are_no_bids_after_the_last_token():
    # reference: A turn, step 3
    assert reason(example(6), "bid 3") == (
        "All tokens are placed: seat 0 has to draw or take a tile"
    )


def test_the_first_turn_has_no_discard_to_take():
    # reference: A turn, step 3
    assert reason(example(6), "take") == "No tile has been discarded in this deal yet"


def test_an_empty_pot_has_no_tile():
    # reference: A turn, step 3
    tile = empty_pot().observe().discard
    assert reason(empty_pot(), "pot") == (
        f"The pot is empty: seat 0 can take the discarded {tile} or end the deal"
    )


def test_a_seat_gets_a_tile_before_it_discards():
    # reference: A turn, step 3
    assert reason(example(6), "discard 1") == (
        "Seat 0 has to draw or take a tile before it discards one"
    )


def test_six_tiles_with_another_sum_make_no_contracts():
    # reference: A turn, step 3
    assert reason(example(6), "announce") == (
        "The six tiles add up to 34, but contracts 29 and 16 need 45"
    )
    assert reason(example(6), "announce", FRENCH) == (
        "Les six pièces totalisent 34, mais les contrats 29 et 16 demandent 45"
    )


def test_six_tiles_with_the_right_sum_need_two_triples():
    # reference: A turn, step 3
    hands = ((1, 1, 1, 2, 2, 8), (9, 9, 10, 10, 10, 10))
    position = Deal(bids=(9, 16, 6, 16), hands=hands).position()
    assert (
        reason(position, "announce") == "No three tiles of 1, 1, 1, 2, 2 and 8 add up to 9 or to 6"
    )


def test_two_tokens_on_a_contract_need_it_twice():
    # reference: A turn, step 2
    hands = ((2, 2, 2, 8, 9, 9), (9, 9, 10, 10, 10, 10))
    position = Deal(bids=(16, 9, 16, 9), hands=hands).position()
    assert reason(position, "announce") == "No three tiles of 2, 2, 2, 8, 9 and 9 add up to 16"
    assert reason(position, "announce", FRENCH) == (
        "Avec 2, 2, 2, 8, 9 et 9, aucune combinaison de trois pièces ne donne 16"
    )


def test_a_seat_declines_only_when_it_is_asked():
    # reference: A turn, step 5
    for position in (example(6), ready()):
        assert (
            reason(position, "decline") == "Seat 0 can decline only when asked, after its discard"
        )


def test_only_an_empty_pot_makes_a_deal_void():
    # reference: A turn, step 3
    assert reason(example(6), "void") == (
        "The pot still holds 42 tiles: a deal ends without points only if the pot is empty"
    )
    hands = ((1, 1, 1, 1, 2, 2), (9, 9, 10, 10, 10, 10))
    last = Deal(bids=(16, 16, 17, 17), hands=hands).discard_drawn(27).position()
    assert reason(last, "void") == (
        "The pot still holds 1 tile: a deal ends without points only if the pot is empty"
    )
    assert reason(last, "void", FRENCH) == (
        "Le pot contient encore 1 pièce\xa0: une partie ne finit sans points que si le pot est vide"
    )


def test_a_seat_discards_only_what_it_holds():
    # reference: A turn, step 4
    assert reason(example(7), "discard 2") == (
        "Seat 0 has no 2: its tiles are 1, 3, 4, 5, 7, 9 and 10"
    )


@pytest.mark.parametrize("move", ["pot", "take"])
def test_a_seat_gets_one_tile_per_turn(move: str):
    # reference: A turn, step 4
    assert reason(example(7), move) == "Seat 0 already has seven tiles and has to discard one"


def test_a_seat_discards_before_it_announces():
    # reference: A turn, step 4
    assert reason(example(7), "announce") == (
        "Seat 0 has to discard one of its seven tiles before it announces"
    )


@pytest.mark.parametrize("move", ["bid 3", "decline", "void"])
def test_a_seat_with_seven_tiles_can_only_discard(move: str):
    # reference: A turn, step 4
    assert reason(example(7), move) == "Seat 0 has to discard one of its seven tiles now"


@pytest.mark.parametrize("move", ["bid 3", "pot", "take", "discard 3", "void"])
def test_a_seat_that_is_asked_has_to_answer(move: str):
    # reference: A turn, step 5
    assert reason(example(14), move) == (
        "Seat 0 makes contracts 29 and 16, and has to announce or decline now"
    )


def test_the_table_never_moves():
    # reference: A turn
    assert example(6).reason(REFEREE, GAME.read_move("pot")) == "It is the turn of seat 0"


# ---- Paths and pictures --------------------------------------------------------------------------


def test_moves_are_clicked_where_their_things_are():
    assert path(example(0), "bid 29") == ("contract-29",)
    assert path(example(12), "pot") == ("pot",)
    assert path(example(12), "take") == ("discard",)
    assert path(example(13), "discard 3") == ("hand-0-3",)
    assert path(example(14), "announce") == ("button-announce",)
    assert path(example(14), "decline") == ("button-decline",)
    assert path(empty_pot(), "void") == ("button-void",)


def parts(position: Position, viewer: int, look: Look | None = None) -> list[str]:
    return re.findall(r'data-part="([^"]+)"', position.draw_svg(viewer, look or Look()))


def test_a_picture_has_one_part_for_equal_tiles():
    position = play(ready(), "pot")
    tiles = [part for part in parts(position, 0) if part.startswith("hand")]
    assert tiles == ["hand-0-1", "hand-0-5", "hand-0-8", "hand-0-9", "hand-0-10"]


def test_tiles_of_hidden_hands_are_no_parts():
    position = example(12)
    assert not [part for part in parts(position, 2) if re.match("hand-[01]", part)]
    assert [part for part in parts(position, REFEREE) if part.startswith("hand-1")]


def test_the_seat_that_looks_comes_first():
    order = ["seat-2", "seat-0", "seat-1"]
    assert [part for part in parts(example(12), 2) if part.startswith("seat")] == order
    look = Look(bottom=2)
    assert [part for part in parts(example(12), 0, look) if part.startswith("seat")] == order


def test_parts_that_are_printed_once_can_be_marked():
    plain = example(12).draw_svg(0)
    for part in ("contract-3", "pot", "discard", "dead", "seat-1", "hand-0-3"):
        marked = example(12).draw_svg(0, Look(marks=(part,)))
        assert marked.count("<rect") == plain.count("<rect") + 1, part


@pytest.mark.parametrize("palette", [LIGHT, DARK, CONTRAST])
def test_pictures_have_the_colours_of_their_palette(palette):
    fills = set(
        re.findall(r'(?:fill|stroke)="(#[^"]+)"', example(15).draw_svg(0, Look(palette=palette)))
    )
    fills |= set(
        re.findall(r'(?:fill|stroke)="(#[^"]+)"', example(12).draw_svg(0, Look(palette=palette)))
    )
    assert fills <= {*palette, "#ffffff", "#111111"}


def test_drawings_in_french():
    drawn = unescape(example(12).draw_svg(0, Look(language=FRENCH)))
    for words in (
        "Partie 1\xa0: la place 0 prend une pièce",
        "Place 0 (vous)",
        "50 points",
        "29 (150)",
    ):
        assert words in drawn
    table = example(12).draw_text(0, FRENCH).splitlines()
    assert table[0] == "Partie 1\xa0: la place 0 prend une pièce"
    # Columns stay below each other.
    assert len({line.index("contrats") for line in table if "contrats" in line}) == 1
