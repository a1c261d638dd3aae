"""Requests made up from the OpenAPI document, right and wrong; `make schemathesis` makes more."""

from __future__ import annotations

from tests.long.openapi import run


def test_nothing_is_found() -> None:
    # Calls with a body, a path field and a query string.
    cases, found = run(10, "startGame", "applyMoves", "renderStateByGet")
    assert found == ""
    assert cases > 200
