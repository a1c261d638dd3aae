"""The settings: one frozen class, and the only reader of the environment.

Each field can be set by an environment variable, its name in capitals behind `TABLIER_`, or by the
flag of `tablier serve` with the same name.
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
    """How a service runs. The defaults serve a developer on loopback."""

    model_config = SettingsConfigDict(env_prefix="TABLIER_", frozen=True, allow_inf_nan=False)

    host: str = Field("127.0.0.1", description="address to listen on, for both doors")
    grpc_port: int = Field(50051, ge=0, le=65535, description="port of the gRPC door; 0: any free")
    rest_port: int = Field(8080, ge=0, le=65535, description="port of the REST door; 0: any free")
    cors_origins: str = Field(
        "",
        description="origins whose pages may call the REST door, with commas between; `*`: any; "
        "none: no page of another origin can read an answer",
    )
    max_request_bytes: int = Field(
        64 * 1024, ge=1024, description="largest request of a call that is not a large one"
    )
    max_large_request_bytes: int = Field(
        4 * 1024 * 1024, ge=1024, description="largest request of Batch, Play and ReplayGame"
    )
    workers: int = Field(
        1, ge=1, le=256, description="processes that serve, all on the same two ports"
    )
    leave_seconds: float = Field(
        0.2,
        ge=0,
        description="how long calls are still taken after health has turned `NOT_SERVING`; behind "
        "a load balancer, longer than it takes to notice",
    )
    drain_seconds: float = Field(
        10.0, ge=0, description="how long calls under way may take to end when the service stops"
    )
    max_calls: int = Field(
        1024, ge=1, description="calls under way at the same time in a worker; more are refused"
    )
    search_slots: int = Field(
        max(1, (os.cpu_count() or 1) - 1),
        ge=1,
        description="searches that run at the same time, shared out between the workers, at least "
        "one for each; all cores but one",
    )
    search_queue: int = Field(64, ge=0, description="searches that may wait for a slot of a worker")
    max_search_seconds: float = Field(60.0, gt=0, description="longest search that may be asked")
    slow_call_ms: float = Field(100.0, ge=0, description="calls that take longer are logged")
    log_calls: bool = Field(False, description="log every call, not only failed and slow ones")
    otlp_endpoint: str = Field(
        "",
        pattern=r"^(https?://\S+)?$",
        description="where spans of calls are sent, e.g. `http://collector:4318/v1/traces`; none: "
        "no tracing",
    )
    trace_ratio: float = Field(
        1.0, ge=0, le=1, description="share of the traces begun here that is recorded"
    )
    max_metadata_bytes: int = Field(
        8192, ge=1024, description="largest headers of a request, all together"
    )
    max_streams_per_connection: int = Field(
        256, ge=1, description="gRPC calls that may be under way on one connection"
    )
    max_connection_age_seconds: float = Field(
        1800.0, gt=0, description="age at which a gRPC connection takes no more calls"
    )
    max_idle_seconds: float = Field(
        300.0,
        ge=1,
        description="how long a connection may be without calls, and a REST request may take to "
        "come",
    )
    handshake_seconds: float = Field(
        10.0,
        gt=0,
        description="time for a new connection to set itself up: TLS, HTTP/2 for gRPC, and then "
        "the head of the first request for REST",
    )
    tls_cert_file: Path | None = Field(
        None, description="certificate chain of both doors, PEM; none: plain text"
    )
    tls_key_file: Path | None = Field(None, description="private key of the certificate, PEM")
    tls_client_ca_file: Path | None = Field(
        None, description="authorities of callers' certificates, PEM; every caller needs one then"
    )
    callers_file: Path | None = Field(
        None, description="who may call, with hashed API keys, roles and quotas; TOML"
    )
    jwks_file: Path | None = Field(
        None, description="keys that callers' JWTs are checked with, a JWK set"
    )
    jwt_audience: str = Field("", description="`aud` that JWTs must have")
    jwt_issuer: str = Field("", description="`iss` that JWTs must have")
    insecure_bind_allowed: bool = Field(
        False, description="listen beyond loopback without TLS, or without asking who calls"
    )
    tokens: Literal["auto", "plain", "sealed"] = Field(
        "auto",
        description="what callers hold: plain tokens or sealed ones; auto: sealed if there are "
        "keys, else plain, which must be asked for to listen beyond loopback",
    )
    seal_keys: SecretStr = Field(
        SecretStr(""),
        description="keys that seal tokens: `id:base64` of 32 bytes, with commas between; the "
        "first seals, all open",
    )
    seal_keys_file: Path | None = Field(
        None, description="file of such keys, one a line, instead; read again when it changes"
    )
    reload_seconds: float = Field(
        2.0, gt=0, description="how often files are looked at for changes"
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="least level that is logged"
    )
    log_format: Literal["json", "console"] = Field(
        "json", description="form of a log line: JSON for machines, console for people"
    )

    @field_validator("cors_origins")
    @classmethod
    def _origins_are_origins(cls, value: str) -> str:
        for origin in filter(None, (part.strip() for part in value.split(","))):
            if origin != "*" and not re.fullmatch(r"[a-z][a-z0-9+.-]*://[^/\s]+", origin):
                raise ValueError(f"{origin} is no origin such as https://example.org")
        return value

    @property
    def sealed(self) -> bool:
        """Whether tokens are sealed."""
        keys = bool(self.seal_keys.get_secret_value() or self.seal_keys_file)
        return self.tokens == "sealed" or (self.tokens == "auto" and keys)

    @field_validator("seal_keys")
    @classmethod
    def _keys_can_be_read(cls, value: SecretStr) -> SecretStr:
        if value.get_secret_value():
            read_keys(value.get_secret_value())
        return value

    @model_validator(mode="after")
    def _tokens_have_what_they_need(self) -> Self:
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
    def _strangers_are_met_with_tls_and_questions(self) -> Self:
        if (self.tls_cert_file is None) != (self.tls_key_file is None):
            raise ValueError("tls_cert_file and tls_key_file go together")
        if self.tls_client_ca_file is not None and self.tls_cert_file is None:
            raise ValueError("tls_client_ca_file needs tls_cert_file and tls_key_file")
        if self.jwks_file is not None and not (self.jwt_audience and self.jwt_issuer):
            raise ValueError("jwks_file needs jwt_audience and jwt_issuer")
        asks = self.callers_file or self.jwks_file or self.tls_client_ca_file
        missing = [
            name
            for name, there in (
                ("TLS (tls_cert_file, tls_key_file)", self.tls_cert_file),
                ("a way to know callers (callers_file, jwks_file or tls_client_ca_file)", asks),
            )
            if there is None
        ]
        if missing and not is_loopback(self.host) and not self.insecure_bind_allowed:
            raise ValueError(
                f"{self.host} is not loopback: give {' and '.join(missing)}, or "
                "insecure_bind_allowed=true if something in front of this service sees to it"
            )
        return self


def is_loopback(host: str) -> bool:
    """Whether an address is reached from this machine only."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
