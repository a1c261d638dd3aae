"""Settings, and combinations of them that make no sense."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from pydantic import ValidationError
from tablier_service.settings import Settings, is_loopback

KEYS = f"1:{base64.b64encode(bytes(32)).decode()}"


@pytest.mark.parametrize(
    ("given", "sealed"),
    [
        ({}, False),
        ({"seal_keys": KEYS}, True),
        ({"seal_keys_file": "keys"}, True),
        ({"seal_keys": KEYS, "tokens": "sealed"}, True),
        ({"seal_keys": KEYS, "tokens": "plain"}, False),
    ],
)
def test_tokens_are_sealed_if_there_are_keys_unless_set_otherwise(
    given: dict[str, str], sealed: bool
):
    assert Settings.model_validate(given).sealed is sealed


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"tokens": "sealed"}, "need seal_keys"),
        ({"seal_keys": KEYS, "seal_keys_file": Path("keys")}, "not both"),
        ({"host": "0.0.0.0"}, "tokens=plain"),
        ({"host": "tablier.example"}, "tokens=plain"),
        ({"drain_seconds": "inf"}, "finite number"),
        ({"otlp_endpoint": "collector:4318"}, "match pattern"),
    ],
)
def test_rejects_settings_that_make_no_sense(given: dict[str, object], said: str):
    with pytest.raises(ValidationError, match=said):
        Settings.model_validate(given)


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.1.2.3", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("10.0.0.1", False),
        ("tablier.example", False),
    ],
)
def test_knows_loopback_addresses(host: str, loopback: bool):
    assert is_loopback(host) is loopback
