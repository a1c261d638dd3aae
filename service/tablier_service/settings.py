"""The settings: one frozen class, and the only reader of the environment.

Every field can be set by an environment variable, `TABLIER_` followed by its name in capitals, or
by the flag of `tablier serve` with the same name. Flags override environment variables.
"""

from __future__ import annotations

import os
import re
from ipaddress import ip_address
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from tablier_service.security.sealing import read_keys


class Settings(BaseSettings):
    """How the service runs. The defaults suit a developer on one machine."""

    model_config = SettingsConfigDict(env_prefix="TABLIER_", frozen=True, allow_inf_nan=False)

    host: str = Field("127.0.0.1", description="address to bind the gRPC and HTTP servers to")
    grpc_port: int = Field(
        50051, ge=0, le=65535, description="port of the gRPC server; 0 for any free port"
    )
    http_port: int = Field(
        8080, ge=0, le=65535, description="port of the HTTP server; 0 for any free port"
    )
    cors_origins: str = Field(
        "",
        description="comma-separated origins whose web pages may call the REST API; `*` for any "
        "origin; empty for none",
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
    max_calls: int = Field(
        1024, ge=1, description="maximum number of calls in progress per worker; more are rejected"
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
    max_search_seconds: float = Field(
        60.0, gt=0, description="longest search that callers may request, in seconds"
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
    max_streams_per_connection: int = Field(
        256, ge=1, description="maximum number of gRPC calls in progress on one connection"
    )
    max_connection_age_seconds: float = Field(
        1800.0, gt=0, description="age at which a gRPC connection accepts no more calls"
    )
    max_idle_seconds: float = Field(
        300.0,
        ge=1,
        description="how long a connection may be idle, and how long an HTTP request may take to "
        "arrive",
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
        None, description="path to a file with one such key per line, reloaded when it changes"
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
    def _check_tokens(self) -> Self:
        given = bool(self.seal_keys.get_secret_value()), self.seal_keys_file is not None
        if all(given):
            raise ValueError("give seal_keys or seal_keys_file, not both")
        if self.sealed and not any(given):
            raise ValueError("sealed tokens need seal_keys or seal_keys_file")
        if self.tokens == "auto" and not self.sealed and not is_loopback(self.host):
            raise ValueError(
                f"{self.host} is not loopback: give seal_keys_file, or tokens=plain if callers may "
                "read and write every state"
            )
        return self

    @model_validator(mode="after")
    def _check_exposure(self) -> Self:
        if (self.tls_cert_file is None) != (self.tls_key_file is None):
            raise ValueError("tls_cert_file and tls_key_file go together")
        if self.tls_client_ca_file is not None and self.tls_cert_file is None:
            raise ValueError("tls_client_ca_file needs tls_cert_file and tls_key_file")
        if self.jwks_file is not None and not (self.jwt_audience and self.jwt_issuer):
            raise ValueError("jwks_file needs jwt_audience and jwt_issuer")
        authentication = self.callers_file or self.jwks_file or self.tls_client_ca_file
        missing = [
            name
            for name, given in (
                ("TLS (tls_cert_file, tls_key_file)", self.tls_cert_file),
                (
                    "authentication (callers_file, jwks_file or tls_client_ca_file)",
                    authentication,
                ),
            )
            if given is None
        ]
        if missing and not is_loopback(self.host) and not self.insecure_bind_allowed:
            raise ValueError(
                f"{self.host} is not loopback: give {' and '.join(missing)}, or "
                "insecure_bind_allowed=true if a proxy in front of the service provides it"
            )
        return self


def split_origins(text: str) -> tuple[str, ...]:
    """The origins in a comma-separated list."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def is_loopback(host: str) -> bool:
    """Whether an address can only be reached from this machine."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
