"""The header Accept-Language reaches every call, however its request is read."""

from __future__ import annotations

from typing import Any

import pytest
from tablier_core.registry import GAMES

from tests.service.transports.http.clients import GAME, assert_status
from tests.service.transports.http.conftest import MakeClient

LARGE = {"max_large_request_bytes": 1_000_000}
FRENCH = {"Accept-Language": "fr-CA,en;q=0.5"}


# The last one has enough values to be read in parts.
@pytest.mark.parametrize("count", [1, 2, 1024])
def test_names_the_language_of_the_operations_of_a_batch(make_client: MakeClient, count: int):
    client = make_client(**LARGE)
    body: dict[str, Any] = {"operations": [{"getGame": {"game": GAME}}] * count}
    for headers, language in ((FRENCH, "fr"), ({}, None)):
        answer = client.ask("POST", "/v1/batch", json=body, headers=headers)
        answers = [each["getGame"] for each in answer.json()["results"]]
        assert [each.get("language") for each in answers] == [language] * count
    body["operations"][-1]["getGame"]["language"] = "en"
    last = client.ask("POST", "/v1/batch", json=body, headers=FRENCH).json()["results"][-1]
    assert "language" not in last["getGame"]


@pytest.mark.parametrize("count", [2, 2000])
def test_names_the_language_of_a_reason(make_client: MakeClient, count: int):
    client, first = make_client(**LARGE), GAMES[GAME].start({"first": 0}, 1)
    legal = first.moves(0)
    illegal = next(action for action in range(first.game.num_actions) if action not in legal)
    moves = [{"seat": 0, "action": illegal}] * count
    body: dict[str, Any] = {"options": {"first": 0}, "moves": moves}
    path = f"/v1/games/{GAME}:replay"
    english = client.ask("POST", path, json=body)
    french = client.ask("POST", path, json=body, headers=FRENCH)
    assert_status(english, 400, 9, "MOVE_ILLEGAL")
    assert_status(french, 400, 9, "MOVE_ILLEGAL")
    assert english.json()["message"] != french.json()["message"]
    body["language"] = "en"
    again = client.ask("POST", path, json=body, headers=FRENCH)
    assert again.json()["message"] == english.json()["message"]
