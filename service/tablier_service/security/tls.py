"""TLS for all transports, from files that can be renewed while the service runs."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path

import grpc

from tablier_service.security.watched_files import WatchedFiles, naming

# How many certificates of clients are remembered.
MAX_REMEMBERED = 1000
# How many certificates between its own and an authority a client may send: each takes time.
MAX_BETWEEN = 8


class Certificates:
    """The certificate and key of the service, and the authorities of client certificates, if any.

    A context of OpenSSL can forget neither an authority nor a session, so every change makes a new
    one. Connections take the newest when they are accepted.
    """

    # What new connections use.
    context: ssl.SSLContext
    # The content of the file with the authorities; another object when it has changed.
    authorities: bytes | None = None
    # Whether open connections may have been let in by an authority that was removed since. HTTP
    # ends such connections. gRPC cannot, so it checks the certificate of every call instead.
    changed = False

    def __init__(self, certificate: Path, key: Path, client_ca: Path | None) -> None:
        self._certificate = certificate
        self._key = key
        self._client_ca = client_ca
        # Called when the authorities have changed: for connections that those before let in.
        self.on_new_authorities: Callable[[], None] = lambda: None
        # Whether certificates, by their PEM and that of the chain that came with them, are signed
        # by one of the present authorities. Another connection may present another chain.
        self._trusted: dict[tuple[bytes, bytes], bool] = {}
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
            if self.authorities is not None:
                # What the next call will need: importing it would delay all other calls, too.
                import_module("cryptography.x509")
                self.changed = True
            self.authorities = authorities
            self._trusted = {}
            self.on_new_authorities()

    def trusts(self, peer: Mapping[str, Iterable[bytes]]) -> bool:
        """Whether a present authority signed the certificate of a gRPC peer, or its chain.

        The handshake has checked everything else.
        """
        # Before the authorities are read: `load` replaces it after them.
        trusted = self._trusted
        pem = b"".join(peer.get("x509_pem_cert", ()))
        chain = b"".join(peer.get("x509_pem_cert_chain", ()))
        known = trusted.get((pem, chain))
        if known is None:
            known = bool(pem) and is_signed(pem, chain, self.authorities or b"")
            if len(trusted) >= MAX_REMEMBERED:
                trusted.clear()
            trusted[pem, chain] = known
        return known

    def credentials(self) -> grpc.ServerCredentials:
        """Server credentials for gRPC, which asks for the newest pair at every connection."""
        return grpc.dynamic_ssl_server_credentials(
            self._for_grpc,
            lambda: self._for_grpc,
            require_client_authentication=self._client_ca is not None,
        )


def is_signed(certificate: bytes, chain: bytes, authorities: bytes) -> bool:
    """Whether one of the authorities signed a certificate, directly or through its chain."""
    # Only for services whose authorities change while they run: it takes ten megabytes.
    from cryptography.exceptions import InvalidSignature
    from cryptography.x509 import (
        BasicConstraints,
        Certificate,
        DuplicateExtension,
        ExtensionNotFound,
        load_pem_x509_certificates,
    )

    def may_sign(certificate: Certificate) -> bool:
        try:
            found = certificate.extensions.get_extension_for_class(BasicConstraints)
        except (DuplicateExtension, ExtensionNotFound, ValueError):
            return False
        return found.value.ca

    def has_signed(issuer: Certificate, subject: Certificate) -> bool:
        try:
            subject.verify_directly_issued_by(issuer)
        except (InvalidSignature, TypeError, ValueError):
            return False
        return True

    roots = load_pem_x509_certificates(authorities)
    subject, *_ = load_pem_x509_certificates(certificate)
    # Each step goes from a certificate to the one that signed it.
    between = load_pem_x509_certificates(chain) if chain else []
    between = [each for each in between if each != subject and may_sign(each)][:MAX_BETWEEN]
    while True:
        if subject in roots or any(has_signed(root, subject) for root in roots):
            return True
        issuer = next((each for each in between if has_signed(each, subject)), None)
        if issuer is None:
            return False
        between.remove(issuer)
        subject = issuer


def names_in(certificate: dict[str, object]) -> list[str]:
    """The common name and alternative names of a peer certificate in the form of `ssl`."""
    subject: object = certificate.get("subject", ())
    names = [value for part in subject for key, value in part if key == "commonName"]  # type: ignore[attr-defined]
    alternatives: object = certificate.get("subjectAltName", ())
    return [*names, *(value for _, value in alternatives)]  # type: ignore[attr-defined]
