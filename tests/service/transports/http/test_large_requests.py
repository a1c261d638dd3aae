"""No request within the limits keeps the event loop for long, whatever it contains."""

from __future__ import annotations

import json
import tracemalloc
from base64 import b64encode
from collections.abc import Callable
from time import thread_time
from typing import Any

import pytest
from tablier_core import codec
from tablier_core.registry import GAMES
from tablier_service.calls.slices import run_slice
from tablier_service.security.callers import Peer
from tablier_service.service import Service
from tablier_service.transports.http.application import HttpApplication

from tests.service.event_loop import TURN_SECONDS

TOKEN = b64encode(codec.encode(GAMES["contigo-alignment"].start({"first": 0}, 7))).decode()
CONTRACT_START = GAMES["contract"].start({"seats": 5}, 7)
CONTRACT = b64encode(codec.encode(CONTRACT_START)).decode()
MOST_BYTES = 4 * 1024 * 1024
# How long a machine may take to read a piece of a request. A slower one may take longer for each
# turn, too, in proportion.
PIECE_SECONDS = 0.002
# Each is measured a few times, and the best counts: other programs only make it worse.
ROUNDS = 5

BATCH, REPLAY, APPLY = "/v1/batch", "/v1/games/contrast:replay", "/v1/states:applyMoves"
MOVE = {"seat": 1, "notation": "e1-c1", "action": 5}


def line_of(count: int) -> list[dict[str, int]]:
    """The first moves of a game."""
    moves: list[dict[str, int]] = []
    position = CONTRACT_START
    while len(moves) < count:
        seat = position.actors[0]
        action = position.moves(seat)[0]
        moves.append({"seat": seat, "action": action})
        position = position.apply(seat, action)
    return moves


