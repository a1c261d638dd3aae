"""The play-through writer: its format, what it omits, and that it is deterministic."""

from __future__ import annotations

from tablier_core.registry import GAMES
from tablier_core.testing.games import KUHN_POKER, PIG, TIC_TAC_TOE
from tablier_core.testing.playthrough import write


def blocks(text: str) -> list[list[str]]:
    return [block.splitlines() for block in text.rstrip("\n").split("\n\n")]


def test_the_head_identifies_the_game():
    assert blocks(write(PIG, {"target": 9}, 12, 3))[0] == [
        "game: pig",
        "rules version: 1",
        'options: {"target": 9}',
        "seed: 12",
    ]


def test_every_position_has_its_answers():
    _head, *states = blocks(write(TIC_TAC_TOE, {}, 3, 100))
    for ply, lines in enumerate(states):
        last = ply == len(states) - 1
        assert lines[0] == f"ply {ply}: {'over' if last else 'mark'}"
        assert lines[1] == f"actors: {'none' if last else ply % 2}"
        titles = [line.split(":")[0] for line in lines]
        assert "view of referee, seat 0" in titles
        assert len(lines[titles.index("views")].split()) == 2 + 3
        assert (f"moves of seat {ply % 2}" in titles) == (not last)
        assert ("drawing of referee, seat 0" in titles) == (last or ply in (0, 1, 4))
        assert titles[-1] == ("returns" if last else "plays")


def test_writes_what_each_viewer_sees_if_it_differs():
    text = write(KUHN_POKER, {}, 3, 100)
    assert "view of referee:" in text
    assert "view of seat 0:" in text
    for title, viewers in (("infosets: ", 3), ("views: sha256 ", 3), ("view tokens: sha256 ", 2)):
        digests = [line.removeprefix(title) for line in text.splitlines() if line.startswith(title)]
        assert digests
        assert all(len(set(line.split())) == viewers for line in digests[:-1])
    assert "view tokens" not in write(TIC_TAC_TOE, {}, 3, 100)


def test_writes_long_views_only_at_milestones():
    game = GAMES["contrast"]
    _head, *states = blocks(write(game, {}, 3, 20))
    shown = [ply for ply, lines in enumerate(states) if any("View(" in line for line in lines)]
    assert shown == [0, 1, 4, 16]
    guarded = {line for lines in states for line in lines if line.startswith("views: ")}
    assert len(guarded) == len(states)


def test_shortens_long_move_lists():
    text = write(GAMES["contigo-alignment"], {}, 3, 6)
    lists = [line for line in text.splitlines() if line.startswith("moves of seat")]
    long = [line for line in lists if " ... " in line]
    assert long
    assert all(len(line) < 200 and ", sha256 " in line for line in long)


def test_stops_at_the_limit_and_is_deterministic():
    text = write(PIG, {}, 8, 4)
    assert text == write(PIG, {}, 8, 4)
    assert text != write(PIG, {}, 9, 4)
    assert len(blocks(text)) == 6
    assert "returns" not in text
