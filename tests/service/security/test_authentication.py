"""Authentication: which credentials are accepted, and which must not be."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from tablier_service.errors import PermissionDenied, QuotaExceeded, Unauthenticated
from tablier_service.observability.metrics import Metrics
from tablier_service.security.authentication import (
    MAX_REMEMBERED,
    Authentication,
    digest_of,
)
from tablier_service.security.callers import CALLER, Caller, Role
from tablier_service.transports.grpc.call import names_in

KEY = "tablier_of-the-lobby"
CALLERS = f"""
[jwt]
# Too slow to refill during a test.
calls_per_second = 0.001
burst = 2
[[callers]]
name = "lobby"
roles = ["host", "operator"]
key_sha256 = ["{sha256(KEY.encode()).hexdigest()}"]
certificates = ["lobby.example"]
calls_per_second = 0.001
burst = 3
[[callers]]
name = "bot"
roles = ["player"]
key_sha256 = ["{sha256(b"bot-1").hexdigest()}", "{sha256(b"bot-2").hexdigest()}"]
"""
SIGNING: dict[str, Any] = {
    "EdDSA": ed25519.Ed25519PrivateKey.generate(),
    "ES256": ec.generate_private_key(ec.SECP256R1()),
    "RS256": rsa.generate_private_key(65537, 2048),
}
ALGORITHMS: dict[str, Any] = {
    "EdDSA": jwt.algorithms.OKPAlgorithm,
    "ES256": jwt.algorithms.ECAlgorithm,
    "RS256": jwt.algorithms.RSAAlgorithm,
}


def jwk(name: str) -> dict[str, Any]:
    public = ALGORITHMS[name].to_jwk(SIGNING[name].public_key(), as_dict=True)
    return {**public, "kid": name, "alg": name}


JWKS = json.dumps({"keys": [jwk(name) for name in SIGNING]}).encode()


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


@pytest.fixture
def authentication(metrics: Metrics) -> Authentication:
    authentication = Authentication(metrics, audience="tablier", issuer="https://login.example")
    authentication.read_callers(CALLERS.encode())
    authentication.read_jwks(JWKS)
    return authentication


@pytest.fixture(autouse=True)
def keep_caller() -> Iterator[None]:
    """Reset the current caller after the test."""
    before = CALLER.set(CALLER.get())
    yield
    CALLER.reset(before)


def admit(authentication: Authentication, credential: bytes) -> Caller:
    """Identify a caller, and take a call from its quota."""
    return authentication.admit(authentication.identify(credential))


def claims(**changes: Any) -> dict[str, Any]:
    good = {
        "sub": "alice",
        "aud": "tablier",
        "iss": "https://login.example",
        "exp": time.time() + 600,
        "roles": ["player", "chancellor"],
    }
    return {name: value for name, value in {**good, **changes}.items() if value is not None}


def signed(algorithm: str = "EdDSA", kid: str | None = None, **changes: Any) -> bytes:
    token = jwt.encode(
        claims(**changes), SIGNING[algorithm], algorithm, headers={"kid": kid or algorithm}
    )
    return token.encode()


def test_accepts_an_api_key_in_every_form_of_the_header(authentication: Authentication):
    for form in (KEY, f"Bearer {KEY}", f"bearer {KEY}"):
        caller = admit(authentication, form.encode())
        assert caller.name == "lobby"
        assert caller.roles == {Role.HOST, Role.OPERATOR}
    assert authentication.identify(b"bot-1") is authentication.identify(b"bot-2")


@pytest.mark.parametrize(
    "credential",
    [b"", b"Bearer ", b"other", KEY[:-1].encode(), sha256(KEY.encode()).hexdigest().encode()],
)
def test_rejects_and_counts_other_keys(
    authentication: Authentication, metrics: Metrics, credential: bytes
):
    with pytest.raises(Unauthenticated):
        admit(authentication, credential)
    assert b'tablier_rejected_calls_total{reason="unauthenticated"} 1.0' in metrics.exposition()


def test_accepts_a_certificate_by_one_of_its_names_if_there_is_no_credential(
    authentication: Authentication,
):
    assert authentication.identify(b"", ["x", "lobby.example"]).name == "lobby"
    with pytest.raises(Unauthenticated):
        authentication.identify(b"", ["x"])
    with pytest.raises(Unauthenticated):
        authentication.identify(b"wrong", ["lobby.example"])


def test_rejects_a_certificate_name_that_is_not_utf8(authentication: Authentication):
    names = names_in({"x509_common_name": [b"lobby\xff"], "x509_subject_alternative_name": [b"y"]})
    assert names == ["lobby\ufffd", "y"]
    with pytest.raises(Unauthenticated):
        authentication.identify(b"", names)


@pytest.mark.parametrize("algorithm", sorted(SIGNING))
def test_accepts_jwts_and_ignores_unknown_roles(authentication: Authentication, algorithm: str):
    caller = authentication.identify(b"Bearer " + signed(algorithm))
    assert caller.roles == {Role.PLAYER}
    assert authentication.identify(signed(algorithm, roles="host")).roles == frozenset()


def test_verifies_a_jwt_once_until_it_expires(
    authentication: Authentication, monkeypatch: pytest.MonkeyPatch
):
    token = signed()
    caller = authentication.identify(token)
    monkeypatch.setattr(jwt, "decode", None)
    assert authentication.identify(token) is caller
    monkeypatch.setattr("tablier_service.security.authentication.time", lambda: time.time() + 3600)
    with pytest.raises(Unauthenticated):
        authentication.identify(token)


def test_forgets_a_jwt_when_its_key_is_removed(authentication: Authentication):
    """That is how to lock a caller out before its token expires."""
    token = signed("EdDSA")
    authentication.identify(token)
    authentication.read_jwks(json.dumps({"keys": [jwk("RS256")]}).encode())
    with pytest.raises(Unauthenticated):
        authentication.identify(token)
    assert authentication.identify(signed("RS256")).roles == {Role.PLAYER}
    assert authentication.identify(KEY.encode()).name == "lobby"


PUBLIC = SIGNING["RS256"].public_key()
PEM = PUBLIC.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def hs256_with_the_public_key() -> bytes:
    """A token that a careless check would verify with the public RSA key as a shared secret."""
    import base64
    import hmac

    def part(value: Any) -> bytes:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=")

    body = part({"alg": "HS256", "typ": "JWT", "kid": "RS256"}) + b"." + part(claims())
    seal = hmac.new(PEM, body, "sha256").digest()
    return body + b"." + base64.urlsafe_b64encode(seal).rstrip(b"=")


@pytest.mark.parametrize(
    "token",
    [
        jwt.encode(claims(), None, "none", headers={"kid": "EdDSA"}).encode(),  # type: ignore[arg-type]
        hs256_with_the_public_key(),
        signed("EdDSA", kid="RS256"),
        signed("EdDSA", kid="unknown"),
        signed(exp=time.time() - 10),
        signed(exp=None),
        signed(sub=None),
        signed(aud="other"),
        signed(aud=None),
        signed(iss="https://evil.example"),
        signed(iss=None),
        signed()[:-4] + b"AAAA",
        b"a.b.c",
        b"..",
    ],
)
def test_rejects_invalid_jwts(authentication: Authentication, token: bytes):
    for _ in range(2):
        with pytest.raises(Unauthenticated):
            authentication.identify(token)


def test_limits_how_many_jwts_are_remembered(
    authentication: Authentication, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("tablier_service.security.authentication.MAX_REMEMBERED", 8)
    assert MAX_REMEMBERED > 1000
    for number in range(50):
        authentication.identify(signed(sub=f"user-{number}"))
        assert len(authentication._known) <= 8
    assert authentication.identify(KEY.encode()).name == "lobby"


def test_all_credentials_of_a_caller_share_its_quota(
    authentication: Authentication, metrics: Metrics
):
    for _ in range(3):
        admit(authentication, KEY.encode())
    with pytest.raises(QuotaExceeded):
        admit(authentication, KEY.encode())
    assert b'tablier_rejected_calls_total{reason="quota"} 1.0' in metrics.exposition()
    admit(authentication, b"bot-1")
    for exp in (1000, 2000):
        admit(authentication, signed(exp=time.time() + exp))
    with pytest.raises(QuotaExceeded):
        admit(authentication, signed(exp=time.time() + 3000))
    admit(authentication, signed(sub="bob"))


def test_every_caller_and_every_subject_of_a_jwt_has_an_account(authentication: Authentication):
    credentials = (KEY.encode(), signed(), signed(exp=time.time() + 1000), signed(sub="bob"))
    accounts = [authentication.identify(credential).account for credential in credentials]
    assert accounts[0] == "lobby"
    assert accounts[1] == accounts[2]
    assert len(set(accounts)) == 3


def test_a_new_file_replaces_changed_callers_and_keeps_the_used_quota_of_others(
    authentication: Authentication,
):
    for _ in range(3):
        admit(authentication, KEY.encode())
    authentication.read_callers(CALLERS.replace('"bot"', '"robot"').encode())
    assert authentication.identify(b"bot-1").name == "robot"
    with pytest.raises(QuotaExceeded):
        admit(authentication, KEY.encode())
    authentication.read_callers(b"")
    with pytest.raises(Unauthenticated):
        admit(authentication, KEY.encode())


@pytest.mark.parametrize(
    "content",
    [
        "callers = 3",
        "[[callers]]\nname = 'a'",
        "[[callers]]\nname = 'a b'\nroles = []",
        "[[callers]]\nname = 'a'\nroles = ['king']",
        "[[callers]]\nname = 'a'\nroles = []\nkey = 'clear text'",
        "[[callers]]\nname = 'a'\nroles = []\nkey_sha256 = ['abcd']",
        "[[callers]]\nname = 'a'\nroles = []\nkey_sha256 = ['xyz']",
        "[[callers]]\nname = 'a'\nroles = []\n[[callers]]\nname = 'a'\nroles = []",
        "[[callers]]\nname = 'a'\nroles = []\ncertificates = ['x', 'x']",
        "no toml",
    ],
)
def test_rejects_a_file_with_an_error_completely(authentication: Authentication, content: str):
    with pytest.raises(ValueError, match=r"."):
        authentication.read_callers(content.encode())
    assert authentication.identify(KEY.encode()).name == "lobby"


@pytest.mark.parametrize(
    "keys",
    [
        [{**jwk("EdDSA"), "kid": None}],
        [{"kty": "oct", "k": "c2VjcmV0", "kid": "1", "alg": "HS256"}],
        [{"kty": "none"}],
        "x",
    ],
)
def test_rejects_a_jwks_with_shared_secrets_or_without_key_ids(
    authentication: Authentication, keys: Any
):
    with pytest.raises(ValueError, match=r"."):
        authentication.read_jwks(json.dumps({"keys": keys}).encode())
    assert authentication.identify(signed()).roles


def test_only_operators_may_read_their_pages(authentication: Authentication, metrics: Metrics):
    authentication.require_operator(KEY.encode())
    with pytest.raises(PermissionDenied):
        authentication.require_operator(b"bot-1")
    with pytest.raises(Unauthenticated):
        authentication.require_operator(b"")
    Authentication(metrics).require_operator(b"")
    # Every client has a certificate, but nothing says who operates the service.
    with pytest.raises(PermissionDenied):
        Authentication(metrics, anyone_operates=False).require_operator(b"", ["lobby.example"])


def test_recalls_callers_by_the_digest_of_their_credential(
    authentication: Authentication, monkeypatch: pytest.MonkeyPatch
):
    token = signed()
    assert authentication.recall(digest_of(token)) is None
    caller = authentication.identify(token)
    assert authentication.recall(digest_of(b"Bearer " + token)) is caller
    assert authentication.recall(digest_of(KEY.encode())) is authentication.identify(KEY.encode())
    later = time.time() + 3600
    monkeypatch.setattr("tablier_service.security.authentication.time", lambda: later)
    assert authentication.recall(digest_of(token)) is None
    authentication.read_callers(b"")
    assert authentication.recall(digest_of(KEY.encode())) is None
