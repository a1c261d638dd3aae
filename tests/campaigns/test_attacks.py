"""`make attacks`: attackers do what they say, and a row that misses a requirement says so."""

from __future__ import annotations

import asyncio
import os
import subprocess
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from io import StringIO
from pathlib import Path

import click
import grpc
import pytest
from rich.console import Console
from tablier.v1 import game_service_pb2 as pb

from campaigns.attacks import attackers, memory, requests
from campaigns.attacks.__main__ import on_page, report
from campaigns.attacks.load import CALLERS, MIX, Client, Noticed, load, mixed
from campaigns.attacks.processes import largest, service_processes
from campaigns.attacks.results import Result, ResultFiles, figures_before, revision
from campaigns.attacks.rows import ROWS
from campaigns.attacks.stage import Attack, Stage, Target
from campaigns.choice import chosen
from tests import http2
from tests.http2 import Connection, connected, message, send_parts
from tests.live_server import LiveServer, wait_until

HERE = "127.0.0.1"


class Acting(Stage):
    """A stage in this process: the attack is over when it has been under way for a moment."""

    def __init__(self, moment: Callable[[], bool]) -> None:
        self._begun = threading.Event()
        self._moment = moment

    def begin(self) -> None:
        self._begun.set()

    @property
    def ended(self) -> bool:
        return self._begun.is_set() and self._moment()


