"""Assembled services for tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from google.protobuf.message import Message
from tablier_service.observability.metrics import CallMetrics
from tablier_service.service import Service
from tablier_service.settings import Settings

# Free ports, and a log that contains only errors.
SETTINGS = {"grpc_port": 0, "http_port": 0, "log_level": "error", "slow_call_ms": 60_000}
# One key of 32 zero bytes.
SEAL_KEYS = "1:" + "A" * 43 + "="

Assemble = Callable[..., Service]
# Returns the answer to a request.
Ask = Callable[[Message], Any]


def assemble(parts: dict[str, Any] | None = None, **settings: Any) -> Service:
    """Assemble a service from these settings; `parts` are passed to `Service.assemble`."""
    return Service.assemble(Settings.model_validate({**SETTINGS, **settings}), **(parts or {}))


class RecordingLogger:
    """A logger that keeps what is logged."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []

    def log(self, level: int, event: str, **values: Any) -> None:
        self.lines.append({"level": level, "event": event, **values})

    def info(self, event: str, **values: Any) -> None:
        self.log(20, event, **values)

    def warning(self, event: str, **values: Any) -> None:
        self.log(30, event, **values)


class Replacement:
    """Replaces the handler of a method once it is switched on.

    Until then the original answers, for the examples in the OpenAPI document.
    """

    def __init__(self, original: Callable[[Any], Any], handler: Callable[[Any], Any]) -> None:
        self._original = original
        self._handler = handler
        self.on = False

    def __call__(self, request: Any) -> Any:
        return self._handler(request) if self.on else self._original(request)


def with_handlers(
    service: Service, **handlers: Callable[[Any], Any]
) -> tuple[Service, Callable[[], None]]:
    """A service in which some methods have other handlers, and a function to switch those on."""
    replacements: list[Replacement] = []
    methods = []
    for method in service.methods:
        handler = handlers.get(method.descriptor.name)
        if handler is not None:
            replacements.append(Replacement(method.handler, handler))
            method = replace(method, handler=replacements[-1])
        methods.append(method)
    assert len(replacements) == len(handlers), "a method that does not exist"

    def switch_on() -> None:
        for each in replacements:
            each.on = True

    return replace(service, methods=tuple(methods)), switch_on


def asking(service: Service) -> Ask:
    """A function that returns the answer of a service to a request, without a transport."""
    methods = {method.request_type: method for method in service.methods}
    return lambda request: methods[type(request)].ask(request)


class CallCounts:
    """The metrics of one method."""

    def __init__(self, service: Service, name: str) -> None:
        self._metrics = service.metrics
        # Reserves the values, if no transport has yet.
        method = service.method(name).descriptor
        CallMetrics(self._metrics, method)
        self._labels = next(
            labels
            for labels in self._metrics.started.places
            if labels[1:] == (method.containing_service.full_name, method.name)
        )

    @property
    def started(self) -> float:
        """How many calls were started."""
        return self._metrics.total(self._metrics.value(self._metrics.started, *self._labels))

    def handled(self, code: str = "") -> float:
        """How many calls were handled with a code, or with any."""
        return sum(self.by_code().values()) if not code else self.by_code().get(code, 0.0)

    def by_code(self) -> dict[str, float]:
        """How many calls were handled, by code."""
        family = self._metrics.handled
        counts = {
            labels[-1]: self._metrics.total(self._metrics.value(family, *labels))
            for labels in family.places
            if labels[:-1] == self._labels
        }
        return {code: count for code, count in counts.items() if count}
