"""Health checking and reflection, which grpcio offers only for its own servers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from google.protobuf.message import DecodeError
from google.rpc import code_pb2
from grpc_health.v1 import health, health_pb2
from grpc_reflection.v1alpha import reflection, reflection_pb2
from tablier_core.errors import TablierError

from tablier_service.calls.limits import Limit
from tablier_service.errors import DeadlinePassed, InvalidField, Overloaded, status_of
from tablier_service.transports.grpc import core
from tablier_service.transports.grpc.arrivals import Arrivals, RequestExchange
from tablier_service.transports.grpc.call import STATUS_DETAILS, connection_of
from tablier_service.transports.grpc.exchange import Exchange, ignore

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


async def run_in(limit: Limit, exchange: Exchange, work: Callable[[], Awaitable[None]]) -> None:
    """Do the work of a stream if the limit has a place for it, and send its status.

    Anyone may call the standard services, so calls count for their connection.
    """
    connection = connection_of(core.peer_of(exchange.wire))
    core.begin_stream(exchange.wire, ignore)
    status: tuple[int, str, core.Metadata] = (code_pb2.OK, "", ())
    try:
        with limit.place(connection, connection.rpartition(":")[0]):
            await work()
    except TablierError as error:
        status = failure(error)
    core.end_stream(exchange.wire, *status, ignore)


def failure(error: TablierError) -> tuple[int, str, core.Metadata]:
    """The code, message and metadata to send for an error."""
    status = status_of(error)
    return status.code, status.message, ((STATUS_DETAILS, status.SerializeToString()),)


class HealthCheck(RequestExchange):
    """`Check`: the health of a service now."""

    __slots__ = ("_health",)

    def __init__(
        self,
        health: Health,
        loop: asyncio.AbstractEventLoop,
        arrivals: Arrivals,
        arrival: core.Arrival,
    ) -> None:
        Exchange.__init__(self, arrival.call, loop)
        self._health = health
        try:
            arrivals.expect(self)
        except Overloaded as error:
            self.give_up(error)

    @property
    def account(self) -> str:
        return connection_of(core.peer_of(self.wire))

    def give_up(self, error: TablierError) -> None:
        self.reject(*failure(error))

    def received(self, data: bytes | None) -> None:
        name = service_in(data)
        if name is None:
            self.reject(code_pb2.INVALID_ARGUMENT, "not a health check")
        elif (status := self._health.find(name)) is None:
            self.reject(code_pb2.NOT_FOUND, "there is no such service")
        else:
            core.answer_and_close(self.wire, Status(status=status).SerializeToString(), ignore)


class HealthWatch(HealthCheck):
    """`Watch`: the health of a service now and whenever it changes."""

    __slots__ = ("_limit", "_name")

    def __init__(
        self,
        limit: Limit,
        health: Health,
        loop: asyncio.AbstractEventLoop,
        arrivals: Arrivals,
        arrival: core.Arrival,
    ) -> None:
        self._limit = limit
        HealthCheck.__init__(self, health, loop, arrivals, arrival)

    def received(self, data: bytes | None) -> None:
        name = service_in(data)
        if name is None:
            self.reject(code_pb2.INVALID_ARGUMENT, "not a health check")
        else:
            self._name = name
            self.continue_on_loop(self._run)

    async def _run(self) -> None:
        await run_in(self._limit, self, self._report)

    async def _report(self) -> None:
        last = None
        while True:
            found = self._health.find(self._name)
            status = Status.SERVICE_UNKNOWN if found is None else found
            if status != last:
                await self.send(Status(status=status).SerializeToString())
                last = status
            else:
                await self._health.change()


class Reflection(Exchange):
    """`ServerReflectionInfo`: the descriptors of the protocol."""

    __slots__ = ("_limit", "_seconds", "_servicer")

    def __init__(
        self,
        servicer: reflection.ReflectionServicer,
        limit: Limit,
        seconds: float,
        loop: asyncio.AbstractEventLoop,
        arrival: core.Arrival,
    ) -> None:
        Exchange.__init__(self, arrival.call, loop)
        self._servicer: Any = servicer
        self._limit = limit
        self._seconds = seconds
        self.continue_on_loop(self._run)

    async def _run(self) -> None:
        await run_in(self._limit, self, self._answer_all)

    async def _answer_all(self) -> None:
        while True:
            try:
                async with asyncio.timeout(self._seconds):
                    data = await self.read()
            except TimeoutError:
                message = f"no request arrived within {self._seconds:g} seconds"
                raise DeadlinePassed("", message) from None
            if data is None:
                return
            try:
                request = reflection_pb2.ServerReflectionRequest.FromString(data)
            except DecodeError:
                raise InvalidField("", "not a reflection request") from None
            for answer in self._servicer.ServerReflectionInfo(iter((request,)), None):
                await self.send(answer.SerializeToString())
