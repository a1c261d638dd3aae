"""The table in the browser: `/`, the frame `/embed`, and their files."""

from __future__ import annotations

import gzip
import re
from pathlib import Path, PurePosixPath
from posixpath import normpath
from xml.etree import ElementTree

import pytest
from tablier_core.languages import LANGUAGES
from tablier_core.position import Game
from tablier_core.registry import GAMES
from tablier_web import FRAME_MODULE, PAGE, VENDOR, read_files, read_site

from tests.service.transports.http.clients import HttpClient
from tests.service.transports.http.conftest import MakeClient

PICTURES = Path(__file__).parents[4] / "docs" / "pictures"
# What the page may weigh, compressed: all files and the document.
MOST_BYTES = 60_000
IMPORT = re.compile(r'^(?:import|export) [^"()]*"(\.[^"]+)";$', re.MULTILINE)
ESCAPED = re.escape("-")
# Names and titles of games, in any spelling. One is also a word, which themes use.
GAME_NAMES = re.compile(
    "|".join(
        rf"\b{re.escape(text).replace(ESCAPED, '[-_ ]?')}"
        for game in GAMES.values()
        for text in {game.name, game.title, game.french_title}
    ),
    re.IGNORECASE,
)
THEME = re.compile(r"theme|HIGH_CONTRAST|prefers-contrast|CONTRAST\.|\"dark\"")


def files_of(document: str) -> list[str]:
    """The files that the document loads."""
    return re.findall(r'(?:src|href)="(/table/[^"]*)"', document)


def test_the_table_is_at_the_root_and_loads_only_its_own_files(client: HttpClient) -> None:
    page = client.ask("GET", "/")
    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "set-cookie" not in page.headers
    links = files_of(page.text)
    assert any(link.endswith("/main.js") for link in links)
    for link in links:
        file = client.ask("GET", link)
        assert file.status_code == 200
        assert "immutable" in file.headers["cache-control"]
    assert "@" not in page.text
    assert not re.search(r"https?://", page.text)


def test_the_policy_forbids_inline_code_and_other_hosts(client: HttpClient) -> None:
    page = client.ask("GET", "/")
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert "unsafe" not in policy
    assert "require-trusted-types-for 'script'" in policy
    assert not re.search(r"<script(?! type=\"module\" src=)|<style|\sstyle=|\son\w+=", page.text)


def test_other_pages_may_frame_only_the_view(client: HttpClient) -> None:
    table = client.ask("GET", "/").headers["content-security-policy"]
    frame = client.ask("GET", "/embed")
    assert frame.status_code == 200
    assert table.endswith("; frame-ancestors 'none'")
    policy = frame.headers["content-security-policy"]
    assert policy.endswith("; frame-ancestors *")
    # Everything else is as strict.
    assert policy.partition("frame-ancestors")[0] == table.partition("frame-ancestors")[0]
    assert frame.headers["referrer-policy"] == "no-referrer"
    assert "x-frame-options" not in frame.headers
    assert any(link.endswith(f"/{FRAME_MODULE}") for link in files_of(frame.text))
    for link in files_of(frame.text):
        assert client.ask("GET", link).status_code == 200
    assert "@" not in frame.text


def test_the_frame_cannot_ask_for_a_key() -> None:
    files = read_files()
    loaded = {FRAME_MODULE}
    while True:
        found = {
            normpath(PurePosixPath(name).parent / target)
            for name in loaded
            for target in IMPORT.findall(files[name].decode())
        }
        if found <= loaded:
            break
        loaded |= found
    assert "components/board.js" in loaded
    for name in ("key", "builder", "app", "share"):
        assert f"components/{name}.js" not in loaded


def test_the_document_is_revalidated(client: HttpClient) -> None:
    tag = client.ask("GET", "/").headers["etag"]
    assert client.ask("GET", "/", headers={"if-none-match": tag}).status_code == 304


