"""Requests generated from the OpenAPI document, valid and invalid; `make openapi` sends more."""

from __future__ import annotations

from campaigns.openapi import run


def test_nothing_is_found() -> None:
    # Calls with a path field, a body, a query string and many answers.
    cases, found = run(10, "startGame", "applyMoves", "renderStateByGet", "streamAnalysis")
    assert found == ""
    assert cases > 200
