"""The open loop: when requests start, what is counted, and what happens to wrong answers."""

from __future__ import annotations

import asyncio
import time
from collections import Counter

import pytest
from tablier.v1 import game_service_pb2 as pb

from bench.loads import RestClient
from loadtests import generator
from loadtests.answers import Oracle
from loadtests.arrivals import Schedule
from loadtests.generator import Driver, Generators, Phase, Plan
from loadtests.outcomes import DUPLICATED, GOOD, LATE, LOST, WRONG, Notes, Tally, milliseconds
from loadtests.requests import Source, scenario
from loadtests.swarm import swarm
from loadtests.transports import Address, Grpc, PlayStream, Prepared, Rest, Transport, prepare
from tests.live_server import running

REQUESTS = 120


@pytest.fixture(scope="module")
def oracle():
    made = Oracle()
    yield made
    made.close()


@pytest.fixture(scope="module")
def live_server():
    """A server of its own: above `max_worker_bytes`, it would end streams, which are then lost.

    The tests before these leave the server that all share with that much memory.
    """
    with running() as server:
        yield server


def requests_of(oracle: Oracle, name: str, count: int) -> list[Prepared]:
    requests = scenario(name)(Source(oracle.tokens, 1))
    return [prepare(next(requests), oracle) for _ in range(count)]


class Stub:
    """A transport that answers after some time."""

    name = "stub"

    def __init__(self, seconds: float = 0.0, outcome: str = GOOD) -> None:
        self.seconds, self.outcome = seconds, outcome
        self.checked: list[bool] = []

    def carries(self, request: Prepared) -> bool:
        return True

    async def ask(self, request: Prepared, check: bool) -> str:
        self.checked.append(check)
        await asyncio.sleep(self.seconds)
        return self.outcome

    def duplicates(self) -> Counter[str]:
        return Counter()

    async def close(self) -> None:
        pass


def drive(transport, requests, rate=200.0, seconds=0.5, **fields) -> Tally:
    async def run() -> Notes:
        phase = Phase(Schedule(rate, seconds, poisson=False), begin=time.monotonic(), **fields)
        return await Driver(requests, [transport]).run(phase)

    return Tally.of(asyncio.run(run()), seconds, 0.0)


def test_requests_do_not_wait_for_answers(oracle):
    requests = requests_of(oracle, "enumerate", 2)
    tally = drive(Stub(0.3), requests)
    assert tally.starts == tally.count(GOOD) == 100
    # A caller that waited for each answer would have sent two.
    assert milliseconds(tally.histogram(), 50.0) >= 300


def test_latency_counts_from_the_moment_a_request_was_due(oracle, monkeypatch):
    stub = Stub()

    async def blocks(request: Prepared, check: bool) -> str:
        # The generator itself stops: what is due meanwhile starts late.
        if len(stub.checked) == 10:
            time.sleep(0.2)
        stub.checked.append(check)
        return GOOD

    monkeypatch.setattr(stub, "ask", blocks)
    tally = drive(stub, requests_of(oracle, "enumerate", 2))
    assert milliseconds(tally.histogram(), 99.0) > 150
    assert milliseconds(tally.lag(), 99.0) > 150


def test_starts_that_are_hopelessly_late_are_skipped_and_counted(oracle, monkeypatch):
    monkeypatch.setattr(generator, "MAX_IN_FLIGHT", 5)
    tally = drive(Stub(0.4), requests_of(oracle, "enumerate", 2), seconds=0.3)
    assert tally.starts == 60
    assert tally.skipped == 55


def test_one_answer_in_fifty_is_checked(oracle):
    stub = Stub()
    tally = drive(stub, requests_of(oracle, "enumerate", 2), every=50)
    assert tally.checked == sum(stub.checked) == 2


def test_late_answers_are_counted(oracle):
    requests = requests_of(oracle, "enumerate", 2)
    tally = drive(Stub(0.05), requests, seconds=0.1, late_seconds=0.01)
    assert tally.count(LATE) == 20