def test_the_document_preloads_every_module_and_names_every_language() -> None:
    document = read_site().document.decode()
    loaded = {link.split("/", 3)[3] for link in files_of(document)}
    modules = {name for name in read_files() if name.endswith(".js")}
    languages = {f"languages/{language}.js" for language in LANGUAGES}
    assert modules - loaded == languages | {FRAME_MODULE}
    assert f'data-languages="{" ".join(sorted(LANGUAGES))}"' in document


def test_only_comments_are_left_out_and_lines_keep_their_numbers() -> None:
    left_out = 0
    for name, served in read_files().items():
        lines = (PAGE / name).read_bytes().split(b"\n")
        for source, line in zip(lines, served.split(b"\n"), strict=True):
            if line != source:
                left_out += 1
                if line:
                    before, *types = source.split(b"/** @type ")
                    rest = b"".join(each.partition(b"*/")[2].removeprefix(b" ") for each in types)
                    assert line == before + rest
                else:
                    assert source.strip().startswith((b"/*", b"*", b"//")), f"{name}: {source!r}"
    assert left_out > 100


def test_the_page_is_small() -> None:
    site = read_site()
    contents = (site.document, site.frame, *site.files.values())
    sizes = [len(gzip.compress(each, mtime=0)) for each in contents]
    assert sum(sizes) <= MOST_BYTES


OWN_FILES = [name for name in read_files() if not name.startswith(VENDOR)]


@pytest.mark.parametrize("name", [*OWN_FILES, "index.html", "frame.html"])
def test_the_page_names_no_game(name: str) -> None:
    lines = (PAGE / name).read_text(encoding="utf-8").splitlines()
    found = [
        f"{line.strip()}: {match[0]}"
        for line in lines
        for match in GAME_NAMES.finditer(line)
        if not THEME.search(line)
    ]
    assert found == []


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_finds_the_name_of_every_game(game: Game) -> None:
    for text in (
        f'if (game.name === "{game.name}")',
        f"/rules/{game.name}?lang=en",
        f"view.{game.name.replace('-', '_')}",
        f"{game.title} and others",
    ):
        assert GAME_NAMES.search(text)
        assert not THEME.search(text)


@pytest.mark.parametrize("game", GAMES)
def test_the_page_copies_all_that_drawings_have(game: str) -> None:
    """It copies only what it knows; what it leaves out would look different there."""
    source = PAGE.joinpath("drawing.js").read_text(encoding="utf-8").partition("trustedTypes")[0]
    copied = set(re.findall(r"[\w-]+", source))
    pictures = list(PICTURES.glob(f"{game}-*.svg"))
    assert pictures
    for picture in pictures:
        for element in ElementTree.parse(picture).iter():
            assert {element.tag.partition("}")[2], *element.keys()} <= copied, picture.name


def test_libraries_are_served_with_their_licences() -> None:
    libraries = [name for name in read_files() if name.startswith(VENDOR)]
    assert libraries
    for name in libraries:
        text = read_files()[name].decode()
        assert "Copyright (c)" in text
        assert "Permission is hereby granted" in text


def test_every_import_of_the_page_exists() -> None:
    files = read_files()
    for name, content in files.items():
        for target in IMPORT.findall(content.decode()):
            assert normpath(PurePosixPath(name).parent / target) in files, f"{name}: {target}"


@pytest.mark.parametrize("path", ["/docs", "/rules", f"/rules/{next(iter(GAMES))}"])
def test_other_pages_link_to_the_table_if_there_is_one(
    client: HttpClient, make_client: MakeClient, path: str
) -> None:
    link = 'href="/"'
    assert link in client.ask("GET", path).text
    assert link not in make_client(web="off").ask("GET", path).text


def test_a_setting_removes_the_page(make_client: MakeClient) -> None:
    client = make_client(web="off")
    assert client.ask("GET", "/").status_code == 404
    assert client.ask("GET", "/embed").status_code == 404
    for link in files_of(read_site().document.decode()):
        assert client.ask("GET", link).status_code == 404
    assert client.ask("GET", "/docs").status_code == 200
