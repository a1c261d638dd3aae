"""The gate: which credentials open it, and which must not."""

from __future__ import annotations

import json
import time
from hashlib import sha256
from typing import Any, cast

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from tablier_service.errors import PermissionDenied, QuotaExceeded, Unauthenticated
from tablier_service.observability.metrics import Metrics
from tablier_service.security.authentication import MAX_REMEMBERED, Gate
from tablier_service.security.callers import CALLER, Role
from tablier_service.transports.grpc.server import shown

KEY = "tablier_of-the-lobby"
CALLERS = f"""
[jwt]
calls_per_second = 2
[[callers]]
name = "lobby"
roles = ["host", "operator"]
key_sha256 = ["{sha256(KEY.encode()).hexdigest()}"]
certificates = ["lobby.example"]
calls_per_second = 3
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
def gate(metrics: Metrics) -> Gate:
    gate = Gate(metrics, audience="tablier", issuer="https://login.example")
    gate.read_callers(CALLERS.encode())
    gate.read_jwks(JWKS)
    return gate


@pytest.fixture(autouse=True)
def nobody() -> Any:
    before = CALLER.set(CALLER.get())
    yield
    CALLER.reset(before)


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


def test_an_api_key_is_known_by_its_hash_in_every_header_form(gate: Gate):
    for form in (KEY, f"Bearer {KEY}", f"bearer {KEY}"):
        caller = gate.admit(form.encode())
        assert caller.name == "lobby"
        assert caller.roles == {Role.HOST, Role.OPERATOR}
        assert CALLER.get() is caller
    assert gate.find(b"bot-1") is gate.find(b"bot-2")


@pytest.mark.parametrize(
    "credential",
    [b"", b"Bearer ", b"other", KEY[:-1].encode(), sha256(KEY.encode()).hexdigest().encode()],
)
def test_other_keys_are_refused_and_counted(gate: Gate, metrics: Metrics, credential: bytes):
    with pytest.raises(Unauthenticated):
        gate.admit(credential)
    assert b'tablier_refused_calls_total{reason="UNAUTHENTICATED"} 1.0' in metrics.exposition()


def test_a_certificate_is_known_by_one_of_its_names_when_there_is_no_credential(gate: Gate):
    assert gate.find(b"", ["x", "lobby.example"]).name == "lobby"
    with pytest.raises(Unauthenticated):
        gate.find(b"", ["x"])
    with pytest.raises(Unauthenticated):
        gate.find(b"wrong", ["lobby.example"])


def test_a_name_of_a_certificate_that_is_no_text_is_nobodys(gate: Gate):
    class Call:
        def invocation_metadata(self) -> tuple[()]:
            return ()

        def auth_context(self) -> dict[str, list[bytes]]:
            return {"x509_common_name": [b"lobby\xff"], "x509_subject_alternative_name": [b"y"]}

    credential, names = shown(cast("Any", Call()))
    assert (credential, names) == (b"", ["lobby\ufffd", "y"])
    with pytest.raises(Unauthenticated):
        gate.find(credential, names)


@pytest.mark.parametrize("algorithm", sorted(SIGNING))
def test_jwts_are_taken_with_the_roles_that_exist(gate: Gate, algorithm: str):
    caller = gate.find(b"Bearer " + signed(algorithm))
    assert caller.roles == {Role.PLAYER}
    assert gate.find(signed(algorithm, roles="host")).roles == frozenset()


def test_a_jwt_is_checked_once_until_it_expires(gate: Gate, monkeypatch: pytest.MonkeyPatch):
    token = signed()
    caller = gate.find(token)
    monkeypatch.setattr(jwt, "decode", None)
    assert gate.find(token) is caller
    monkeypatch.setattr("tablier_service.security.authentication.time", lambda: time.time() + 3600)
    with pytest.raises(Unauthenticated):
        gate.find(token)


def test_a_jwt_is_not_remembered_beyond_its_key(gate: Gate):
    """To lock somebody out before a token expires, its key is taken out of the set."""
    token = signed("EdDSA")
    gate.find(token)
    gate.read_jwks(json.dumps({"keys": [jwk("RS256")]}).encode())
    with pytest.raises(Unauthenticated):
        gate.find(token)
    assert gate.find(signed("RS256")).roles == {Role.PLAYER}
    assert gate.find(KEY.encode()).name == "lobby"


PUBLIC = SIGNING["RS256"].public_key()
PEM = PUBLIC.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def hs256_with_the_public_key() -> bytes:
    """A token that a careless check would verify with RSA's public key as a shared secret."""
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
def test_jwts_that_must_not_pass(gate: Gate, token: bytes):
    for _ in range(2):
        with pytest.raises(Unauthenticated):
            gate.find(token)


def test_what_is_remembered_of_jwts_has_a_limit(gate: Gate, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tablier_service.security.authentication.MAX_REMEMBERED", 8)
    assert MAX_REMEMBERED > 1000
    for number in range(50):
        gate.find(signed(sub=f"user-{number}"))
        assert len(gate._known) <= 8
    assert gate.find(KEY.encode()).name == "lobby"


def test_quotas_belong_to_callers_whatever_key_they_use(gate: Gate, metrics: Metrics):
    for _ in range(3):
        gate.admit(KEY.encode())
    with pytest.raises(QuotaExceeded):
        gate.admit(KEY.encode())
    assert b'tablier_refused_calls_total{reason="QUOTA_EXCEEDED"} 1.0' in metrics.exposition()
    gate.admit(b"bot-1")
    for exp in (1000, 2000):
        gate.admit(signed(exp=time.time() + exp))
    with pytest.raises(QuotaExceeded):
        gate.admit(signed(exp=time.time() + 3000))
    gate.admit(signed(sub="bob"))


def test_a_new_file_replaces_callers_and_keeps_what_others_have_spent(gate: Gate):
    for _ in range(3):
        gate.admit(KEY.encode())
    gate.read_callers(CALLERS.replace('"bot"', '"robot"').encode())
    assert gate.find(b"bot-1").name == "robot"
    with pytest.raises(QuotaExceeded):
        gate.admit(KEY.encode())
    gate.read_callers(b"")
    with pytest.raises(Unauthenticated):
        gate.admit(KEY.encode())


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
def test_a_file_with_a_fault_is_refused_whole(gate: Gate, content: str):
    with pytest.raises(ValueError, match=r"."):
        gate.read_callers(content.encode())
    assert gate.find(KEY.encode()).name == "lobby"


@pytest.mark.parametrize(
    "keys",
    [
        [{**jwk("EdDSA"), "kid": None}],
        [{"kty": "oct", "k": "c2VjcmV0", "kid": "1", "alg": "HS256"}],
        [{"kty": "none"}],
        "x",
    ],
)
def test_jwks_with_shared_secrets_or_without_names_are_refused(gate: Gate, keys: Any):
    with pytest.raises(ValueError, match=r"."):
        gate.read_jwks(json.dumps({"keys": keys}).encode())
    assert gate.find(signed()).roles


def test_pages_of_operators(gate: Gate, metrics: Metrics):
    gate.require_operator(KEY.encode())
    with pytest.raises(PermissionDenied):
        gate.require_operator(b"bot-1")
    with pytest.raises(Unauthenticated):
        gate.require_operator(b"")
    Gate(metrics).require_operator(b"")
