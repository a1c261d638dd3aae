"""The drawings of Contrast."""

from __future__ import annotations

from tests.core.games.contrast_positions import GAME, packed, play


class TestDrawings:
    def test_the_text_shows_the_viewer_s_choice_and_hides_others(self):
        position = GAME.unpack(packed(3)).apply(0, 0).apply(1, 11)
        own, other = position.draw_text(0), position.draw_text(2)
        assert "chose red" in own
        assert "chose" not in other.replace("has chosen", "")
        assert own.endswith("Round 1: waiting for seat 2")

    def test_the_drawing_shows_the_last_round_and_the_winners(self):
        position = play(GAME.unpack(packed(3, pile=2)), ["red", "red", None])
        assert "last round: red, red, excluded; red won" in position.draw_text(0)
        assert "Seats 0 and 1 share the win with 1 image<" in position.draw_svg(0)

    def test_the_drawing_shows_the_result_of_a_team(self):
        position = play(GAME.unpack(packed(2, pile=1)), ["red", "red"])
        assert "The team loses with 1 point; 22 are needed" in position.draw_text(1)

    def test_different_images_are_different_pictures(self):
        pictures = {GAME.start({}, seed).draw_svg(0).split("</svg>")[0] for seed in range(8)}
        assert len(pictures) == 8
