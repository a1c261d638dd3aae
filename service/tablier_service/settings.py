"""The settings: one frozen class, and the only reader of the environment.

Every field can be set by an environment variable, `TABLIER_` followed by its name in capitals, or
by the flag of `tablier serve` with the same name. Flags override environment variables. Secrets
have no flags.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self

from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from tablier_service.security.sealing import read_keys

PREFIX = "TABLIER_"
# Variables with our prefix that other programs read: the client, and the build in setup.py.
OTHERS = {"TABLIER_ADDRESS", "TABLIER_API_KEY", "TABLIER_BUILD", "TABLIER_JOBS"}
# What Kubernetes sets in a pod for every Service whose name begins with `tablier`. The value of the
# last form tells it from a mistake such as TABLIER_PORT=8080.
SERVICE_LINK = re.compile(
    r"""TABLIER_(\w+_)?(
        SERVICE_HOST=.* | SERVICE_PORT(_\w+)?=.*
        | PORT_\d+_(TCP|UDP|SCTP)(_PROTO|_PORT|_ADDR)?=.*
        | PORT=(tcp|udp|sctp)://.*
    )""",
    re.VERBOSE | re.DOTALL,
)


class Settings(BaseSettings):
    """How the service runs. The defaults suit a developer on one machine."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, frozen=True, allow_inf_nan=False, hide_input_in_errors=True
    )

    host: str = Field("127.0.0.1", description="address to bind the gRPC and HTTP servers to")
    grpc_port: int = Field(
        50051, ge=0, le=65535, description="port of the gRPC server; 0 for any free port"
    )
    http_port: int = Field(
        8080, ge=0, le=65535, description="port of the HTTP server; 0 for any free port"
    )
    grpc_server: Literal["direct", "asyncio"] = Field(
        "direct",
        description="how gRPC is served: `direct` polls gRPC's own queue; `asyncio` is grpcio's "
        "asyncio server, slower and not hardened, as a fallback if a new grpcio breaks `direct`",
    )
    cors_origins: str = Field(
        "",
        description="comma-separated origins whose web pages may call the API over HTTP; `*` for "
        "any origin; empty for none",
    )
    web: Literal["on", "off"] = Field(
        "on", description="whether `/` is the page to play and analyse games in a browser"
    )
    max_request_bytes: int = Field(
        64 * 1024,
        ge=1024,
        description="maximum size of a request, except for Batch, Play and ReplayGame",
    )
    max_large_request_bytes: int = Field(
        4 * 1024 * 1024,
        ge=1024,
        description="maximum size of a request of Batch, Play and ReplayGame",
    )
    max_response_bytes: int = Field(
        4 * 1024 * 1024,
        ge=1024,
        description="maximum size of an answer, in protobuf and, over HTTP, in JSON before "
        "compression",
    )
    workers: int = Field(
        1, ge=1, le=256, description="number of worker processes; all share the same two ports"
    )
    drain_delay_seconds: float = Field(
        0.2,
        ge=0,
        description="on shutdown, how long the service still accepts calls after health checks "
        "report `NOT_SERVING`; behind a load balancer, longer than it takes to notice",
    )
    drain_seconds: float = Field(
        10.0, ge=0, description="on shutdown, how long calls in progress may take to finish"
    )
    watchdog_seconds: float = Field(
        30.0,
        ge=1,
        description="how long the event loop of a worker may be blocked before the worker is "
        "ended and replaced",
    )
    max_calls: int = Field(
        1024,
        ge=1,
        description="maximum number of calls per worker that wait: searches, streams, long calls, "
        "and calls whose message has not arrived; calls that are answered at once do not count",
    )
    max_calls_per_caller: int = Field(
        64,
        ge=1,
        description="maximum number of calls per worker that wait, for one caller or, without "
        "authentication, for one connection",
    )
    max_calls_per_address: int = Field(
        256,
        ge=1,
        description="without authentication, maximum number of calls per worker that wait, for one "
        "address",
    )
    max_long_calls: int = Field(
        4,
        ge=1,
        description="maximum number of long calls per worker, such as large batches, that run at "
        "the same time; one of each caller or, without authentication, of each address",
    )
    max_streams: int = Field(256, ge=1, description="maximum number of Play streams per worker")
    max_streams_per_caller: int = Field(
        16,
        ge=1,
        description="maximum number of Play streams per worker for one caller or, without "
        "authentication, for one connection",
    )
    max_streams_per_address: int = Field(
        20,
        ge=1,
        description="without authentication, maximum number of Play streams per worker for one "
        "address",
    )
    max_watches_per_connection: int = Field(
        4, ge=1, description="maximum number of health Watch streams on one connection"
    )
    max_watches_per_address: int = Field(
        256, ge=1, description="maximum number of health Watch streams from one address, per worker"
    )
    max_reflections: int = Field(
        8,
        ge=1,
        description="maximum number of reflection streams per worker; one connection gets half",
    )
    message_seconds: float = Field(
        10.0,
        gt=0,
        description="how long the message of a gRPC call, the first one of a Play stream, or the "
        "next one of a reflection stream may take to arrive",
    )
    max_awaited_messages: int = Field(
        16,
        ge=2,
        description="maximum number of gRPC messages per worker that are received at the same "
        "time; each needs up to `max_large_request_bytes` of memory, and further calls wait",
    )
    max_awaited_messages_per_caller: int = Field(
        4,
        ge=1,
        description="maximum number of gRPC messages per worker that are received at the same time "
        "from one caller or, without authentication, from one connection",
    )
    max_anonymous_messages: int = Field(
        4,
        ge=1,
        description="with authentication, how many of these are for health checks and reflection, "
        "which need no credentials; at most half",
    )
    max_worker_bytes: int = Field(
        112 * 1024 * 1024,
        ge=0,
        description="memory of a worker, without its searches, above which Play streams that wait "
        "for a message end until four are left, first those of callers with most of them",
    )
    search_slots: int = Field(
        max(1, (os.cpu_count() or 1) - 1),
        ge=1,
        description="maximum number of searches that run at the same time, divided among the "
        "workers with at least one each; the default is the number of cores minus one",
    )
    search_queue: int = Field(
        64, ge=0, description="maximum number of searches per worker that wait for a slot"
    )
    max_searches_per_caller: int = Field(
        32,
        ge=1,
        description="maximum number of searches per worker that a caller may have in progress; "
        "without authentication, each connection is a caller",
    )
    max_searches_per_address: int = Field(
        48,
        ge=1,
        description="without authentication, maximum number of searches per worker that all "
        "connections from one address may have in progress",
    )
    max_analyses: int = Field(
        12,
        ge=1,
        description="maximum number of StreamAnalysis calls in progress per worker, each with up "
        "to 8 MiB; a caller, and without authentication an address, gets half of them",
    )
    max_search_seconds: float = Field(
        60.0, gt=0, description="longest search that callers may request, in seconds"
    )
    max_advice_seconds: float = Field(
        120.0,
        gt=0,
        description="how long a call of AdvisorService may take, including the time that it waits; "
        "then its search ends",
    )
    slow_reader_seconds: float = Field(
        20.0,
        gt=0,
        description="how long a gRPC client, or the caller of a stream, may take to read a "
        "message; then the call ends",
    )
    max_stream_idle_seconds: float = Field(
        300.0,
        gt=0,
        description="how long a Play stream may be idle; then it ends",
    )
    slow_call_ms: float = Field(
        100.0, ge=0, description="log cheap calls that take longer than this, in milliseconds"
    )
    log_calls: bool = Field(False, description="log every call, not only failed and slow ones")
    otlp_endpoint: str = Field(
        "",
        pattern=r"^(https?://\S+)?$",
        description="OpenTelemetry endpoint that receives a span per call, for example "
        "`http://collector:4318/v1/traces`; empty for no tracing",
    )
    trace_ratio: float = Field(
        1.0, ge=0, le=1, description="fraction of the traces started by the service to record"
    )
    max_metadata_bytes: int = Field(
        8192, ge=1024, description="maximum total size of the headers of a request"
    )
    max_grpc_calls_per_connection: int = Field(
        256, ge=1, description="maximum number of gRPC calls in progress on one connection"
    )
    max_connection_age_seconds: float = Field(
        1800.0, gt=0, description="age at which a gRPC connection accepts no more calls"
    )
    max_grpc_connections: int = Field(
        2048,
        ge=1,
        description="maximum number of open gRPC connections per worker, each with 16 KB; more are "
        "closed at once",
    )
    max_http_connections: int = Field(
        1024,
        ge=1,
        description="maximum number of open HTTP connections per worker; more can only ask for "
        "`/healthz` and `/readyz`",
    )
    max_http_connections_per_address: int = Field(
        256,
        ge=1,
        description="maximum number of open HTTP connections per worker from one address; raise it "
        "if a proxy in front of the service needs more",
    )
    max_buffered_bytes: int = Field(
        48 * 1024 * 1024,
        ge=1024,
        description="maximum size of all large requests that wait and all large or unread answers "
        "in memory per worker; one caller, or one address without authentication, can use a "
        "quarter of it",
    )
    max_idle_seconds: float = Field(300.0, ge=1, description="how long a connection may be idle")
    request_seconds: float = Field(
        30.0, gt=0, description="how long an HTTP request may take to arrive"
    )
    send_seconds: float = Field(
        20.0,
        gt=0,
        description="how long an HTTP client may take to read the next 32 KiB of an answer before "
        "it is disconnected",
    )
    handshake_seconds: float = Field(
        10.0,
        gt=0,
        description="how long a new connection may take for the TLS and HTTP/2 handshakes, or for "
        "the headers of its first HTTP/1.1 request",
    )
    tls_cert_file: Path | None = Field(
        None, description="PEM file with the certificate chain of the servers; none for plain text"
    )
    tls_key_file: Path | None = Field(
        None, description="PEM file with the private key of the certificate"
    )
    tls_client_ca_file: Path | None = Field(
        None,
        description="PEM file with the authorities that sign client certificates; if set, every "
        "client needs a certificate",
    )
    callers_file: Path | None = Field(
        None, description="TOML file with the callers: hashed API keys, roles and quotas"
    )
    jwks_file: Path | None = Field(
        None, description="JWK set with the keys that verify the JWTs of callers"
    )
    jwt_audience: str = Field("", description="`aud` claim that JWTs must have")
    jwt_issuer: str = Field("", description="`iss` claim that JWTs must have")
    insecure_bind_allowed: bool = Field(
        False,
        description="allow an address other than loopback without TLS or without authentication",
    )
    behind_proxy: bool = Field(
        False,
        description="whether a proxy is in front of a service that has TLS and authentication; "
        "otherwise, such a service warns at startup that it is exposed",
    )
    tokens: Literal["auto", "plain", "sealed"] = Field(
        "auto",
        description="whether callers get plain or sealed tokens; `auto` seals tokens if there are "
        "keys. Without keys, any address other than loopback requires `plain`",
    )
    seal_keys: SecretStr = Field(
        SecretStr(""),
        description="comma-separated keys for sealing tokens, each `id:base64` of 32 bytes; the "
        "first key seals, every key opens",
    )
    seal_keys_file: Path | None = Field(
        None,
        description="path to a file with one seal key (`id:base64`) per line, reloaded when it "
        "changes",
    )
    reload_seconds: float = Field(
        2.0, gt=0, description="how often to check files for changes, in seconds"
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="lowest level to log"
    )
    log_format: Literal["json", "console"] = Field(
        "json", description="format of log lines: `json` for machines, `console` for people"
    )

    @field_validator("cors_origins")
    @classmethod
    def _check_origins(cls, value: str) -> str:
        for origin in split_origins(value):
            if origin != "*" and not re.fullmatch(r"[a-z][a-z0-9+.-]*://[^/\s]+", origin):
                raise ValueError(f"{origin} is not an origin such as https://example.org")
        return value

    @property
    def origins(self) -> tuple[str, ...]:
        """The origins of `cors_origins`."""
        return split_origins(self.cors_origins)

    @property
    def sealed(self) -> bool:
        """Whether tokens are sealed."""
        keys = bool(self.seal_keys.get_secret_value() or self.seal_keys_file)
        return self.tokens == "sealed" or (self.tokens == "auto" and keys)

    @field_validator("seal_keys")
    @classmethod
    def _check_keys(cls, value: SecretStr) -> SecretStr:
        if value.get_secret_value():
            read_keys(value.get_secret_value())
        return value

    @model_validator(mode="after")
    def _check_combination(self) -> Self:
        faults = [*self._contradictions(), *self._missing_beyond_loopback()]
        if faults:
            raise ValueError("\n".join(faults))
        return self

    def _contradictions(self) -> Iterator[str]:
        """Settings that exclude each other, or that need another one."""
        keys = bool(self.seal_keys.get_secret_value()), self.seal_keys_file is not None
        if all(keys):
            yield f"give {named('seal_keys')} or {named('seal_keys_file')}, not both"
        if self.sealed and not any(keys):
            yield f"sealed tokens need {named('seal_keys_file')} or {named('seal_keys')}"
        for given, *needed in (
            ("tls_cert_file", "tls_key_file"),
            ("tls_key_file", "tls_cert_file"),
            ("tls_client_ca_file", "tls_cert_file", "tls_key_file"),
            ("jwks_file", "jwt_audience", "jwt_issuer"),
        ):
            missing = [name for name in needed if not getattr(self, name)]
            if getattr(self, given) and missing:
                yield f"{named(given)} needs {' and '.join(map(named, missing))}"

    def _missing_beyond_loopback(self) -> Iterator[str]:
        """What an address that other machines can reach still needs."""
        if is_loopback(self.host):
            return
        needs = f"{self.host} is not loopback, so the service needs"
        proxy = (
            f"or {named('insecure_bind_allowed', 'true')} if a proxy in front of it provides that"
        )
        if not (self.tls_cert_file or self.tls_key_file or self.insecure_bind_allowed):
            both = f"{named('tls_cert_file')} and {named('tls_key_file')}"
            yield f"{needs} TLS: give {both}, {proxy}"
        known = self.callers_file or self.jwks_file or self.tls_client_ca_file
        if not (known or self.insecure_bind_allowed):
            one = f"{named('callers_file')}, {named('jwks_file')} or {named('tls_client_ca_file')}"
            yield f"{needs} authentication: give {one}, {proxy}"
        if self.tokens == "auto" and not self.sealed:
            yield (
                f"{needs} a decision about tokens: give {named('seal_keys_file')}, which "
                f"`tablier keys seal` writes, or {named('tokens', 'plain')} if callers may read "
                "and write every state"
            )

    @property
    def exposed(self) -> bool:
        """Whether other machines can reach the service without a proxy."""
        return not (is_loopback(self.host) or self.insecure_bind_allowed or self.behind_proxy)


