"""The check of `make docs` finds links that lead nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.links import broken


def site(folder: Path, link: str) -> Path:
    """Make a site of two pages, one of which has a link."""
    (folder / "games").mkdir()
    (folder / "games" / "contrast.html").write_text('<h2 id="two-players">Two players</h2>')
    (folder / "start.svg").write_text("<svg/>")
    (folder / "index.html").write_text(f'<p id="here"><a href="{link}">a link</a></p>')
    return folder


@pytest.mark.parametrize(
    "link",
    [
        "games/contrast.html",
        "games/contrast.html#two-players",
        "games/../start.svg",
        "#here",
        "#",
        "https://www.python.org/dev?a=1#b",
        "http://127.0.0.1:8080/docs",
    ],
)
def test_accepts_a_link(tmp_path: Path, link: str):
    assert list(broken(site(tmp_path, link))) == []


@pytest.mark.parametrize(
    "link",
    [
        "games/contract.html",
        "games",
        "games/contrast.html#three-players",
        "#there",
        "/start.svg",
        "http://www.python.org/",
        "https:///dev",
        "https://python/",
        "file:///etc/hosts",
    ],
)
def test_reports_a_link_that_leads_nowhere(tmp_path: Path, link: str):
    assert list(broken(site(tmp_path, link))) == [f"index.html: {link}"]
