"""The gate: who is calling, by API key, JWT or certificate, and whether they have quota left.

Both doors ask it before they read a request. What a credential stands for is looked up by its
SHA-256, so that neither the callers file nor this process's memory holds a key; a JWT, whose check
costs as much as a call, is checked once and remembered until it expires.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from hashlib import sha256
from time import time
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tablier_service.errors import QuotaExceeded, Unauthenticated
from tablier_service.observability.metrics import Metrics
from tablier_service.security.callers import CALLER, Caller, Role, require
from tablier_service.security.quotas import Allowance, Quotas

# PyJWT brings `cryptography`, ten megabytes that only a service with JWTs needs.
if TYPE_CHECKING:
    import jwt

# Signatures whose verifying key cannot sign: a shared secret would let us forge callers.
ALGORITHMS = frozenset({"EdDSA", "ES256", "RS256"})
REQUIRED_CLAIMS = ["exp", "aud", "iss", "sub"]
# Credentials that are remembered; beyond it, all JWTs are checked anew.
MAX_REMEMBERED = 10_000
NEVER = float("inf")


class CallerEntry(Allowance):
    """A caller in the file of callers."""

    name: str = Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9._-]+$")
    roles: frozenset[Role]
    # SHA-256 of its API keys, in hexadecimal; `tablier keys new` prints them.
    key_sha256: tuple[str, ...] = ()
    # Common names or subject alternative names of its client certificates.
    certificates: tuple[str, ...] = ()


class CallersFile(BaseModel):
    """The file of callers."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    # What holds for callers who come with a JWT.
    jwt: Allowance = Allowance()
    callers: tuple[CallerEntry, ...] = ()


