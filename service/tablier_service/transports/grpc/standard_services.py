"""Health checking and reflection, which grpcio offers only for its own servers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from google.protobuf.message import DecodeError
from google.rpc import code_pb2
from grpc_health.v1 import health, health_pb2
from grpc_reflection.v1alpha import reflection, reflection_pb2

from tablier_service.transports.grpc import core
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


class HealthCheck(Exchange):
    """`Check`: the health of a service now."""

    __slots__ = ("_health",)

    def __init__(
        self, health: Health, arrival: core.Arrival, loop: asyncio.AbstractEventLoop
    ) -> None:
        Exchange.__init__(self, arrival.call, loop)
        self._health = health
        core.receive_message(self.wire, self.received)

    def received(self, event: Any) -> None:
        """Answer the request."""
        name = service_in(core.message_in(event))
        if name is None:
            self.reject(code_pb2.INVALID_ARGUMENT, "not a health check")
        elif (status := self._health.find(name)) is None:
            self.reject(code_pb2.NOT_FOUND, "there is no such service")
        else:
            core.answer_and_close(self.wire, Status(status=status).SerializeToString(), ignore)


class HealthWatch(HealthCheck):
    """`Watch`: the health of a service now and whenever it changes."""

    __slots__ = ("_name",)

    def received(self, event: Any) -> None:
        name = service_in(core.message_in(event))
        if name is None:
            self.reject(code_pb2.INVALID_ARGUMENT, "not a health check")
        else:
            self._name = name
            self.continue_on_loop()

    async def run(self) -> None:
        core.begin_stream(self.wire, ignore)
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

    __slots__ = ("_servicer",)

    def __init__(
        self,
        servicer: reflection.ReflectionServicer,
        arrival: core.Arrival,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        Exchange.__init__(self, arrival.call, loop)
        self._servicer = servicer
        self.continue_on_loop()

    async def run(self) -> None:
        core.begin_stream(self.wire, ignore)
        while (data := await self.read()) is not None:
            try:
                request = reflection_pb2.ServerReflectionRequest.FromString(data)
            except DecodeError:
                core.end_stream(
                    self.wire, code_pb2.INVALID_ARGUMENT, "not a reflection request", (), ignore
                )
                return
            answers: Any = self._servicer.ServerReflectionInfo
            for answer in answers(iter((request,)), None):
                await self.send(answer.SerializeToString())
        core.end_stream(self.wire, code_pb2.OK, "", (), ignore)
