"""Locust users: people who send the requests of a scenario one after the other.

They are a closed loop: each user waits for its answer. Every answer is compared with the right one.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Iterator
from typing import Any, ClassVar

import grpc
import grpc.experimental.gevent
from google.rpc import status_pb2
from locust import FastHttpUser, User, constant, task
from tablier.v1 import game_service_pb2 as pb

from bench.loads import Response
from loadtests.answers import Oracle
from loadtests.outcomes import GOOD, WRONG
from loadtests.requests import Source, scenario
from loadtests.transports import (
    STATUS_DETAILS,
    TIMEOUT_SECONDS,
    Prepared,
    judge_http,
    outcome_of,
    prepare,
)

# Locust's users are greenlets, so gRPC must wait cooperatively.
grpc.experimental.gevent.init_gevent()

SCENARIO = os.environ.get("TABLIER_LOAD_SCENARIO", "mixed")
ORACLE = Oracle(os.environ.get("TABLIER_LOAD_SEAL_KEYS", ""))
SEEDS = itertools.count(1)


class Failed(Exception):
    """An outcome that is not good."""


def prepared() -> Iterator[Prepared]:
    """The requests of one user."""
    source = Source(ORACLE.tokens, os.getpid() * 1000 + next(SEEDS))
    for request in scenario(SCENARIO)(source):
        yield prepare(request, ORACLE)


class GrpcUser(User):
    """Calls over gRPC; each user has its own connection."""

    wait_time = constant(0)
    address: ClassVar[str]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        options = [("grpc.use_local_subchannel_pool", 1)]
        self._channel = grpc.insecure_channel(self.address, options)
        self._requests = prepared()

    @task
    def call(self) -> None:
        """Make the next call, and report it to locust."""
        request = next(self._requests)
        begun, size = time.perf_counter(), 0
        try:
            # What answers once can also be read as a stream, and one message be all that is sent.
            call: Any = self._channel.unary_stream(request.path, None, None)
            answers = list(call(request.wire, timeout=TIMEOUT_SECONDS))
            right = are_right(answers, request)
            outcome, size = GOOD if right else WRONG, sum(map(len, answers))
        except grpc.RpcError as error:
            outcome = judge_grpc(error, request)
        self.environment.events.request.fire(
            request_type="gRPC",
            name=request.call,
            response_time=(time.perf_counter() - begun) * 1000,
            response_length=size,
            exception=None if outcome == GOOD else Failed(outcome),
        )

    def on_stop(self) -> None:
        """Close the user's channel."""
        self._channel.close()


def are_right(answers: list[bytes], request: Prepared) -> bool:
    """Whether a call was answered rightly. The last answer of an analysis is its result."""
    if not request.results:
        expected = request.expected
        return bool(answers) and not expected.failed and expected.matches_wire(answers[-1])
    found = [result for each in answers for result in pb.PlayResponse.FromString(each).results]
    return {result.id for result in found} == set(request.results) and all(
        request.results[result.id].matches_wire(result.SerializeToString(deterministic=True))
        for result in found
    )


def judge_grpc(error: Any, request: Prepared) -> str:
    """The outcome of a call that failed; some requests must fail."""
    details = dict(error.trailing_metadata() or ()).get(STATUS_DETAILS, b"")
    if request.expected.failed and details == request.expected.wire:
        return GOOD
    return outcome_of(status_pb2.Status.FromString(details), error.code().name)


class RestUser(FastHttpUser):
    """Calls over REST."""

    wait_time = constant(0)

    def on_start(self) -> None:
        """Prepare the first request."""
        self._requests = (request for request in prepared() if request.http is not None)

    @task
    def call(self) -> None:
        """Make the next call; locust's client reports it."""
        request = next(self._requests)
        assert request.http is not None
        verb, target, body = request.http
        with self.client.request(
            verb,
            target,
            data=body.decode() or None,
            headers={"content-type": "application/json"},
            name=request.call,
            catch_response=True,
        ) as response:
            answer = Response(response.status_code, "", response.content or b"")
            outcome = judge_http(answer, request.expected, check=True)
            if outcome == GOOD:
                response.success()
            else:
                response.failure(outcome)