@pytest.mark.parametrize("name", ["mixed", "hostile", "play", "advice"])
def test_every_answer_of_a_service_is_right(oracle, live_server, name):
    async def run() -> Counter[str]:
        address = Address(live_server.grpc_address, live_server.rest_url)
        transports: list[Transport] = [Grpc(address), Rest(address)]
        found: Counter[str] = Counter()
        for request in requests_of(oracle, name, REQUESTS):
            for transport in transports:
                if transport.carries(request):
                    found[await transport.ask(request, True)] += 1
        for transport in transports:
            found[DUPLICATED] += transport.duplicates().total()
            await transport.close()
        return found

    found = asyncio.run(run())
    assert {outcome for outcome, count in found.items() if count} == {GOOD}


@pytest.mark.parametrize("call", ["ApplyMoves", "Play", "StreamAnalysis", "hostile"])
def test_a_wrong_answer_is_found(oracle, live_server, call):
    right, other = requests_of(oracle, call, 2)
    if right.results:
        results = dict(zip(right.results, other.results.values(), strict=True))
        wrong = right._replace(results=results)
    else:
        wrong = right._replace(expected=other.expected)

    async def run() -> list[str]:
        address = Address(live_server.grpc_address, live_server.rest_url)
        both: list[Transport] = [Grpc(address), Rest(address)]
        transports = [each for each in both if each.carries(wrong)]
        found = [await each.ask(wrong, True) for each in transports]
        for each in both:
            await each.close()
        return found

    assert set(asyncio.run(run())) == {WRONG}


def test_an_answer_that_never_comes_is_lost(oracle):
    address = Address("127.0.0.1:1", "http://127.0.0.1:1")
    request, message = requests_of(oracle, "ApplyMoves", 1)[0], requests_of(oracle, "play", 1)[0]

    async def run() -> list[str]:
        grpc, rest = Grpc(address), Rest(address)
        found = [
            await grpc.ask(request, True),
            await grpc.ask(message, True),
            await rest.ask(request, True),
        ]
        await grpc.close()
        await rest.close()
        return found

    assert asyncio.run(run()) == [LOST] * 3


def test_results_that_come_twice_are_counted(oracle):
    message = requests_of(oracle, "play", 1)[0]

    async def run() -> int:
        async with Address("127.0.0.1:1", "http://127.0.0.1:1").channel() as channel:
            stream = PlayStream(channel, [])
            for number in message.results:
                stream._take(pb.OperationResult(id=number))
            return stream.duplicated

    assert asyncio.run(run()) == len(message.results)


def test_responses_that_come_twice_are_counted():
    twice = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok" * 2

    async def run() -> int:
        async def answer(reader, writer):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(twice)
            writer.close()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        client = RestClient(f"127.0.0.1:{port}", "", None)
        assert (await client.fetch("GET", "/")).body == b"ok"
        client.close()
        server.close()
        return client.surplus

    assert asyncio.run(run()) == 1


def test_processes_share_the_load_and_their_results_are_merged(live_server):
    address = Address(live_server.grpc_address, live_server.rest_url)
    with Generators(Plan(address, "playout", requests=50), 2) as generators:
        tally = generators.run(Phase(Schedule(100, 1.0, poisson=False)))
        again = generators.run(Phase(Schedule(50, 0.5, poisson=False), every=50))
    assert abs(tally.starts - 100) <= 2
    assert tally.histogram().get_total_count() == tally.checked == tally.count(GOOD)
    assert {label.split()[0] for label in tally.labels} == {"gRPC", "REST"}
    assert again.checked == 2


def test_locust_workers_share_the_load_under_one_master(live_server, capfd):
    # Three seconds: locust has no shorter run that its workers are sure to take part in.
    code = swarm(live_server.grpc_address, live_server.rest_url, "mixed", 4, 3, workers=2)
    said = capfd.readouterr().out
    assert code == 0, said
    assert "failures: 0, held" in said
    assert "no calls: 0, held" in said


def test_locust_users_play_in_streams(live_server, capfd):
    # On a busy machine, locust needs seconds until its users begin, which count.
    code = swarm(live_server.grpc_address, live_server.rest_url, "play", 2, 12, workers=0)
    said = capfd.readouterr()
    assert code == 0, said
    assert "no calls: 0, held" in said.out
    assert "REST" not in said.err
