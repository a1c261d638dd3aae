"""Attacks that need an operator: an authority is removed, a worker hangs."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import ssl
from time import monotonic

from campaigns.attacks.processes import service_processes
from campaigns.attacks.stage import PAUSE, Figures, Stage, Target
from tests.http2 import PREFACE, SETTINGS, frame


def is_trusted(address: str, context: ssl.SSLContext, greeting: bytes) -> bool:
    """Whether a service answers a client with a certificate, on a new connection."""
    host, _, port = address.rpartition(":")
    try:
        with (
            socket.create_connection((host, int(port)), timeout=5) as plain,
            context.wrap_socket(plain, server_hostname=host) as wrapped,
        ):
            wrapped.sendall(greeting)
            # With TLS 1.3, a certificate is rejected only after the handshake of the client.
            return bool(wrapped.recv(1))
    except OSError:
        return False


async def removed_authority(target: Target, stage: Stage) -> Figures:
    """A client whose authority is removed, and that connects again and again."""
    assert target.authorities
    assert target.next_authorities
    assert target.certificate
    contexts = {}
    for protocol in ("http/1.1", "h2"):
        contexts[protocol] = context = ssl.create_default_context(ssl.Purpose.SERVER_AUTH)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context.load_cert_chain(*target.certificate)
        context.set_alpn_protocols([protocol])
    ways = {
        "rest": (target.rest, contexts["http/1.1"], b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n"),
        "grpc": (target.grpc, contexts["h2"], PREFACE + frame(SETTINGS, 0, 0)),
    }
    trusted = {name: await asyncio.to_thread(is_trusted, *way) for name, way in ways.items()}
    assert all(trusted.values()), f"the certificate is not accepted: {trusted}"
    os.replace(target.next_authorities, target.authorities)  # noqa: PTH105  # as an operator does
    removed = monotonic()
    stage.begin()
    last = dict.fromkeys(ways, 0.0)
    while not stage.ended:
        for name, way in ways.items():
            connected = monotonic()
            if await asyncio.to_thread(is_trusted, *way):
                last[name] = connected - removed
        await asyncio.sleep(PAUSE)
    lasted = monotonic() - removed
    return {**last, "lasted": lasted}


async def hung_worker(target: Target, stage: Stage) -> Figures:
    """A worker that hangs. The attack is under way when another has replaced it."""
    workers = service_processes(target.process) - {target.process}
    hung = min(workers)
    os.kill(hung, signal.SIGSTOP)
    begun = monotonic()
    longest = 60.0
    replaced = float("inf")
    while monotonic() - begun < longest:
        now = service_processes(target.process) - {target.process}
        if hung not in now and len(now) == len(workers):
            replaced = monotonic() - begun
            break
        await asyncio.sleep(PAUSE)
    stage.begin()
    await stage.end()
    # A second one hangs while the service is asked to stop.
    os.kill(max(service_processes(target.process) - {target.process}), signal.SIGSTOP)
    os.kill(target.process, signal.SIGTERM)
    begun = monotonic()
    while monotonic() - begun < longest:
        if not service_processes(target.process):
            return {"replaced": replaced, "stopped": monotonic() - begun}
        await asyncio.sleep(PAUSE)
    return {"replaced": replaced, "stopped": float("inf")}
