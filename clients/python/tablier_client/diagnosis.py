"""Find out why no service answers at an address: what listens there, and what does it speak?

gRPC's own messages do not say what to do, and for a name with several addresses they describe only
one of them.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable

# For each of at most three connections.
SECONDS = 1.0
# What a client of HTTP/2 sends first: a fixed text and its settings, here none.
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
SETTINGS = 4  # type of the first frame that a server of HTTP/2 sends, in its fourth byte


def diagnose(
    host: str, port: int, *, tls: bool, verify: Callable[[], ssl.SSLContext] | None
) -> str:
    """Return why a client with or without TLS cannot talk to a server, and what to do about it.

    `verify` trusts the same certificates as the client. Returns an empty string if nothing is wrong
    with the connection.
    """
    place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    try:
        speaks_tls, protocol = _protocol(host, port)
    except (socket.gaierror, UnicodeError):
        return f"the name {host!r} is unknown: check the address"
    except ConnectionRefusedError:
        return (
            f"no server listens on {place}: start one with `tablier serve`, or check the address "
            "and the port"
        )
    except TimeoutError:
        return f"{place} does not respond: check the address, the port and firewalls"
    except OSError as error:
        return f"cannot connect to {place}: {error}"
    if protocol == "http/1":
        return (
            f"{place} is an HTTP port, perhaps that of Tablier: write http:// or https:// before "
            "it, or use the port of gRPC, 50051 by default"
        )
    if protocol != "h2":
        return f"{place} is not a gRPC server: check the port, 50051 by default"
    if speaks_tls and not tls:
        return (
            f"the server at {place} uses TLS, but this client uses plain text: pass ca_file= with "
            "the certificate of its authority, or credentials="
        )
    if tls and not speaks_tls:
        return (
            f"the server at {place} uses plain text, but this client uses TLS: pass insecure=True "
            "if you trust the network"
        )
    return _rejection(host, port, place, verify()) if verify else ""


def _protocol(host: str, port: int) -> tuple[bool, str]:
    """Return whether a server speaks TLS, and its protocol: "h2", "http/1" or "" for others."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # Nothing secret is sent, and a server with an unknown certificate speaks TLS as well.
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(["h2", "http/1.1"])
    with socket.create_connection((host, port), SECONDS) as plain:
        try:
            with context.wrap_socket(plain) as secure:
                # A server of HTTP/1 may choose no protocol.
                return True, "h2" if secure.selected_alpn_protocol() == "h2" else "http/1"
        except (ssl.SSLError, ConnectionError, TimeoutError):
            pass
    with socket.create_connection((host, port), SECONDS) as plain:
        try:
            plain.sendall(PREFACE)
            start = plain.recv(9)
        except ConnectionError:
            return False, ""
    if start.startswith(b"HTTP/1"):
        return False, "http/1"
    return False, "h2" if len(start) >= 4 and start[3] == SETTINGS else ""


def _rejection(host: str, port: int, place: str, context: ssl.SSLContext) -> str:
    """Return which side of a TLS connection rejects the other's certificate, and why."""
    context.set_alpn_protocols(["h2"])
    try:
        with (
            socket.create_connection((host, port), SECONDS) as plain,
            context.wrap_socket(plain, server_hostname=host) as secure,
        ):
            secure.sendall(PREFACE)
            reason = "" if secure.recv(9) else "it closes the connection"
    except ssl.SSLCertVerificationError as error:
        return (
            f"the certificate of the server at {place} is not trusted ({error.verify_message}): "
            "pass ca_file= with the certificate of its authority, and use a name that the "
            "certificate has"
        )
    except OSError as error:
        reason = str(error)
    if not reason:
        return ""
    return (
        f"the server at {place} rejects this client ({reason}): if it requires a certificate, pass "
        "credentials="
    )