def dump(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def batch(operation: Any, count: int = 1024) -> tuple[str, bytes]:
    return BATCH, dump({"operations": [operation] * count})


def repeated(path: str, begin: bytes, item: bytes, end: bytes, size: int) -> tuple[str, bytes]:
    """A body of about this size."""
    count = (size - len(begin) - len(end)) // (len(item) + 1)
    return path, begin + b",".join([item] * count) + end


def fields(count: int) -> bytes:
    return b",".join(b'"x%d":1' % number for number in range(count))


KINDS: dict[str, Callable[[], tuple[str, bytes]]] = {
    "as many empty operations as possible": lambda: repeated(
        BATCH, b'{"operations":[', b"{}", b"]}", MOST_BYTES
    ),
    "empty operations": lambda: repeated(BATCH, b'{"operations":[', b"{}", b"]}", 240_000),
    "long answers": lambda: batch({"getGame": {"game": "contract"}}),
    "lists of moves": lambda: batch({"enumerateMoves": {"state": TOKEN}}),
    "views": lambda: batch({"describeState": {"state": TOKEN}}, 256),
    "drawings": lambda: batch({"renderState": {"state": TOKEN}}, 128),
    "many lines": lambda: batch({"applyMoves": {"state": TOKEN, "moves": [MOVE] * 70}}, 256),
    "one long line": lambda: repeated(
        BATCH, b'{"operations":[{"applyMoves":{"moves":[', b"{}", b"]}}]}", 240_000
    ),
    "a line": lambda: (APPLY, dump({"state": TOKEN, "moves": [MOVE] * 1024})),
    "a replay": lambda: (REPLAY, dump({"moves": [MOVE] * 16384})),
    "a replay in a batch": lambda: batch(
        {"replayGame": {"game": "contrast", "moves": [MOVE] * 16384}}, 1
    ),
    "a long string": lambda: batch({"getGame": {"game": "x" * (MOST_BYTES - 100)}}, 1),
    "long strings": lambda: batch({"enumerateMoves": {"state": "A" * 60_000}}, 69),
    "escaped strings": lambda: batch({"getGame": {"game": "\n" * 30_000}}, 69),
    "a record": lambda: (REPLAY, dump({"record": "\N{GRINNING FACE}" * (MOST_BYTES // 13)})),
    "a record that is read": lambda: (REPLAY, dump({"record": "x\n" * 20_000})),
    "lines with words": lambda: batch(
        {
            "applyMoves": {
                "state": CONTRACT,
                "moves": line_of(64),
                "includeSteps": True,
                "includeWords": True,
                "language": "fr",
            }
        },
        16,
    ),
    "white space": lambda: (BATCH, b'{"operations":[%s{}]}' % (b" " * (MOST_BYTES - 100))),
    "more white space": lambda: (
        BATCH,
        b'{"operations":[%s]}' % b",".join([b"{%s}" % (b" " * 4000)] * 1000),
    ),
    "digits": lambda: (BATCH, b'{"operations":[%s]}' % (b"1" * (MOST_BYTES - 100))),
    "brackets": lambda: (BATCH, b"[" * MOST_BYTES),
    "nested arrays": lambda: repeated(
        BATCH, b'{"operations":[', b"[" * 100 + b"]" * 100, b"]}", 160_000
    ),
    "unknown fields": lambda: (BATCH, b"{%s}" % fields(80_000)),
    "unknown fields of an operation": lambda: (BATCH, b'{"operations":[{%s}]}' % fields(80_000)),
    "a field many times": lambda: repeated(BATCH, b"{", b'"operations":[]', b"}", 1_200_000),
    "long options": lambda: (REPLAY, dump({"options": {"deck": [1] * 80_000}})),
    "options with empty objects": lambda: (REPLAY, dump({"options": {"deck": [{}] * 1590}})),
    "options with many names": lambda: (REPLAY, b'{"options":{%s}}' % fields(1590)),
    "valid options": lambda: batch(
        {"startGame": {"game": "contrast", "options": {"deck": [[0.5] * 12] * 120}}}, 50
    ),
    "text that is not JSON": lambda: repeated(
        BATCH, b'{"operations":[', b'{"id":1}', b"]", 360_000
    ),
    "an array": lambda: repeated(BATCH, b"[", b'{"id":1}', b"]", 360_000),
    "NaN": lambda: repeated(BATCH, b'{"operations":[', b'{"id":NaN}', b"]}", 360_000),
}


@pytest.fixture(scope="module")
def application(service: Service) -> HttpApplication:
    return HttpApplication(service)


def longest_turn(application: HttpApplication, path: str, body: bytes) -> float:
    """The longest time that a call takes without a pause."""
    headers = [(b"content-type", b"application/json")]
    head = application.find_call(b"POST", path.encode(), headers)
    assert head is not None
    call = head.endpoint.call_type(head, Peer("127.0.0.1:1"))
    longest, answer, began = 0.0, None, thread_time()
    call.start(body)
    while call.waits and answer is None:
        longest, began = max(longest, thread_time() - began), thread_time()
        with call:
            answer = run_slice(call.work)
            if answer is not None:
                call.encode(answer)
                call.succeed()
    return max(longest, thread_time() - began)


def best(application: HttpApplication, path: str, body: bytes) -> float:
    return min(longest_turn(application, path, body) for _ in range(ROUNDS))


@pytest.mark.parametrize("kind", KINDS)
def test_every_request_pauses_in_time(application: HttpApplication, kind: str) -> None:
    path, body = KINDS[kind]()
    assert len(body) <= MOST_BYTES
    # 2,048 values, which are read at once.
    piece = best(application, APPLY, dump({"state": "", "moves": [MOVE] * 511}))
    limit = TURN_SECONDS * max(1.0, piece / PIECE_SECONDS)
    assert best(application, path, body) < limit


def test_many_elements_take_little_memory(application: HttpApplication) -> None:
    path, body = KINDS["as many empty operations as possible"]()
    tracemalloc.start()
    try:
        longest_turn(application, path, body)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_large_answers_are_those_of_small_requests(application: HttpApplication) -> None:
    """The pieces of an answer are put together in the right order."""
    headers = [(b"content-type", b"application/json")]
    head = application.find_call(b"POST", BATCH.encode(), headers)
    assert head is not None

    def ask(body: bytes) -> Any:
        call = head.endpoint.call_type(head, Peer("127.0.0.1:1"))
        content = call.start(body)
        while content is None:
            assert call.waits
            answer = run_slice(call.work)
            content = None if answer is None else call.encode(answer)
        return json.loads(bytes(content))["results"]

    operations = [
        {"id": "1", "getGame": {"game": "contract"}},
        {"id": "2", "renderState": {"state": TOKEN}},
        {"id": "3", "describeState": {"state": "AAAA"}},
        {"id": "4", "enumerateMoves": {"state": TOKEN}},
    ]
    few = ask(dump({"operations": operations}))
    assert ask(dump({"operations": operations * 100})) == few * 100
