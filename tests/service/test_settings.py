"""Settings, and combinations of them that make no sense."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from tablier_service.settings import (
    InvalidSettings,
    Settings,
    is_loopback,
    read_settings,
    unknown_variables,
)

KEYS = f"1:{base64.b64encode(bytes(32)).decode()}"
SECURED = {"tls_cert_file": "x", "tls_key_file": "x", "callers_file": "x"}


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
        ({"tokens": "sealed"}, "need --seal-keys-file"),
        ({"seal_keys": KEYS, "seal_keys_file": Path("keys")}, "not both"),
        ({"host": "0.0.0.0"}, "TABLIER_TOKENS=plain"),
        ({"host": "tablier.example"}, "TABLIER_TOKENS=plain"),
        ({"tls_cert_file": "x"}, "--tls-cert-file .* needs --tls-key-file .TABLIER_TLS_KEY_FILE."),
        ({"tls_key_file": "x"}, "--tls-key-file .* needs --tls-cert-file"),
        ({"tls_client_ca_file": "x"}, "needs --tls-cert-file .* and --tls-key-file"),
        ({"jwks_file": "x"}, "needs --jwt-audience .* and --jwt-issuer"),
        ({"jwks_file": "x", "jwt_issuer": "y"}, r"needs --jwt-audience \S+(?! and)"),
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


def problems(**flags: str) -> list[str]:
    with pytest.raises(InvalidSettings) as invalid:
        read_settings(flags)
    return invalid.value.problems


# What an address beyond loopback needs, by the flags and variables that the problem names.
NEEDED = {
    "TLS": {"tls_cert_file", "tls_key_file", "insecure_bind_allowed"},
    "authentication": {
        *("callers_file", "jwks_file", "tls_client_ca_file", "insecure_bind_allowed"),
    },
    "a decision about tokens": {"seal_keys_file", "tokens"},
}


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ({}, ["TLS", "authentication", "a decision about tokens"]),
        ({"insecure_bind_allowed": "true"}, ["a decision about tokens"]),
        ({"tokens": "plain"}, ["TLS", "authentication"]),
        ({"seal_keys": KEYS, "callers_file": "x"}, ["TLS"]),
        ({"tls_cert_file": "x", "tls_key_file": "x", "seal_keys": KEYS}, ["authentication"]),
    ],
)
def test_reports_all_that_an_address_beyond_loopback_needs(
    given: dict[str, str], missing: list[str]
):
    found = problems(host="0.0.0.0", **given)
    assert len(found) == len(missing)
    for problem, what in zip(found, missing, strict=True):
        assert problem.startswith(f"0.0.0.0 is not loopback, so the service needs {what}: ")
        flags = set(re.findall(r"--([a-z-]+)", problem))
        variables = set(re.findall(r"TABLIER_([A-Z_]+)", problem))
        assert {flag.replace("-", "_") for flag in flags} == NEEDED[what]
        assert {variable.lower() for variable in variables} == NEEDED[what]


def test_reports_incomplete_and_invalid_settings_together():
    found = problems(host="0.0.0.0", tls_cert_file="x", http_port="x", workers="0", tokens="plain")
    assert [problem.split(":")[0] for problem in found] == [
        "--http-port (TABLIER_HTTP_PORT)",
        "--workers (TABLIER_WORKERS)",
        "--tls-cert-file (TABLIER_TLS_CERT_FILE) needs --tls-key-file (TABLIER_TLS_KEY_FILE)",
        "0.0.0.0 is not loopback, so the service needs authentication",
    ]


@pytest.mark.parametrize(
    ("variable", "nearest"),
    [
        ("TABLIER_WORKER", "TABLIER_WORKERS"),
        ("TABLIER_SEALKEYS_FILE", "TABLIER_SEAL_KEYS_FILE"),
        ("TABLIER_REST_PORT", "TABLIER_HTTP_PORT"),
        ("tablier_log_levels", "TABLIER_LOG_LEVEL"),
        ("TABLIER_API_KEYS", "TABLIER_SEAL_KEYS"),
    ],
)
def test_an_unknown_variable_is_an_error_that_suggests_the_nearest(
    variable: str, nearest: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(variable, "1")
    assert problems() == [f"{variable} is not a setting; did you mean {nearest}?"]


def test_finds_unknown_variables_that_resemble_service_links():
    """Kubernetes would set these to an address, and not alone."""
    for variable in ("TABLIER_PORT", "TABLIER_GRPCPORT", "TABLIER_NOTHING_LIKE_IT"):
        assert len(unknown_variables({variable: "8080"})) == 1


def test_accepts_the_variables_of_other_programs():
    links = {
        "SERVICE_HOST": "10.0.0.11",
        "SERVICE_PORT": "50051",
        "SERVICE_PORT_GRPC": "50051",
        "PORT": "tcp://10.0.0.11:50051",
        "PORT_50051_TCP": "tcp://10.0.0.11:50051",
        "PORT_50051_TCP_PROTO": "tcp",
        "PORT_50051_TCP_PORT": "50051",
        "PORT_50051_TCP_ADDR": "10.0.0.11",
    }
    variables = {
        **{f"TABLIER_{name}": value for name, value in links.items()},
        **{f"TABLIER_BLUE_{name}": value for name, value in links.items()},
        **dict.fromkeys(("TABLIER_ADDRESS", "TABLIER_API_KEY"), "the client's"),
        **dict.fromkeys(("TABLIER_BUILD", "TABLIER_JOBS"), "the build's"),
        **dict.fromkeys(("TABLIER_HOST", "tablier_workers"), "settings"),
        **dict.fromkeys(("PATH", "MY_TABLIER_HOST", "TABLIER"), "of others"),
    }
    assert unknown_variables(variables) == []


@pytest.mark.parametrize(
    ("given", "exposed"),
    [
        ({}, False),
        ({"host": "0.0.0.0", "insecure_bind_allowed": True}, False),
        ({"host": "0.0.0.0", **SECURED}, True),
        ({"host": "0.0.0.0", **SECURED, "behind_proxy": True}, False),
    ],
)
def test_knows_whether_it_is_exposed_without_a_proxy(given: dict[str, Any], exposed: bool) -> None:
    assert Settings.model_validate({"tokens": "plain", **given}).exposed is exposed
