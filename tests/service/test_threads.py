"""What the polling thread of gRPC and the event loop share is safe.

Python switches threads as often as it can here. Each test fails if one of the locks is removed.
"""

from __future__ import annotations

import asyncio
import json
import queue
import re
import sys
import threading
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from time import sleep
from types import SimpleNamespace
from typing import Any, cast

import jwt
import pytest
from tablier_core.errors import TokenMalformed
from tablier_core.registry import GAMES
from tablier_service.calls.limits import Limit
from tablier_service.errors import Overloaded, QuotaExceeded, Unauthenticated
from tablier_service.observability.lines import LineOutput
from tablier_service.observability.metrics import SECONDS, CallMetrics, Metrics, Value
from tablier_service.security import authentication as module
from tablier_service.security import tls
from tablier_service.security.authentication import Authentication
from tablier_service.security.quotas import Allowance, Quotas
from tablier_service.security.sealing import SealedTokens
from tablier_service.security.tls import Certificates
from tablier_service.service import Service
from tablier_service.transports.grpc import core
from tablier_service.transports.grpc.exchange import Inbox, Outbox

from tests.certificates import Authority

THREADS = 4
TIMES = 500


@pytest.fixture(autouse=True)
def _switch_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def in_threads(work: Callable[[], object], times: int = TIMES) -> None:
    """Do some work many times in each of several threads at once."""
    start = threading.Barrier(THREADS)
    errors: list[BaseException] = []

    def run() -> None:
        start.wait()
        try:
            for _ in range(times):
                work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


# These let other threads run when they are read: an interpreter may do so at any time, but CPython
# seldom does between two instructions.


class Row(list[float]):
    """A row of numbers."""

    def __getitem__(self, at: Any) -> Any:
        found = super().__getitem__(at)
        sleep(0)
        return found


class Level(float):
    """The level of a bucket."""

    def __add__(self, other: float) -> Level:
        sleep(0)
        return Level(float(self) + other)

    def __sub__(self, other: float) -> Level:
        sleep(0)
        return Level(float(self) - other)


class Held(dict[Any, int]):
    """The places that are held."""

    def get(self, key: Any, default: Any = None) -> Any:
        found = super().get(key, default)
        sleep(0)
        return found

    def __getitem__(self, key: Any) -> int:
        found = super().__getitem__(key)
        sleep(0)
        return found


def test_no_count_is_lost() -> None:
    metrics = Metrics()
    row = Row([0.0])
    value = Value(cast("Any", row), 0, metrics.lock)
    in_threads(value.inc)
    assert row == [THREADS * TIMES]


def test_no_successful_call_is_lost(service: Service) -> None:
    metrics = Metrics()
    method = service.method("GetGame").descriptor
    counts = CallMetrics(metrics, method)
    row = Row([0.0] * len(metrics.row))
    counts._row = cast("Any", row)
    in_threads(lambda: counts.succeeded(1.0))
    # The count, its bucket and the sum of the seconds.
    assert sorted(row)[-3:] == [THREADS * TIMES] * 3
    assert row[counts._seconds + SECONDS.index(1)] == THREADS * TIMES


def test_a_quota_admits_exactly_as_many_calls_as_it_has() -> None:
    quotas = Quotas(Allowance(calls_per_second=1, burst=1e9), clock=lambda: 0.0)
    assert quotas.calls
    quotas.calls.level = Level(THREADS * TIMES / 2)
    admitted: list[int] = []

    def call() -> None:
        try:
            quotas.admit()
        except QuotaExceeded:
            return
        admitted.append(1)

    in_threads(call)
    assert len(admitted) == THREADS * TIMES / 2


@pytest.mark.parametrize(("bucket", "spend"), [("cpu", "bill"), ("calls", "count")])
def test_no_cost_is_lost(bucket: str, spend: str) -> None:
    quotas = Quotas(Allowance(calls_per_second=1e-9, cpu_ms_per_second=1e-9))
    filled = getattr(quotas, bucket)
    filled.level = Level(0.0)
    in_threads(lambda: getattr(quotas, spend)(1))
    assert filled.level == -THREADS * TIMES * (1000 if bucket == "cpu" else 1)


def test_no_more_calls_wait_than_the_limit_allows() -> None:
    rejected = Metrics().rejected["calls"]
    limit = Limit("calls", rejected, total=2, per_account=2, per_address=2)
    limit._held = Held()
    waiting: list[int] = []
    most: list[int] = []

    def call() -> None:
        try:
            with limit.place("me", "here"):
                waiting.append(1)
                most.append(len(waiting))
                waiting.pop()
        except Overloaded:
            pass

    in_threads(call)
    assert max(most) <= 2
    assert limit._held == {}