class Gate:
    """Knows the callers. With no file of callers and no JWKS it stands open."""

    def __init__(
        self, metrics: Metrics, *, audience: str = "", issuer: str = "", share: int = 1
    ) -> None:
        self.open = True
        self._metrics = metrics
        self._audience = audience
        self._issuer = issuer
        # How many processes a caller's calls spread over.
        self._share = share
        self._file = CallersFile()
        self._callers: dict[str, tuple[CallerEntry, Caller]] = {}
        self._by_certificate: dict[str, Caller] = {}
        self._jwks: dict[str, jwt.PyJWK] = {}
        # By the credential's SHA-256: who it is, and until when.
        self._known: dict[bytes, tuple[Caller, float]] = {}
        self._subjects: dict[str, Caller] = {}

    def read_callers(self, content: bytes) -> None:
        """Take the callers from their file (TOML); raises ValueError."""
        try:
            file = CallersFile.model_validate(tomllib.loads(content.decode()))
        except ValidationError as error:
            fault = error.errors()[0]
            # Where and what, without the content that its own words would quote.
            where = ".".join(map(str, fault["loc"]))
            raise ValueError(f"{where}: {fault['msg']}") from None
        callers: dict[str, tuple[CallerEntry, Caller]] = {}
        known: dict[bytes, tuple[Caller, float]] = {}
        by_certificate: dict[str, Caller] = {}
        for entry in file.callers:
            if entry.name in callers:
                raise ValueError(f"{entry.name} is there twice")
            before = self._callers.get(entry.name)
            # One that did not change keeps what it has spent.
            caller = (
                before[1]
                if before and before[0] == entry
                else self._caller(entry.name, entry.roles, entry)
            )
            callers[entry.name] = (entry, caller)
            for digest in map(bytes.fromhex, entry.key_sha256):
                if len(digest) != sha256().digest_size or digest in known:
                    raise ValueError(f"{entry.name} has a hash that is no SHA-256 or is used twice")
                known[digest] = (caller, NEVER)
            for name in entry.certificates:
                if name in by_certificate:
                    raise ValueError(f"{entry.name} has a certificate that is another's")
                by_certificate[name] = caller
        self._file, self._callers, self._by_certificate = file, callers, by_certificate
        self._known, self._subjects = known, {}
        self.open = False

    def read_jwks(self, content: bytes) -> None:
        """Take the keys that JWTs are checked with (a JWK set); raises ValueError."""
        import jwt

        keys: dict[str, jwt.PyJWK] = {}
        try:
            for data in json.loads(content)["keys"]:
                key = jwt.PyJWK(data)
                if key.algorithm_name not in ALGORITHMS or not key.key_id:
                    raise ValueError(f"a JWK needs a kid and one of {sorted(ALGORITHMS)}")
                keys[key.key_id] = key
        except (jwt.PyJWTError, AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"no JWK set: {type(error).__name__}") from None
        self._jwks = keys
        self._forget_jwts()
        self.open = False

    def admit(self, credential: bytes, certificate_names: Iterable[str] = ()) -> Caller:
        """Let a call in: find its caller, take it from the quota, and serve it as theirs.

        `credential` is the value of the header `authorization` or `x-api-key`.
        """
        try:
            caller = self.find(credential, certificate_names)
            caller.quotas.admit()
        except (Unauthenticated, QuotaExceeded) as error:
            self._metrics.refusals[error.reason].inc()
            raise
        CALLER.set(caller)
        return caller

    def find(self, credential: bytes, certificate_names: Iterable[str] = ()) -> Caller:
        """Whose credential it is; raises Unauthenticated."""
        if not credential:
            for name in certificate_names:
                if name in self._by_certificate:
                    return self._by_certificate[name]
            raise Unauthenticated("", "this service wants an API key, a JWT or a certificate")
        secret = credential[7:] if credential[:7].lower() == b"bearer " else credential
        digest = sha256(secret).digest()
        known = self._known.get(digest)
        if known is not None and known[1] > time():
            return known[0]
        if known is None and secret.count(b".") == 2 and self._jwks:
            return self._check_jwt(secret, digest)
        # The same words for all that is wrong with a credential.
        raise Unauthenticated("", "these credentials are unknown, wrong or expired")

    def require_operator(self, credential: bytes, certificate_names: Iterable[str] = ()) -> None:
        """Let only operators pass; raises TablierError."""
        if not self.open:
            self.admit(credential, certificate_names)
            require(frozenset({Role.OPERATOR}), "", "this page")

    def _check_jwt(self, token: bytes, digest: bytes) -> Caller:
        import jwt

        try:
            key = self._jwks[jwt.get_unverified_header(token)["kid"]]
            claims: Mapping[str, Any] = jwt.decode(
                token,
                key,
                # The key's own, so that a token cannot choose how it is checked.
                algorithms=[key.algorithm_name],
                audience=self._audience,
                issuer=self._issuer,
                options={"require": REQUIRED_CLAIMS},
            )
        except (jwt.PyJWTError, KeyError, TypeError):
            raise Unauthenticated("", "these credentials are unknown, wrong or expired") from None
        given = claims.get("roles", ())
        roles = frozenset(role for role in Role if isinstance(given, list) and role.value in given)
        # The same subject spends from the same quota, with whatever token; a file's caller is
        # somebody else.
        subject = f"{','.join(sorted(roles))}:{claims['sub']}"
        if len(self._known) >= MAX_REMEMBERED:
            self._forget_jwts()
        caller = self._subjects.get(subject)
        if caller is None:
            caller = self._caller("jwt", roles, self._file.jwt)
            self._subjects[subject] = caller
        self._known[digest] = (caller, float(claims["exp"]))
        return caller

    def _caller(self, name: str, roles: frozenset[Role], allowance: Allowance) -> Caller:
        quotas = Quotas(allowance, self._share, self._metrics.billed_seconds.inc)
        return Caller(name, roles, quotas)

    def _forget_jwts(self) -> None:
        self._known = {key: known for key, known in self._known.items() if known[1] == NEVER}
        self._subjects = {}


def credential_in(headers: Iterable[tuple[Any, Any]], names: tuple[Any, Any]) -> bytes:
    """The value of the first of the two headers that carry credentials; empty if there is none."""
    for name, value in headers:
        if name in names:
            return value.encode() if isinstance(value, str) else bytes(value)
    return b""
