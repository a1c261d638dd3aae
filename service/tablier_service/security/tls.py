"""TLS for all transports, from files that can be renewed while the service runs."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from pathlib import Path

import grpc

from tablier_service.security.watched_files import WatchedFiles, naming


class Certificates:
    """The certificate and key of the service, and the authorities of client certificates, if any.

    A context of OpenSSL can forget neither an authority nor a session, so every change makes a new
    one. Connections take the newest when they are accepted.
    """

    # What new connections use.
    context: ssl.SSLContext
    # The content of the file with the authorities; another object when it has changed.
    authorities: bytes | None = None

    def __init__(self, certificate: Path, key: Path, client_ca: Path | None) -> None:
        self._certificate = certificate
        self._key = key
        self._client_ca = client_ca
        # Called when the authorities have changed: for connections that those before let in.
        self.on_new_authorities: Callable[[], None] = lambda: None
        self.load()

    @classmethod
    def watched(
        cls, certificate: Path, key: Path, client_ca: Path | None, files: WatchedFiles
    ) -> Certificates:
        """Load the files, and load them again when one of them changes; raises OSError."""
        with naming(certificate):
            certificates = cls(certificate, key, client_ca)
        # A key is written before or after its certificate: the later of the two makes the pair.
        for path in filter(None, (certificate, key, client_ca)):
            files.add(path, lambda _: certificates.load())
        return certificates

    def load(self) -> None:
        """Use the files for new connections from now on; raises OSError or ValueError."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.load_cert_chain(self._certificate, self._key)
        authorities = None
        if self._client_ca is not None:
            authorities = self._client_ca.read_bytes()
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(self._client_ca)
        self._for_grpc = grpc.ssl_server_certificate_configuration(
            [(self._key.read_bytes(), self._certificate.read_bytes())], authorities
        )
        self.context = context
        if authorities != self.authorities:
            self.authorities = authorities
            self.on_new_authorities()

    def credentials(self) -> grpc.ServerCredentials:
        """Server credentials for gRPC, which asks for the newest pair at every connection."""
        return grpc.dynamic_ssl_server_credentials(
            self._for_grpc,
            lambda: self._for_grpc,
            require_client_authentication=self._client_ca is not None,
        )


def names_in(certificate: dict[str, object]) -> list[str]:
    """The common name and alternative names of a peer certificate in the form of `ssl`."""
    subject: object = certificate.get("subject", ())
    names = [value for part in subject for key, value in part if key == "commonName"]  # type: ignore[attr-defined]
    alternatives: object = certificate.get("subjectAltName", ())
    return [*names, *(value for _, value in alternatives)]  # type: ignore[attr-defined]