def test_every_place_is_given_back() -> None:
    limit = Limit("calls", Metrics().rejected["calls"])
    limit._held = Held()

    def call() -> None:
        with limit.place("me", "here"):
            sleep(0)

    in_threads(call)
    assert limit._held == {}


def test_a_token_can_be_opened_while_keys_are_replaced() -> None:
    keys = {1: bytes(32), 2: bytes([1] * 32)}
    turned = dict(reversed(keys.items()))
    tokens = SealedTokens(GAMES, keys)
    # It remembers its own tokens, so another one writes what it has to open.
    other = SealedTokens(GAMES, keys)
    position = GAMES["contrast"].start({}, 1)
    stopped = threading.Event()

    def replace() -> None:
        while not stopped.is_set():
            tokens.use(turned)
            tokens.use(keys)

    replacing = threading.Thread(target=replace)
    replacing.start()
    try:
        in_threads(lambda: (tokens.open(other.write(position)), other.open(tokens.write(position))))
    finally:
        stopped.set()
        replacing.join()


def test_no_nonce_is_used_twice() -> None:
    tokens = SealedTokens(GAMES, {1: bytes(32)})
    drawn: list[bytes] = []
    in_threads(lambda: drawn.append(tokens._draw_nonce()))
    assert len(set(drawn)) == THREADS * TIMES


def test_what_old_keys_opened_is_forgotten_with_them() -> None:
    old, new = {1: bytes(32)}, {2: bytes([1] * 32)}
    tokens = SealedTokens(GAMES, old)
    token = SealedTokens(GAMES, old).write(GAMES["contrast"].start({}, 1))
    cipher = tokens._cipher

    def meanwhile_open(key: bytes) -> Any:
        # The new keys are not in use yet.
        assert tokens.open(token)
        return cipher(key)

    tokens._cipher = cast("Any", meanwhile_open)
    tokens.use(new)
    with pytest.raises(TokenMalformed):
        tokens.open(token)


PEER = {"x509_pem_cert": [b"certificate"]}


class LoadedWhileAsked(Certificates):
    """Certificates that a call asks for just before new authorities are in use."""

    _authorities: bytes | None = None

    @property
    def authorities(self) -> bytes | None:
        return self._authorities

    @authorities.setter
    def authorities(self, authorities: bytes | None) -> None:
        if self._authorities is not None:
            assert self.trusts(PEER)
        self._authorities = authorities


def test_what_old_authorities_signed_is_forgotten_with_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = Authority(tmp_path, "first"), Authority(tmp_path, "second")
    trusted = first.file.read_bytes()
    monkeypatch.setattr(tls, "is_signed", lambda _, __, authorities: authorities == trusted)
    certificates = LoadedWhileAsked(*first.sign("server"), first.file)
    assert certificates.trusts(PEER)
    first.file.write_bytes(second.file.read_bytes())
    # Only what is asked while it loads may be remembered.
    certificates._trusted.clear()
    certificates.load()
    assert not certificates.trusts(PEER)


class TornOutput:
    """Takes a half of what is written, lets other threads run, and takes the rest of most lines."""

    def __init__(self) -> None:
        self.taken = bytearray()

    def send(self, data: bytes) -> int:
        half = len(data) // 2
        self.taken += data[:half]
        sleep(0)
        if data[-2:-1] == b"0":
            return half
        self.taken += data[half:]
        return len(data)


def test_lines_stay_intact_and_every_dropped_one_is_counted() -> None:
    torn, output = TornOutput(), LineOutput(-1)
    output._send = torn.send
    dropped: list[int] = []
    output.on_drop = lambda: dropped.append(1)
    numbers = count(1)
    written: list[bytes] = []

    def write() -> None:
        line = b"<%d>%d" % (next(numbers), next(numbers) % 7)
        if output.write(line):
            written.append(line)

    in_threads(write)
    lines = bytes(torn.taken).split(b"\n")
    assert len(written) + len(dropped) == THREADS * TIMES
    assert dropped
    assert sorted(line for line in lines if re.fullmatch(rb"<\d+>[1-6]", line)) == sorted(written)


def test_a_finalizer_may_log_during_a_write() -> None:
    torn, output = TornOutput(), LineOutput(-1)

    def send(data: bytes) -> int:
        if data == b"outer\n":
            assert output.write(b"inner")
        return torn.send(data)

    output._send = send
    thread = threading.Thread(target=output.write, args=(b"outer",), daemon=True)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()
    assert torn.taken == b"inner\nouter\n"


