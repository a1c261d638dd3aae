"""Logs, metrics and errors contain no secrets: they are searched for canaries.

A service with sealed tokens logs every call while it is used, misused and made to crash. The test
knows what must stay hidden: tokens, keys, seeds, hands. None of it may appear in any form.
"""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import grpc
import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from tablier_client import Client, TablierError
from tablier_core.registry import GAMES

from tests.live_server import running, wait_until

GAMES_WITH_SECRETS = [name for name in sorted(GAMES) if GAMES[name].has_hidden_information]
SEED = 0xC0FFEE_5EED_CA7
SEAL_KEY = bytes(range(100, 132))
API_KEY = "tablier_canary-0123456789-abcdefghijklmnop"
SIGNING = Ed25519PrivateKey.generate()

# A service that fails whenever it has to draw for seat 1, with an exception that says too much.
CRASHING = """
from tablier_core.position import Position
from tablier_cli import main
from tablier_service.calls.use_cases import UseCases
original = UseCases.viewer
def viewer(self, position, seat):
    if seat == 1:
        try:
            raise ValueError(position.draw_text())
        except ValueError as error:
            raise RuntimeError(repr(position.pack()) + position.pack().hex()) from error
    return original(self, position, seat)
UseCases.viewer = viewer
main(["serve"])
"""


def forms(secret: bytes) -> set[bytes]:
    """All forms of the bytes of a secret: raw, escaped, hexadecimal, every kind of base64."""
    found = {
        secret,
        repr(secret)[2:-1].encode(),
        secret.hex().encode(),
        secret.hex().upper().encode(),
    }
    for shift in range(3):
        # The base64 of a longer text depends on where the secret begins in it.
        text = base64.b64encode(bytes(shift) + secret)[4:-4]
        found |= {text, text.replace(b"+", b"-").replace(b"/", b"_")}
    # JSON doubles the backslashes of escaped text.
    return found | {form.replace(b"\\", b"\\\\") for form in found}


def canaries_of_games() -> Iterator[bytes]:
    """What is hidden in the games that are played: packed states, and hands in drawings."""
    for name in GAMES_WITH_SECRETS:
        position = GAMES[name].start({}, SEED)
        packed = position.pack()
        yield packed[-24:]
        yield packed[4:28]
        shown = "".join(position.draw_text(seat) for seat in range(position.seats))
        for line in position.draw_text().splitlines():
            # A line that no seat sees is hidden; short ones could appear by chance.
            if line not in shown and len(line.strip()) >= 8:
                yield line.strip().encode()


def found_in(haystack: bytes, secrets: list[bytes]) -> list[bytes]:
    return [form for secret in secrets for form in forms(secret) if form in haystack]


@pytest.mark.parametrize("form", sorted(forms(b"\x00secret of \xff24 bytes+\\ \"'"))[:])
def test_finds_a_secret_in_every_form(form: bytes):
    assert found_in(b'{"event": "' + form + b'"}', [b"\x00secret of \xff24 bytes+\\ \"'"])


def signed_jwt() -> str:
    claims = {
        "sub": "canary",
        "aud": "tablier",
        "iss": "me",
        "exp": time.time() + 600,
        "roles": ["player"],
    }
    return jwt.encode(claims, SIGNING, "EdDSA", headers={"kid": "1"})


def settings(folder: Path) -> dict[str, object]:
    """Settings of a service with every kind of secret, which logs all it can."""
    digest = sha256(API_KEY.encode()).hexdigest()
    (folder / "keys").write_text(f"7:{base64.b64encode(SEAL_KEY).decode()}\n")
    (folder / "callers").write_text(
        f'[[callers]]\nname = "all"\nroles = ["host", "referee", "operator"]\n'
        f'key_sha256 = ["{digest}"]\n'
    )
    public = jwt.algorithms.OKPAlgorithm.to_jwk(SIGNING.public_key(), as_dict=True)
    keys = {"keys": [{**public, "kid": "1", "alg": "EdDSA"}]}
    (folder / "jwks").write_text(json.dumps(keys))
    return {
        "seal_keys_file": folder / "keys",
        "callers_file": folder / "callers",
        "jwks_file": folder / "jwks",
        "jwt_audience": "tablier",
        "jwt_issuer": "me",
        "reload_seconds": 0.05,
        "log_calls": "true",
        "log_level": "debug",
        "slow_call_ms": 0,
    }


