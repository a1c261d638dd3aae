"""`make faults`: answers are checked, and a row that misses a requirement says so."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
from tablier.v1 import game_service_pb2 as pb
from tablier_client.errors import Unavailable
from tablier_core import codec
from tablier_core.registry import GAMES

from campaigns.faults import load
from campaigns.faults.faults import KEYS
from campaigns.faults.ground import accepted_sockets, open_files
from campaigns.faults.load import Load, Reach, Tally, kind_of
from campaigns.faults.questions import Question, Questions
from campaigns.faults.results import Window, WindowFiles, judge
from campaigns.faults.rows import ROWS, SHARE, Row
from tests.live_server import LiveServer
from tests.service.assembly import asking, assemble


@pytest.fixture(scope="module")
def questions() -> Questions:
    return Questions()


def replies(questions: Questions, keys: str = "", count: int = 60) -> list[tuple[Question, Any]]:
    """Questions, and what a service with these keys answers."""
    service = assemble(seal_keys=keys) if keys else assemble()
    ask = asking(service)
    asked = [questions.next() for _ in range(count)]
    try:
        return [(question, ask(question.request)) for question in asked]
    finally:
        service.close()


def test_right_answers_are_right(questions: Questions) -> None:
    found = replies(questions)
    assert {type(question.request) for question, _ in found} == {
        pb.StartGameRequest,
        pb.ApplyMovesRequest,
    }
    assert all(questions.is_right(question, reply) for question, reply in found)


def test_right_answers_are_right_with_any_key() -> None:
    sealed = Questions(",".join(KEYS))
    for keys in (",".join(KEYS), ",".join(reversed(KEYS))):
        assert all(sealed.is_right(*each) for each in replies(sealed, keys))


def test_wrong_answers_are_wrong(questions: Questions) -> None:
    for question, reply in replies(questions):
        if question.answer is not None:
            changed = type(reply).FromString(reply.SerializeToString())
            changed.situation.ply += 1
            assert not questions.is_right(question, changed)
        damaged = type(reply).FromString(reply.SerializeToString())
        damaged.state = b"garbage"
        assert not questions.is_right(question, damaged)
        # The valid token of another game.
        elsewhere = type(reply).FromString(reply.SerializeToString())
        name = "contract" if reply.situation.game != "contract" else "contrast"
        elsewhere.state = codec.encode(GAMES[name].start({}, 77))
        assert not questions.is_right(question, elsewhere)


class Liar(Questions):
    """Finds every answer wrong."""

    def is_right(self, question: Question, reply: Any) -> bool:
        return False


@pytest.mark.parametrize(("kind", "wrong"), [(Questions, False), (Liar, True)])
def test_the_load_counts_answers(kind: type[Questions], wrong: bool, live_server: LiveServer):
    async def run() -> dict[str, Tally]:
        async with Load(Reach(live_server.grpc_address), kind(), rate=200) as load:
            while any(tally.calls < 20 for tally in load.tallies.values()) or not load.tallies:
                await asyncio.sleep(0.01)
            return load.window()

    tallies = asyncio.run(run())
    assert set(tallies) == {"gRPC", "client"}
    for tally in tallies.values():
        assert tally.under_way == tally.failed == 0
        assert (tally.wrong > 0) is wrong


class Silent:
    """Never answers, and has no timeout."""

    async def ask(self, method: str, request: object) -> Any:
        await asyncio.Event().wait()


def test_a_call_that_never_ends_is_a_failure(
    questions: Questions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, "ENDLESS_SECONDS", 0.01)
    tally = Tally()
    asyncio.run(Load(Reach(""), questions)._put(Silent(), questions.next(), tally))
    assert (tally.failed, tally.untyped, tally.under_way) == (1, 1, 0)


def tallies(**client: Any) -> dict[str, Tally]:
    return {"gRPC": Tally(calls=1000), "client": Tally(calls=1000, **client)}


def missed(found: dict[str, Tally], row: Row = ROWS[0], **details: Any) -> str:
    return ", ".join(judge(row, found, 100.0, "figure", **details).missed)


def test_a_window_without_failures_misses_nothing() -> None:
    assert missed(tallies()) == ""
    assert ROWS[0].share == SHARE
    # One call in a thousand may fail without retries.
    found = tallies()
    found["gRPC"].failures = Counter(UNAVAILABLE=1)
    found["gRPC"].last_failure = 104.9
    assert missed(found) == ""


def test_every_requirement_can_be_missed() -> None:
    assert missed(tallies(wrong=1)) == "1 wrong answers"
    assert missed(tallies(failures=Counter(UNAVAILABLE=1))) == "1 failed with retries"
    assert missed(tallies(skipped=200)) == "200 calls skipped"
    assert missed(tallies(), broken="a worker was replaced") == "a worker was replaced"
    found = tallies()
    found["gRPC"].failures = Counter(UNAVAILABLE=2)
    assert missed(found) == "2 of 1,000 failed without retries"
    found["gRPC"].failures = Counter(INTERNAL=1)
    found["gRPC"].last_failure = 105.1
    assert missed(found) == "1 failed without a status to act on, recovered after 5.1 s"
    lossless = next(row for row in ROWS if row.name == "reload")
    found["gRPC"] = Tally(calls=1000, failures=Counter(UNAVAILABLE=1))
    assert missed(found, lossless) == "1 of 1,000 failed without retries"


def test_every_way_to_fail_has_a_kind() -> None:
    request = httpx.Request("POST", "http://127.0.0.1")
    for status, kind in ((502, "UNAVAILABLE"), (500, "HTTP 500")):
        answer = httpx.Response(status, request=request)
        error = httpx.HTTPStatusError("", request=request, response=answer)
        assert kind_of(error) == kind
    assert kind_of(httpx.ReadError("")) == "UNAVAILABLE"
    assert kind_of(Unavailable("", code=grpc.StatusCode.UNAVAILABLE)) == "UNAVAILABLE"
    assert kind_of(ValueError("strange")) == "ValueError: strange"


def test_a_campaign_goes_on_where_it_was(tmp_path: Path) -> None:
    window = Window({"client": 5}, {"client": {}}, 0, 0.0, "figure", "", [])
    files = WindowFiles(tmp_path, "this", 500)
    assert files.find("kill") == []
    files.keep("kill", [window, window])
    assert files.find("kill") == [window, window]
    assert WindowFiles(tmp_path, "that", 500).find("kill") == []
    assert WindowFiles(tmp_path, "this", 50).find("kill") == []


def test_finds_the_connections_of_a_process(live_server: LiveServer) -> None:
    assert open_files(live_server.process.pid)
    assert accepted_sockets() is not None


def test_rows_have_different_names() -> None:
    assert len({row.name for row in ROWS}) == len(ROWS)