class Completions:
    """A thread that completes the operations of a stream."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, times: int) -> None:
        self._times = times
        self._begun: queue.SimpleQueue[Callable[[Any], None]] = queue.SimpleQueue()
        monkeypatch.setattr(core, "receive_message", lambda _, tag: self._begun.put(tag))
        monkeypatch.setattr(core, "message_in", lambda event: b"message")
        monkeypatch.setattr(core, "send_message", lambda _, __, tag: self._begun.put(tag))
        self.thread = threading.Thread(target=self._complete, daemon=True)
        self.thread.start()

    def _complete(self) -> None:
        for _ in range(self._times):
            self._begun.get()(SimpleNamespace(success=True))


class YieldingLoop(asyncio.SelectorEventLoop):
    """Lets other threads run when a task is about to wait."""

    def create_future(self) -> asyncio.Future[Any]:
        sleep(0)
        return super().create_future()


@pytest.mark.parametrize("box", [Inbox, Outbox])
def test_no_message_of_a_stream_waits_for_ever(
    box: type[Inbox | Outbox], monkeypatch: pytest.MonkeyPatch
) -> None:
    times = 10 * TIMES

    async def main() -> None:
        stream = box(None, asyncio.get_running_loop())
        completions = Completions(monkeypatch, times)
        async with asyncio.timeout(60):
            for _ in range(times):
                if isinstance(stream, Inbox):
                    assert await stream.read() == b"message"
                else:
                    await stream.send(b"message")
        await asyncio.to_thread(completions.thread.join, 60)

    with asyncio.Runner(loop_factory=YieldingLoop) as runner:
        runner.run(main())


# What happens to callers if a file is replaced while a JWT is verified.

JWT = b"head.claims.signature"
ALLOWED = b"[jwt]\ncalls_per_second = 1"
LIMITED = b"[jwt]\ncalls_per_second = 2"


@pytest.fixture
def authentication(monkeypatch: pytest.MonkeyPatch) -> Authentication:
    """Accepts any JWT. Each has the same subject."""
    found = Authentication(Metrics())
    found.read_callers(ALLOWED)
    found._jwks = {"1": cast("Any", type("Key", (), {"algorithm_name": "EdDSA"}))}
    claims = {"sub": "me", "exp": 1e12}
    monkeypatch.setattr(jwt, "get_unverified_header", lambda _: {"kid": "1"})
    monkeypatch.setattr(jwt, "decode", lambda *_, **__: claims)
    return found


def meanwhile(work: Callable[[], object]) -> None:
    """Do some work in another thread, unless that has to wait for this one."""
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(0.5)


def test_a_jwt_is_not_remembered_after_its_key_was_removed(
    authentication: Authentication, monkeypatch: pytest.MonkeyPatch
) -> None:
    removed = threading.Event()

    def remove() -> None:
        authentication.read_jwks(json.dumps({"keys": []}).encode())
        removed.set()

    def decode(*_: object, **__: object) -> dict[str, object]:
        meanwhile(remove)
        return {"sub": "me", "exp": 1e12}

    monkeypatch.setattr(jwt, "decode", decode)
    authentication.identify(JWT)
    assert removed.wait(60)
    with pytest.raises(Unauthenticated):
        authentication.identify(JWT)


def test_a_caller_does_not_keep_an_allowance_that_was_replaced(
    authentication: Authentication, monkeypatch: pytest.MonkeyPatch
) -> None:
    replaced = threading.Event()

    def replace() -> None:
        authentication.read_callers(LIMITED)
        replaced.set()

    def quotas(*args: Any) -> Quotas:
        made = Quotas(*args)
        if not replaced.is_set():
            meanwhile(replace)
        return made

    monkeypatch.setattr(module, "Quotas", quotas)
    authentication.identify(JWT)
    assert replaced.wait(60)
    calls = authentication.identify(JWT).quotas.calls
    assert calls
    assert calls._rate == 2


def test_all_jwts_of_a_subject_are_one_caller(
    authentication: Authentication, monkeypatch: pytest.MonkeyPatch
) -> None:
    others: list[object] = []

    def quotas(*args: Any) -> Quotas:
        if not others:
            others.append(None)
            meanwhile(lambda: others.append(authentication.identify(b"another." + JWT[5:])))
        return Quotas(*args)

    monkeypatch.setattr(module, "Quotas", quotas)
    caller = authentication.identify(JWT)
    while len(others) < 2:
        pass
    assert others[1] is caller
