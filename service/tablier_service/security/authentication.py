"""Authentication: who is calling, by API key, JWT or certificate, and whether they have quota left.

Every transport authenticates a call before it reads its message. Callers are looked up by the
SHA-256 of their credential, so neither the callers file nor the memory of this process holds a key.
Verifying a JWT costs as much as a call, so it is verified once and remembered until it expires.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Container, Iterable, Mapping
from hashlib import sha256
from threading import Lock
from time import time
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tablier_service.errors import PermissionDenied, QuotaExceeded, Unauthenticated
from tablier_service.observability.metrics import Metrics
from tablier_service.security.callers import CALLER, Caller, Role, require
from tablier_service.security.quotas import Allowance, Quotas

# PyJWT brings `cryptography`, ten megabytes that only a service with JWTs needs.
if TYPE_CHECKING:
    import jwt

# Signatures whose verifying key cannot sign: with a shared secret, the service could forge callers.
ALGORITHMS = frozenset({"EdDSA", "ES256", "RS256"})
REQUIRED_CLAIMS = ["exp", "aud", "iss", "sub"]
# How many credentials are remembered; at that number, all JWTs are forgotten and verified again.
MAX_REMEMBERED = 10_000
NEVER = float("inf")
# One message for everything that can be wrong with a credential.
WRONG_CREDENTIALS = "these credentials are unknown, invalid or expired"


class CallerEntry(Allowance):
    """A caller in the callers file."""

    name: str = Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9._-]+$")
    roles: frozenset[Role]
    # SHA-256 of its API keys in hexadecimal, as `tablier keys new` prints them.
    key_sha256: tuple[str, ...] = ()
    # Common names or subject alternative names of its client certificates.
    certificates: tuple[str, ...] = ()


class CallersFile(BaseModel):
    """The callers file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    # The quotas of each caller that authenticates with a JWT.
    jwt: Allowance = Allowance()
    callers: tuple[CallerEntry, ...] = ()


