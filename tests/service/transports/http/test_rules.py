"""The rules in a browser: `/rules` and `/rules/<game>`."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from urllib.parse import unquote

import pytest
from tablier_core.drawing import Look
from tablier_core.languages import LANGUAGES, catalogue
from tablier_core.position import Game
from tablier_core.registry import GAMES
from tablier_core.rulebook import Picture, read_source, read_title, write_page
from tablier_service.transports.http import rules
from tablier_service.transports.http.request import PageRequest

from tests.service.transports.http.clients import HttpClient, assert_status

every_game = pytest.mark.parametrize("name", GAMES)
every_language = pytest.mark.parametrize("language", LANGUAGES)


def links(text: str) -> list[str]:
    """Everything that a page loads or leads to."""
    return [unescape(link) for link in re.findall(r'(?:src|href)="([^"]*)"', text)]


@every_game
@every_language
def test_shows_the_rules_of_a_game(client: HttpClient, name: str, language: str) -> None:
    page = client.ask("GET", f"/rules/{name}?lang={language}")
    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.headers["content-language"] == language
    assert f'<html lang="{language}">' in page.text
    assert f">{read_title(GAMES[name], language)}</h1>" in page.text
    # No comment, Markdown or escaped HTML is left.
    assert not re.search(r"<!--|&lt;!--|&lt;/|!\[|```|^##|^\|", page.text, re.MULTILINE)
    pictures = re.findall("<!-- picture ", read_source(GAMES[name], language))
    assert page.text.count("<img ") == len(pictures) > 0


@every_game
@every_language
def test_a_page_loads_only_what_exists_here(client: HttpClient, name: str, language: str) -> None:
    page = client.ask("GET", f"/rules/{name}?lang={language}")
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'self'; img-src 'self';")
    assert "unsafe" not in policy
    assert not re.search(r"<script|<style|\sstyle=|\son\w+=", page.text)
    for link in links(page.text):
        if link.startswith("#"):
            assert f'id="{unquote(link[1:])}"' in page.text
        else:
            assert link == "/" or link.startswith(("/rules", "/docs"))
            assert client.ask("GET", link).status_code == 200


@pytest.mark.parametrize(
    ("query", "accepted", "language"),
    [
        ("", "", "en"),
        ("", "fr-CA,fr;q=0.9,en;q=0.8", "fr"),
        ("?lang=en", "fr", "en"),
        ("?lang=fr-BE", "", "fr"),
        ("?lang=xx", "fr", "en"),
        ("?lang=", "fr", "fr"),
        ("?lang=%ff&lang=fr&x", "", "en"),
    ],
)
@pytest.mark.parametrize("path", ["/rules", "/rules/contract"])
def test_chooses_the_language_by_the_address_or_the_browser(
    client: HttpClient, path: str, query: str, accepted: str, language: str
) -> None:
    page = client.ask("GET", path + query, headers={"Accept-Language": accepted})
    assert page.headers["content-language"] == language
    assert "accept-language" in page.headers["vary"]


@every_language
def test_lists_the_games_and_leads_to_other_languages(client: HttpClient, language: str) -> None:
    page = client.ask("GET", f"/rules?lang={language}")
    assert f'<html lang="{language}">' in page.text
    found = links(page.text)
    assert {f"/rules/{name}?lang={language}" for name in GAMES} <= set(found)
    assert {f"/rules?lang={other}" for other in LANGUAGES} <= set(found)
    assert ("Règles des jeux" in page.text) == (language == "fr")


@pytest.mark.parametrize("path", ["/rules", "/rules/contract", "/rules/contract/contract-bids.svg"])
def test_a_page_that_the_browser_has_is_not_sent_again(client: HttpClient, path: str) -> None:
    page = client.ask("GET", path)
    again = client.ask("GET", path, headers={"If-None-Match": page.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    french = client.ask("GET", f"{path}?lang=fr", headers={"If-None-Match": page.headers["etag"]})
    assert french.status_code == 200
    assert client.ask("HEAD", path).headers["etag"] == page.headers["etag"]


def test_a_picture_opened_by_itself_can_do_nothing(client: HttpClient) -> None:
    picture = client.ask("GET", "/rules/contract/contract-start.svg")
    assert picture.headers["content-type"] == "image/svg+xml"
    assert "sandbox" in picture.headers["content-security-policy"]
    position = GAMES["contract"].start({}, 40)
    assert picture.text == position.draw_svg(0)
    french = client.ask("GET", "/rules/contract/contract-start.svg?lang=fr")
    assert french.text == position.draw_svg(0, Look(catalogue("fr")))
    assert french.text != picture.text


def test_reports_unknown_games_and_pictures(client: HttpClient) -> None:
    assert_status(client.ask("GET", "/rules/chess"), 404, 5, "UNKNOWN_GAME")
    assert_status(client.ask("GET", "/rules/chess/start.svg"), 404, 5, "UNKNOWN_GAME")
    assert_status(client.ask("GET", "/rules/contract/start.svg"), 404, 5, "UNKNOWN_ROUTE")
    assert_status(client.ask("POST", "/rules/contract"), 405, 5, "UNKNOWN_ROUTE")


def test_html_in_a_page_would_be_shown_as_text() -> None:
    rendered = rules.MARKDOWN.render("<script>a</script> [b](javascript:c)")
    assert "<script" not in rendered
    assert "href" not in rendered


def test_pages_are_made_when_somebody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def counted(game: Game, language: str, write_picture: Callable[[Picture], str]) -> str:
        made.append(f"{game.name} {language}")
        return write_page(game, language, write_picture)

    monkeypatch.setattr(rules, "write_page", counted)
    show = rules.rules_pages(GAMES, table=True)["/rules/{game}"]
    assert callable(show)
    assert made == []
    request = PageRequest({}, b"lang=fr", {"game": "contract"})
    assert show(request) is show(request)
    assert made == ["contract fr"]