@asynccontextmanager
async def bare_server():
    """A gRPC server that counts the messages that are complete, and the calls that have begun."""
    counts: Counter[str] = Counter()

    async def unary(data: bytes, _: object) -> bytes:
        counts["messages"] += 1
        return bytes(len(data) // 2)

    async def stream(_: object, context: object) -> None:
        counts["streams"] += 1
        await asyncio.get_running_loop().create_future()

    class Paths(grpc.GenericRpcHandler):  # type: ignore[type-arg]  # generic in its stub only
        def service(self, details: grpc.HandlerCallDetails):
            counts[details.method] += 1
            if details.method.endswith(("Play", "Watch", "StreamAnalysis")):
                return grpc.stream_stream_rpc_method_handler(stream)
            return grpc.unary_unary_rpc_method_handler(unary)

    limits = {"grpc.max_receive_message_length": 2**24, "grpc.max_concurrent_streams": 256}
    server = grpc.aio.server(options=list(limits.items()))
    server.add_generic_rpc_handlers([Paths()])
    port = server.add_insecure_port(f"{HERE}:0")
    await server.start()
    try:
        yield f"{HERE}:{port}", counts
    finally:
        await server.stop(0)


def test_a_raw_call_is_a_call():
    async def run() -> None:
        async with bare_server() as (address, counts):
            connection = await Connection.open(address, HERE)
            stream = connection.call("/a/b", [("x-long", "v" * 300)])
            await connection.send(stream, message(bytes(200_000)), end=True)
            await connection.wait(stream)
            assert counts["messages"] == 1
            # The answer has five bytes before the message.
            assert connection.received[stream] == 100_005
            assert connection.in_progress == 0
            await connection.close()

    asyncio.run(run())


def test_a_half_sent_call_never_reaches_its_handler():
    async def run() -> None:
        async with bare_server() as (address, counts):
            connection = await Connection.open(address, HERE)
            stream = connection.call("/a/b")
            await connection.send(stream, message(bytes(2**20 - 1), announced=2**20))
            assert connection.accepted == 2**20 + 4
            assert connection.in_progress == 1
            other = connection.call("/a/b")
            await connection.send(other, message(b""), end=True)
            await connection.wait(other)
            assert counts["messages"] == 1
            assert stream not in connection.ended
            connection.cancel(stream)
            assert connection.in_progress == 0
            await connection.close()

    asyncio.run(run())


def test_sends_parts_of_messages():
    async def run() -> None:
        async with bare_server() as (address, counts), connected(address) as connection:
            size = 2**16
            assert await send_parts(connection, "/a/b", 3, size) == 3 * (size + 4)
            assert connection.in_progress == 3
            assert counts["messages"] == 0

    asyncio.run(run())


def test_notices_that_the_server_closes_the_connection():
    async def run() -> None:
        async with bare_server() as (address, _):
            connection = await Connection.open(address, HERE)
            stream = connection.call("/a/Play")
        await connection.wait(stream)
        assert connection.in_progress == 0
        assert connection.longest == connection.ended[stream] - connection.opened[stream]
        await connection.close()

    asyncio.run(run())


@pytest.mark.parametrize(
    ("attack", "path", "held"),
    [
        (attackers.half_open, "GetGame", 2560),
        (attackers.watches, "Watch", 2560),
        (attackers.idle_play, "Play", 1250),
        (attackers.unread_analysis, "StreamAnalysis", 70),
        (attackers.half_sent, "Batch", 40),
        (memory.unread_answers, "Batch", 256),
        (memory.half_sent_health, "Check", 80),
        (memory.colluding_play, "Play", 80),
        (memory.wrong_keys, "GetGame", 2250),
    ],
)
def test_holds_as_many_calls_as_it_says(
    attack: Attack, path: str, held: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(attackers, "SETTLED", 0.0)

    async def run() -> dict[str, float]:
        async with bare_server() as (address, counts):
            stage = Acting(lambda: any(name.endswith(path) for name in counts))
            return await attack(Target(address, "", 0), stage)

    figures = asyncio.run(run())
    assert held / 2 < figures["held"] <= held
    if attack is attackers.half_sent:
        assert figures["mib"] > 1


def test_long_calls_are_repeated():
    async def run() -> dict[str, float]:
        async with bare_server() as (address, counts):
            stage = Acting(lambda: counts["messages"] > memory.LONG_CALLS)
            return await memory.long_calls(Target(address, "", 0), stage)

    figures = asyncio.run(run())
    assert figures["sent"] > memory.LONG_CALLS
    assert memory.LONG_CALLS <= figures["served"] <= figures["sent"]


def test_idle_connections_make_no_calls(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(memory, "IDLE_CONNECTIONS", 20)

    async def run() -> dict[str, float]:
        async with bare_server() as (address, counts):
            figures = await memory.idle_connections(Target(address, "", 0), Acting(lambda: True))
            assert not counts
            return figures

    assert asyncio.run(run()) == {"opened": 20, "left": 20}


@contextmanager
def frames_of(
    client: Callable[[str], Awaitable[None]],
) -> Iterator[list[tuple[int, int]]]:
    """The kinds and sizes of the frames that a client sends until it stops."""
    frames: list[tuple[int, int]] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(len(http2.PREFACE))
        writer.write(http2.frame(http2.SETTINGS, 0, 0))
        while len(frames) < 20:
            head = await reader.readexactly(9)
            size = int.from_bytes(head[:3], "big")
            await reader.readexactly(size)
            frames.append((head[3], size))
            assert head[3] == http2.SETTINGS or not head[4] & http2.END_HEADERS
        writer.close()

    async def run() -> None:
        async with await asyncio.start_server(serve, HERE, 0) as server:
            port = server.sockets[0].getsockname()[1]
            await client(f"{HERE}:{port}")

    asyncio.run(run())
    yield frames


def test_a_flood_of_headers_never_ends_them():
    async def flood(address: str) -> None:
        connection = await Connection.open(address, HERE)
        await connection.flood_with_headers(2**30)
        await connection.closed.wait()
        await connection.close()

    with frames_of(flood) as frames:
        kinds = [kind for kind, _ in frames if kind != http2.SETTINGS]
        assert kinds[0] == http2.HEADERS
        assert set(kinds[1:]) == {http2.CONTINUATION}
        assert max(size for _, size in frames) == http2.FRAME_BYTES


def test_legitimate_callers_notice_failures(live_server: LiveServer):
    rest = live_server.rest_url.rpartition("/")[2]
    client = Client(live_server.grpc_address, rest)
    served = asyncio.run(load(client, 60, lambda: None))
    assert (served.requests, served.share) == (60, 1.0)
    assert len(served.advice) >= CALLERS
    # Nobody answers on the REST port of this one.
    half = asyncio.run(load(client._replace(rest=f"{HERE}:1"), 60, lambda: None))
    failed = {name.partition(":")[0] for name in half.failures}
    assert failed == {"REST enumerateMoves", "REST applyMoves", "/healthz", "/readyz"}


def test_every_caller_makes_every_request():
    made = {(number % CALLERS, name) for number, name in zip(range(4000), mixed(), strict=False)}
    assert made == {(caller, name) for caller in range(CALLERS) for name in MIX}


def test_attackers_use_the_service_as_they_say(live_server: LiveServer):
    target = Target(
        live_server.grpc_address,
        live_server.rest_url.rpartition("/")[2],
        live_server.process.pid,
    )
    once = Acting(lambda: True)
    asked = asyncio.run(requests.post(target, "/v1/batch", b'{"operations":[{}]}'))
    assert asked[0] in (200, 400)
    figures = asyncio.run(attackers.failing_calls(target, once))
    assert figures["expected"] > 0
    assert figures["other"] == 0
    operation = pb.BatchRequest(operations=[attackers.largest_picture()])
    assert operation.ByteSize() < 4096


def test_finds_the_processes_of_a_service(live_server: LiveServer):
    process = live_server.process.pid
    wait_until(lambda: process in service_processes(process), "the service runs")
    assert os.getpid() not in service_processes(process)
    assert largest([process], "VmHWM") >= largest([process], "VmRSS") > 20


FINE = Result(
    row="watch",
    requests=10_000,
    share=0.999,
    p99=(0.001, 0.003),
    p99_of_all=(0.02, 0.06),
    megabytes=(70.0, 159.9, 70.0),
    cpu=(1.0, 1.0),
    figure="3 held",
    required="at most 3",
)


def test_a_row_says_what_it_misses_and_what_was_seen():
    assert FINE.missed == []
    for changes, missed in (
        ({"requests": 9_999}, "only 9,999 requests"),
        ({"share": 0.9989}, "99.890% succeeded"),
        ({"p99": (0.001, 0.00301)}, "p99 3.01x"),
        ({"p99_of_all": (0.02, 0.0602)}, "p99 of all 3.01x"),
        ({"megabytes": (70.0, 160.0, 70.0)}, "160.0 MB"),
        ({"fine": False}, "not at most 3"),
    ):
        assert replace(FINE, **changes).missed == [missed]
        assert replace(FINE, **changes, waived="for a reason").missed == []


def test_notices_the_latency_of_cheap_calls_and_of_all():
    noticed = Noticed([0.001] * 9000 + [0.004] * 800, [0.03] * 200, Counter({"Check: ABORTED": 10}))
    assert (noticed.requests, noticed.share) == (10_000, 0.999)
    assert (noticed.p99, noticed.p99_of_all) == pytest.approx((0.004, 0.03))


def test_a_run_goes_on_with_the_rows_that_have_no_result(tmp_path: Path):
    files = ResultFiles(tmp_path / "results", "commit", 10_000)
    assert files.find("watch") is None
    files.keep(replace(FINE, failures={"Check: ABORTED": 2}))
    assert files.find("watch") == replace(FINE, failures={"Check: ABORTED": 2})
    assert files.find("half-open") is None
    # Neither a result of other sources nor one of fewer requests counts.
    assert ResultFiles(tmp_path / "results", "other", 10_000).find("watch") is None
    assert ResultFiles(tmp_path / "results", "commit", 20_000).find("watch") is None


def test_results_are_those_of_the_sources(tmp_path: Path):
    def git(*arguments: str) -> None:
        person = ("-c", "user.name=t", "-c", "user.email=t@t.example")
        subprocess.run(["git", "-C", tmp_path, *person, *arguments], check=True, text=True)

    git("init", "-q")
    (tmp_path / "docs").mkdir()
    (tmp_path / "service.py").write_text("1")
    git("add", ".")
    git("commit", "-qm", "first")
    first = revision(tmp_path)
    (tmp_path / "docs" / "page.md").write_text("new")
    (tmp_path / "README.md").write_text("new")
    git("add", ".")
    git("commit", "-qm", "pages")
    assert revision(tmp_path) == first
    (tmp_path / "service.py").write_text("2")
    assert revision(tmp_path) != first


def test_the_page_shows_every_row_before_and_after():
    text = on_page([replace(FINE, row=row.name) for row in ROWS])
    assert "| `half-open` | 39.37% → 99.90% | 54.24x → 3.00x | 128 → 160 | " in text
    assert all(f"| `{row.name}` | " in text for row in ROWS)
    assert len({line.count(" | ") for line in text.splitlines() if line.startswith("| `")}) == 1


def test_the_table_shows_every_row_before_and_after():
    assert set(figures_before()) < {row.name for row in ROWS}
    console = Console(width=400, record=True, file=StringIO())
    console.print(report([replace(FINE, row=row.name) for row in ROWS]))
    text = console.export_text()
    for row in ROWS:
        assert f" {row.name} " in text
    for name in figures_before():
        assert f" {name}, before " in text


@pytest.mark.parametrize(
    ("name", "fine", "bad"),
    [
        ("log-full", {"expected": 9, "other": 0}, {"expected": 9, "other": 1}),
        (
            "cancelled-calls",
            {"SuggestMoves": 0.5, "Batch": 0.5, "Play": 0.8, "rejected": 9, "lasted": 20},
            {"SuggestMoves": 0.5, "Batch": 0.5, "Play": 0.9, "rejected": 9, "lasted": 20},
        ),
        (
            "removed-authority",
            {"rest": 2.0, "grpc": 0.0, "lasted": 20},
            {"rest": 0.0, "grpc": 2.1, "lasted": 20},
        ),
        # The attack ended too soon.
        (
            "removed-authority",
            {"rest": 1.9, "grpc": 0.0, "lasted": 2.1},
            {"rest": 1.9, "grpc": 0.0, "lasted": 1.9},
        ),
        (
            "rejected-retries",
            {"rejected": 9000, "served": 1100, "lasted": 10},
            {"rejected": 9000, "served": 1101, "lasted": 10},
        ),
        (
            "large-answer",
            {"mib": 4.0, "mib_in": 1, "rejected": 0},
            {"mib": 4.1, "mib_in": 1, "rejected": 0},
        ),
        ("hung-worker", {"replaced": 5, "stopped": 12}, {"replaced": 5, "stopped": float("inf")}),
    ],
)
def test_rows_judge_their_own_figures(name: str, fine: dict[str, float], bad: dict[str, float]):
    row = next(row for row in ROWS if row.name == name)
    assert row.own(fine).fine
    assert not row.own(bad).fine


def test_a_single_row_can_be_chosen():
    assert [row.name for row in chosen(ROWS, "half-open")] == ["half-open"]
    names = [row.name for row in chosen(ROWS, "half-open-, watch")]
    assert names == ["half-open-anonymous", "watch"]
    assert chosen(ROWS, None) == list(ROWS)
    with pytest.raises(click.BadParameter, match="no row starts with 'nothing'"):
        chosen(ROWS, "watch,nothing")


def test_every_attack_has_its_row():
    names = [row.name for row in ROWS]
    assert len(set(names)) == len(names)
    for group, count in (
        ("half-sent", 4),
        ("half-open", 2),
        ("watch", 1),
        ("idle-play", 1),
        ("unread-analysis", 1),
        ("colluding-play", 1),
        ("unread-answers", 1),
        ("long-calls", 1),
        ("wrong-keys", 1),
        ("idle-connections", 1),
        ("json-operations", 1),
        ("large-answer", 1),
        ("log", 3),
        ("cancelled-calls", 1),
        ("removed-authority", 1),
        ("hung-worker", 1),
        ("rejected-retries", 1),
        ("continuation", 4),
    ):
        assert sum(name.startswith(group) for name in names) == count