class Authentication:
    """Knows the callers. Without a callers file and without a JWKS, anyone may call."""

    def __init__(
        self,
        metrics: Metrics,
        *,
        audience: str = "",
        issuer: str = "",
        share: int = 1,
        anyone_operates: bool = True,
    ) -> None:
        self.required = False
        # Whether anyone is an operator if nobody is authenticated. Not if clients need a
        # certificate: that makes them clients, and only a callers file could say more.
        self._anyone_operates = anyone_operates
        self._metrics = metrics
        self._audience = audience
        self._issuer = issuer
        # The number of processes that share the calls of a caller.
        self._share = share
        self._file = CallersFile()
        self._callers: dict[str, tuple[CallerEntry, Caller]] = {}
        self._by_certificate: dict[str, Caller] = {}
        self._jwks: dict[str, jwt.PyJWK] = {}
        # The caller of a credential, and when the credential expires, by its SHA-256.
        self._known: dict[bytes, tuple[Caller, float]] = {}
        self._subjects: dict[str, Caller] = {}
        # For what is remembered: nothing may be remembered of a JWT while files are replaced.
        self._lock = Lock()

    def read_callers(self, content: bytes) -> None:
        """Load the callers file (TOML); raises ValueError."""
        try:
            file = CallersFile.model_validate(tomllib.loads(content.decode()))
        except ValidationError as error:
            fault = error.errors()[0]
            # The place and the fault, but not the message of pydantic, which quotes the content.
            where = ".".join(map(str, fault["loc"]))
            raise ValueError(f"{where}: {fault['msg']}") from None
        callers: dict[str, tuple[CallerEntry, Caller]] = {}
        known: dict[bytes, tuple[Caller, float]] = {}
        by_certificate: dict[str, Caller] = {}
        for entry in file.callers:
            if entry.name in callers:
                raise ValueError(f"there are two callers named {entry.name}")
            before = self._callers.get(entry.name)
            # An unchanged caller keeps its used quota.
            caller = (
                before[1]
                if before and before[0] == entry
                else self._caller(entry.name, entry.roles, entry)
            )
            callers[entry.name] = (entry, caller)
            for digest in map(bytes.fromhex, entry.key_sha256):
                if len(digest) != sha256().digest_size or digest in known:
                    raise ValueError(f"{entry.name} has a key_sha256 that is invalid or used twice")
                known[digest] = (caller, NEVER)
            for name in entry.certificates:
                if name in by_certificate:
                    raise ValueError(f"{entry.name} has a certificate name that is used twice")
                by_certificate[name] = caller
        with self._lock:
            self._file, self._callers, self._by_certificate = file, callers, by_certificate
            self._known, self._subjects = known, {}
        self.required = True

    def read_jwks(self, content: bytes) -> None:
        """Load the keys that verify JWTs (a JWK set); raises ValueError."""
        import jwt

        keys: dict[str, jwt.PyJWK] = {}
        try:
            for data in json.loads(content)["keys"]:
                key = jwt.PyJWK(data)
                if key.algorithm_name not in ALGORITHMS or not key.key_id:
                    raise ValueError(f"a JWK needs a kid and one of {sorted(ALGORITHMS)}")
                keys[key.key_id] = key
        except (jwt.PyJWTError, AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"not a JWK set: {type(error).__name__}") from None
        with self._lock:
            self._jwks = keys
            self._forget_jwts()
        self.required = True

    def identify(self, credential: bytes, certificate_names: Iterable[str] = ()) -> Caller:
        """Find the caller of a request; raises Unauthenticated.

        `credential` is the value of the header `authorization` or `x-api-key`.
        """
        if not credential:
            for name in certificate_names:
                if name in self._by_certificate:
                    return self._by_certificate[name]
            raise self._rejected("this service requires an API key, a JWT or a client certificate")
        secret = secret_in(credential)
        digest = sha256(secret).digest()
        known = self._known.get(digest)
        if known is not None and (known[1] == NEVER or known[1] > time()):
            return known[0]
        if known is None and secret.count(b".") == 2 and self._jwks:
            with self._lock:
                return self._verify_jwt(secret, digest)
        raise self._rejected(WRONG_CREDENTIALS)

    def recall(self, digest: bytes) -> Caller | None:
        """The caller of a credential that is known and has not expired, by the digest of it."""
        known = self._known.get(digest)
        return known[0] if known is not None and known[1] > time() else None

    def admit(self, caller: Caller) -> Caller:
        """Take a call from the quota of its caller; raises QuotaExceeded."""
        try:
            caller.quotas.admit()
        except QuotaExceeded:
            self._metrics.rejected["quota"].inc()
            raise
        return caller

    def require_operator(self, credential: bytes, certificate_names: Iterable[str] = ()) -> None:
        """Raise TablierError unless an operator asks."""
        if self.required:
            CALLER.set(self.admit(self.identify(credential, certificate_names)))
            require(frozenset({Role.OPERATOR}), "", "this page")
        elif not self._anyone_operates:
            raise PermissionDenied(
                "", "this page requires the role operator, which only a callers file or a JWT gives"
            )

    def _rejected(self, message: str) -> Unauthenticated:
        self._metrics.rejected["unauthenticated"].inc()
        return Unauthenticated("", message)

    def _verify_jwt(self, token: bytes, digest: bytes) -> Caller:
        import jwt

        try:
            key = self._jwks[jwt.get_unverified_header(token)["kid"]]
            claims: Mapping[str, Any] = jwt.decode(
                token,
                key,
                # The algorithm of the key, so that a token cannot choose how it is verified.
                algorithms=[key.algorithm_name],
                audience=self._audience,
                issuer=self._issuer,
                options={"require": REQUIRED_CLAIMS},
            )
        except (jwt.PyJWTError, KeyError, TypeError):
            raise self._rejected(WRONG_CREDENTIALS) from None
        given = claims.get("roles", ())
        roles = frozenset(role for role in Role if isinstance(given, list) and role.value in given)
        # All tokens of a subject share one quota. A caller of the file with the same name is
        # another caller.
        subject = f"{','.join(sorted(roles))}:{claims['sub']}"
        if len(self._known) >= MAX_REMEMBERED:
            self._forget_jwts()
        caller = self._subjects.get(subject)
        if caller is None:
            caller = self._caller("jwt", roles, self._file.jwt, f"jwt:{subject}")
            self._subjects[subject] = caller
        self._known[digest] = (caller, float(claims["exp"]))
        return caller

    def _caller(
        self, name: str, roles: frozenset[Role], allowance: Allowance, account: str = ""
    ) -> Caller:
        quotas = Quotas(allowance, self._share, self._metrics.billed_seconds.inc)
        return Caller(name, roles, quotas, account)

    def _forget_jwts(self) -> None:
        self._known = {key: known for key, known in self._known.items() if known[1] == NEVER}
        self._subjects = {}


def secret_in(credential: bytes) -> bytes:
    """A credential without its scheme."""
    scheme = credential[:7]
    # Nearly all are written like this.
    if scheme == b"Bearer " or scheme.lower() == b"bearer ":
        return credential[7:]
    return credential


def digest_of(credential: bytes) -> bytes:
    """The SHA-256 that a credential is known by."""
    return sha256(secret_in(credential)).digest()


def credential_in(headers: Iterable[tuple[Any, Any]], names: Container[Any]) -> bytes:
    """The value of the first header that carries credentials; empty if there is none."""
    for name, value in headers:
        if name in names:
            return value.encode() if isinstance(value, str) else bytes(value)
    return b""
