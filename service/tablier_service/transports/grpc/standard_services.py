"""Health checking and reflection, which grpcio offers only for its own servers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from typing import Any

from google.protobuf.message import DecodeError
from google.rpc import code_pb2
from grpc_health.v1 import health, health_pb2
from grpc_reflection.v1alpha import reflection, reflection_pb2
from tablier_core.errors import TablierError

from tablier_service.calls.limits import Limit
from tablier_service.errors import InvalidField, Overloaded, SlowReader
from tablier_service.transports.grpc import core
from tablier_service.transports.grpc.arrivals import Arrivals
from tablier_service.transports.grpc.call import connection_of, failure
from tablier_service.transports.grpc.exchange import Exchange, ignore
from tablier_service.transports.grpc.unsent import CALL_BYTES, AnsweringExchange, Unsent

HEALTH = f"/{health.SERVICE_NAME}/"
REFLECTION = f"/{reflection.SERVICE_NAME}/ServerReflectionInfo"
Status = health_pb2.HealthCheckResponse


class Health:
    """The health of each service, and those who watch it. Only the event loop changes it."""

    def __init__(self, names: Iterable[str]) -> None:
        self._statuses = dict.fromkeys(names, Status.NOT_SERVING)
        self._changed: asyncio.Future[None] | None = None

    def set_all(self, status: Any) -> None:
        """Change the health of every service, and report it to those who watch."""
        self._statuses = dict.fromkeys(self._statuses, status)
        if self._changed is not None:
            self._changed.set_result(None)
            self._changed = None

    def find(self, name: str) -> Any | None:
        """The health of a service; None if there is no such service."""
        return self._statuses.get(name)

    async def change(self) -> None:
        """Wait until it changes."""
        if self._changed is None:
            self._changed = asyncio.get_running_loop().create_future()
        await asyncio.shield(self._changed)


def service_in(data: bytes | None) -> str | None:
    """The service that a health check asks for; None if the request is invalid."""
    try:
        return None if data is None else health_pb2.HealthCheckRequest.FromString(data).service
    except DecodeError:
        return None


class StandardExchange(AnsweringExchange):
    """A call of a standard service: anyone may call, so its connection and address are limited."""

    __slots__ = ()

    @property
    def account(self) -> str:
        return connection_of(core.peer_of(self.wire))

    @property
    def owner(self) -> str:
        return self.account.rpartition(":")[0]

    def give_up(self, error: TablierError) -> None:
        self._end(*failure(error))

    def _end(self, code: int, message: str, details: core.Metadata) -> None:
        """End a call that fails."""
        self.reject(code, message, details)


class HealthCheck(StandardExchange):
    """`Check`: the health of a service now."""

    __slots__ = ("_health",)

    def __init__(
        self,
        health: Health,
        loop: asyncio.AbstractEventLoop,
        arrivals: Arrivals,
        unsent: Unsent,
        arrival: core.Arrival,
    ) -> None:
        Exchange.__init__(self, arrival.call, loop)
        self._health = health
        self.unsent = unsent
        try:
            arrivals.expect(self)
        except Overloaded as error:
            self.give_up(error)

    def received(self, data: bytes | None) -> None:
        name = service_in(data)
        if name is None:
            self.reject(code_pb2.INVALID_ARGUMENT, "not a health check")
        elif (status := self._health.find(name)) is None:
            self.reject(code_pb2.NOT_FOUND, "there is no such service")
        else:
            self.answer(Status(status=status).SerializeToString())


class HealthWatch(HealthCheck):
    """`Watch`: the health of a service now and whenever it changes."""

    __slots__ = ("_limit", "_name")

    def __init__(
        self,
        limit: Limit,
        health: Health,
        loop: asyncio.AbstractEventLoop,
        arrivals: Arrivals,
        unsent: Unsent,
        arrival: core.Arrival,
    ) -> None:
        self._limit = limit
        HealthCheck.__init__(self, health, loop, arrivals, unsent, arrival)

    def received(self, data: bytes | None) -> None:
        name = service_in(data)
        if name is None:
            self.reject(code_pb2.INVALID_ARGUMENT, "not a health check")
        else:
            self._name = name
            self.continue_on_loop(self._run)

    async def _run(self) -> None:
        core.begin_stream(self.wire, ignore)
        try:
            with self._limit.place(self.account, self.owner):
                await self._report()
        except SlowReader as error:
            core.end_stream(self.wire, *failure(error), ignore)
            # The status waits behind the answer that is not read.
            core.cancel(self.wire)
        except TablierError as error:
            core.end_stream(self.wire, *failure(error), ignore)

    async def _report(self) -> None:
        seconds, last = self.unsent.seconds, None
        while True:
            found = self._health.find(self._name)
            status = Status.SERVICE_UNKNOWN if found is None else found
            if status == last:
                await self._health.change()
                continue
            last = status
            try:
                async with asyncio.timeout(seconds):
                    await self.send(Status(status=status).SerializeToString())
                    await self.flush()
            except TimeoutError:
                raise SlowReader.after(seconds) from None


class Reflection(StandardExchange):
    """`ServerReflectionInfo`: the descriptors of the protocol.

    A stream of requests on the polling thread. Each is awaited like the only message of other
    calls, after the answer to the one before has left.
    """

    __slots__ = ("_answers", "_limit", "_place", "_servicer")

    def __init__(
        self,
        servicer: reflection.ReflectionServicer,
        limit: Limit,
        loop: asyncio.AbstractEventLoop,
        arrivals: Arrivals,
        unsent: Unsent,
        arrival: core.Arrival,
    ) -> None:
        Exchange.__init__(self, arrival.call, loop)
        self._servicer: Any = servicer
        self._limit = limit
        self.arrivals = arrivals
        self.unsent = unsent
        # The connection and address of a stream that has one of the places.
        self._place: tuple[str, str] | None = None
        # The answers to the last request that are still to be sent.
        self._answers: Iterator[Any] = iter(())
        self._send_next()

    def received(self, data: bytes | None) -> None:
        if data is None:
            self._end(code_pb2.OK, "", ())
            return
        try:
            request = reflection_pb2.ServerReflectionRequest.FromString(data)
            if self._place is None:
                self._begin()
        except DecodeError:
            self.give_up(InvalidField("", "not a reflection request"))
        except Overloaded as error:
            self.give_up(error)
        else:
            self._answers = self._servicer.ServerReflectionInfo(iter((request,)), None)
            self._send_next()

    def _begin(self) -> None:
        place = self.account, self.owner
        self._limit.take(*place)
        self._place = place
        core.begin_stream(self.wire, ignore)
        core.receive_close(self.wire, ignore)

    def _send_next(self) -> None:
        """Send the next answer, or wait for the next request."""
        answer = next(self._answers, None)
        try:
            if answer is None:
                self.arrivals.expect(self)
            else:
                data = answer.SerializeToString()
                self.unsent.add(self, len(data) + CALL_BYTES)
                core.send_message(self.wire, data, self._left)
        except Overloaded as error:
            self.give_up(error)

    def _left(self, event: Any) -> None:
        AnsweringExchange._left(self, event)
        if event.success:
            self._send_next()
        else:
            self._end(code_pb2.CANCELLED, "", ())

    def _end(self, code: int, message: str, details: core.Metadata) -> None:
        if self._place is None:
            self.reject(code, message, details)
        else:
            self._limit.give_back(*self._place)
            core.end_stream(self.wire, code, message, details, ignore)
            self.drop()