class InvalidSettings(ValueError):
    """Settings that the service cannot start with, and every reason."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


class Given(NamedTuple):
    """The text of a setting, and the flag or variable that it comes from."""

    text: str
    source: str


def given_settings(flags: Mapping[str, str]) -> dict[str, Given]:
    """The settings that are given, as flags or else as environment variables."""
    found = {}
    for variable, text in os.environ.items():
        name = variable.lower().removeprefix(PREFIX.lower())
        if is_ours(variable) and name in Settings.model_fields:
            found[name] = Given(text, variable)
    found.update({name: Given(text, flag_of(name)) for name, text in flags.items()})
    return found


def read_settings(flags: Mapping[str, str]) -> Settings:
    """Read the settings from flags and, where a flag is not given, from the environment.

    Raises InvalidSettings.
    """
    problems = unknown_variables(os.environ)
    texts = dict(flags)
    while True:
        try:
            settings = Settings.model_validate(texts)
        except ValidationError as error:
            faults = error.errors()
            problems += [line for fault in faults for line in describe(fault)]
            # Combinations are checked only if each setting is valid, so assume that each is.
            wrong = [str(fault["loc"][0]) for fault in faults if fault["loc"]]
            texts.update({name: Settings.model_fields[name].default for name in wrong})
            if wrong:
                continue
        if problems:
            raise InvalidSettings(problems)
        return settings


def describe(fault: Mapping[str, Any]) -> list[str]:
    """Describe what pydantic found."""
    lines = fault["msg"].removeprefix("Value error, ").splitlines()
    # Without a location, the combination of several settings is invalid.
    return [f"{named(str(fault['loc'][0]))}: {line}" if fault["loc"] else line for line in lines]


def unknown_variables(environment: Mapping[str, str]) -> list[str]:
    """Describe the variables with our prefix that nobody reads, such as misspelled settings."""
    problems = []
    for variable, text in sorted(environment.items()):
        name = variable.upper()
        field = name.removeprefix(PREFIX).lower()
        known = name in OTHERS or field in Settings.model_fields
        if known or not is_ours(variable) or SERVICE_LINK.fullmatch(f"{name}={text}"):
            continue
        nearest = get_close_matches(field, Settings.model_fields, n=1)
        hint = f"did you mean {variable_of(nearest[0])}?" if nearest else "see tablier serve --help"
        problems.append(f"{variable} is not a setting; {hint}")
    return problems


def is_ours(variable: str) -> bool:
    """Whether an environment variable has our prefix; like the settings, in any case."""
    return variable.upper().startswith(PREFIX)


def variable_of(name: str) -> str:
    """Name the environment variable of a setting."""
    return PREFIX + name.upper()


def flag_of(name: str) -> str:
    """Name the flag of a setting."""
    return f"--{name.replace('_', '-')}"


def named(name: str, value: str = "") -> str:
    """Name a setting, with a value if there is one, as its flag and as its variable."""
    if is_secret(name):
        return variable_of(name)
    if not value:
        return f"{flag_of(name)} ({variable_of(name)})"
    return f"{flag_of(name)} {value} ({variable_of(name)}={value})"


def is_secret(name: str) -> bool:
    """Whether a setting is secret. It has no flag, because other users can see command lines."""
    return Settings.model_fields[name].annotation is SecretStr


def split_origins(text: str) -> tuple[str, ...]:
    """The origins in a comma-separated list."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def is_loopback(host: str) -> bool:
    """Whether an address can only be reached from this machine."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