class Use:
    """Makes calls of every kind, and keeps the errors and tokens that it gets."""

    def __init__(self, grpc_address: str, rest_url: str) -> None:
        self._grpc = grpc_address
        self._http = httpx.Client(base_url=rest_url, headers={"x-api-key": API_KEY})
        self.errors: list[bytes] = []
        self.tokens: list[bytes] = []

    def attempt(self, call: Any) -> Any:
        try:
            return call()
        except TablierError as error:
            self.errors.append(repr((error.message, error.field, error.reason)).encode())
            cause = error.__context__
            if isinstance(cause, grpc.Call):
                self.errors.append(repr(cause.trailing_metadata()).encode())
            return None

    def over_grpc(self, name: str, metadata: list[tuple[str, str]]) -> None:
        with Client(self._grpc, metadata=metadata) as client:
            state = self.attempt(lambda: client.start(name, seed=SEED))
            if state is None:
                return
            view = client.state(state.view_token(0))
            self.tokens += [state.token, view.token]
            first = state.moves()[0]
            after = state.play(first)
            self.tokens.append(after.token)
            damaged = state.token[:-1] + bytes([state.token[-1] ^ 1])
            for call in (
                state.draw,
                lambda: state.draw(1),
                lambda: view.draw(1),
                lambda: view.play(first),
                lambda: after.play(first, first, first),
                lambda: state.play("no such move"),
                lambda: state.suggest(seat=first.seat, iterations=20),
                lambda: client.state(damaged),
                lambda: client.state(state.token, match="another"),
                lambda: client.state(GAMES[name].start({}, SEED).pack()),
                lambda: client.replay(name, [first], seed=SEED, transcript=True),
            ):
                self.attempt(call)

    def over_rest(self) -> None:
        for token in self.tokens[:6]:
            text = base64.urlsafe_b64encode(token).decode()
            changed = base64.urlsafe_b64encode(token[:-1]).decode()
            for answer in (
                self._http.post("/v1/states:describe", json={"state": text, "seat": 1}),
                self._http.post("/v1/states:describe", json={"state": changed}),
                self._http.post("/v1/states:applyMoves", content=f'{{"state": "{text}", oops'),
                self._http.get("/v1/states:describe", params={"state": changed}),
                self._http.get(f"/v1/nothing/{text}"),
                self._http.get("/v1/games", headers={"x-api-key": f"{API_KEY}x"}),
            ):
                assert answer.status_code >= 400
                self.errors.append(answer.content + repr(answer.headers).encode())
        self.errors.append(self._http.get("/metrics").content)
        self._http.close()


def test_logs_metrics_and_errors_contain_no_secrets(tmp_path: Path):
    log = tmp_path / "log"
    token = signed_jwt()
    with running(log, program=("-c", CRASHING), **settings(tmp_path)) as server:
        use = Use(server.grpc_address, server.rest_url)
        for name in GAMES_WITH_SECRETS:
            use.over_grpc(name, [("authorization", f"Bearer {API_KEY}")])
        use.over_grpc(GAMES_WITH_SECRETS[0], [("authorization", f"Bearer {token}")])
        use.over_grpc(GAMES_WITH_SECRETS[0], [("authorization", f"Bearer {token}x")])
        use.over_rest()
        (tmp_path / "keys").write_text("8:" + base64.b64encode(SEAL_KEY[:-1]).decode())
        wait_until(lambda: "file rejected" in log.read_text(), "the key file is rejected")
    logged = log.read_bytes()
    entries = [json.loads(line) for line in logged.splitlines()]
    assert {"call", "call failed", "slow call"} <= {entry["event"] for entry in entries}
    assert any(entry.get("exception", "").endswith("RuntimeError\n") for entry in entries)
    haystack = b"\n".join((logged, *use.errors))
    secrets = [
        *(held[-48:] for held in use.tokens),
        SEAL_KEY,
        API_KEY.encode(),
        token.encode()[-64:],
        str(SEED).encode(),
        *canaries_of_games(),
    ]
    assert len(use.tokens) == 3 * len(GAMES_WITH_SECRETS)
    assert found_in(haystack, secrets) == []
