"""The pages for people and monitoring: health, metrics, OpenAPI, rules, the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from tablier_service.message_json.bindings import Binding
from tablier_service.openapi.document import openapi_document
from tablier_service.openapi.examples import Examples, NoExamples
from tablier_service.service import Service
from tablier_service.transports.http.open_connections import OpenConnections
from tablier_service.transports.http.replies import JSON, Reply, etag_of, page
from tablier_service.transports.http.request import PageRequest
from tablier_service.transports.http.rules import rules_pages
from tablier_service.transports.http.swagger import swagger_pages
from tablier_service.transports.http.table import table_pages

TEXT = b"text/plain; charset=utf-8"
EXPOSITION = b"text/plain; version=0.0.4; charset=utf-8"
# Only for operators, if callers are authenticated.
METRICS_PATH = "/metrics"
# Answered on every connection, even beyond the limit of connections.
HEALTH_PATHS = frozenset({"/healthz", "/readyz"})

Page = Reply | Callable[[PageRequest], Reply]


def pages(
    service: Service, bindings: Sequence[Binding], connections: OpenConnections
) -> dict[str, Page]:
    """All pages by path; those that can change are functions."""
    table = service.settings.web == "on"
    return {
        "/healthz": Reply(200, b"alive\n", TEXT),
        "/readyz": partial(readiness, service, connections),
        METRICS_PATH: partial(metrics, service),
        "/openapi.json": openapi_page(bindings),
        **swagger_pages(table),
        **rules_pages(service.games, table),
        **(table_pages() if table else {}),
    }


def readiness(service: Service, connections: OpenConnections, request: PageRequest) -> Reply:
    """Whether the service accepts calls, and this worker new connections to make them on."""
    if service.ready and not connections.full:
        return Reply(200, b"ready\n", TEXT)
    return Reply(503, b"not ready\n", TEXT)


def metrics(service: Service, request: PageRequest) -> Reply:
    """The metrics of all workers, for Prometheus."""
    return Reply(200, service.metrics.exposition(), EXPOSITION)


def openapi_page(bindings: Sequence[Binding]) -> Reply:
    """The OpenAPI document.

    Its tag is the same in every process that serves the same protocol, although the tokens and
    times in its examples may differ.
    """
    document = openapi_document(bindings, Examples([binding.method for binding in bindings]))
    return page(document, JSON, etag=etag_of(openapi_document(bindings, NoExamples())))
