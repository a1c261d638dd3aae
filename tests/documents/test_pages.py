"""Every command and every example of the pages for users runs as printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.documents.pages import Kind, Piece, pieces
from tests.documents.reader import Reader, run_session
from tests.live_server import ROOT, LiveServer

PAGES = (
    "README.md",
    "clients/adapters/README.md",
    "clients/python/README.md",
    "docs/api/core.md",
    "docs/learning.md",
    "docs/operations.md",
    "docs/records.md",
    "docs/tutorial.md",
    "examples/README.md",
)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_everything_on_a_page_runs(page: str, tmp_path: Path, live_server: LiveServer):
    found = list(pieces((ROOT / page).read_text(encoding="utf-8")))
    assert found
    reader = Reader(tmp_path, live_server)
    try:
        for piece in found:
            reader.follow(piece)
    finally:
        reader.close()


def test_finds_commands_in_blocks_and_in_text():
    page = "\n".join(
        [
            "Run `tablier games` or `games`, with `tablier-client: 1`.",
            "",
            "    make test  # all",
            "    curl a \\",
            "        b",
            "",
            "```toml",
            "make = 1",
            "```",
            "| a |",
            "|---|",
            "| `make lint` |",
            "",
            "Save it as `bot.py`:",
            "",
            "```python",
            "print()",
            "```",
            "",
            "```python",
            "1",
            "```",
        ]
    )
    assert [(piece.kind, piece.text, piece.name) for piece in pieces(page)] == [
        (Kind.MENTION, "tablier games", ""),
        (Kind.COMMAND, "make test  # all", ""),
        (Kind.COMMAND, "curl a      b", ""),
        (Kind.MENTION, "make lint", ""),
        (Kind.FILE, "print()\n", "bot.py"),
        (Kind.PYTHON, "1\n", ""),
    ]


@pytest.mark.parametrize(
    "command",
    [
        "tablier no-such-command",
        "tablier games contigo-alignment  # refused",
        "make no-such-target",
        "curl -s http://127.0.0.1:8080/v1/games/no-such-game",
        "docker build -t tablier:0.0.0 .",
        "docker push tablier:0.0.0",
        "pip install 'tablier-adapters[nonsense]'",
        "pip install --group nonsense",
        "kubectl -n tablier create secret generic no-such-secret --from-file=keys=seal-keys",
        "kubectl -n tablier create secret generic tablier-seal-keys --from-file=other=seal-keys",
    ],
)
def test_detects_a_wrong_command(command: str, tmp_path: Path, live_server: LiveServer):
    reader = Reader(tmp_path, live_server)
    with pytest.raises((AssertionError, LookupError)):
        reader.follow(Piece(Kind.COMMAND, command, 1))


def test_detects_a_wrong_printed_result():
    with pytest.raises(AssertionError, match="Expected"):
        run_session(">>> 1 + 1\n3\n", {}, "here")


def test_the_play_loop_takes_less_than_ten_lines():
    page = (ROOT / "clients" / "python" / "README.md").read_text(encoding="utf-8")
    loop = next(piece.text for piece in pieces(page) if piece.kind is Kind.PYTHON)
    assert "while not state.over" in loop
    assert len([line for line in loop.splitlines() if line]) < 10
