"""The configurations of proxies can be read, and agree with the service and each other.

`make proxies` runs each proxy with its configuration.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import crossplane
import pytest
import yaml
from tablier_service.settings import Settings

FOLDER = Path(__file__).parents[2] / "deploy" / "proxies"
DEFAULTS = {name: field.default for name, field in Settings.model_fields.items()}
TRANSPORTS = ("grpc", "http")


@dataclass(frozen=True)
class Proxy:
    """The content of a configuration, by transport."""

    listens: dict[str, int]
    services: dict[str, list[int]]
    # How long it waits for an answer; 0 means as long as the caller waits.
    timeouts: dict[str, float]
    # Which calls without an answer it repeats, in the words of the proxy.
    retries: dict[str, set[str]]
    hides_metrics: bool


def seconds(text: str) -> float:
    number, unit = re.fullmatch(r"([\d.]+)(ms|s)", text).groups()  # type: ignore[union-attr]
    return float(number) * {"s": 1.0, "ms": 0.001}[unit]


def port(text: str) -> int:
    return int(text.rpartition(":")[2])


ENVOY: dict[str, Any] = yaml.safe_load((FOLDER / "envoy.yaml").read_text())["static_resources"]
CLUSTERS: dict[str, Any] = {cluster["name"]: cluster for cluster in ENVOY["clusters"]}
MANAGERS: dict[str, Any] = {
    listener["name"]: listener["filter_chains"][0]["filters"][0]["typed_config"]
    for listener in ENVOY["listeners"]
}


def envoy() -> Proxy:
    def port_of(address: Any) -> int:
        return int(address["socket_address"]["port_value"])

    routes = {
        transport: manager["route_config"]["virtual_hosts"][0]["routes"]
        for transport, manager in MANAGERS.items()
    }
    last = {transport: routes[transport][-1]["route"] for transport in TRANSPORTS}
    return Proxy(
        {listener["name"]: port_of(listener["address"]) for listener in ENVOY["listeners"]},
        {
            transport: [
                port_of(end["endpoint"]["address"])
                for end in CLUSTERS[last[transport]["cluster"]]["load_assignment"]["endpoints"][0][
                    "lb_endpoints"
                ]
            ]
            for transport in TRANSPORTS
        },
        {transport: seconds(last[transport]["timeout"]) for transport in TRANSPORTS},
        {
            transport: set(last[transport]["retry_policy"]["retry_on"].split(","))
            for transport in TRANSPORTS
        },
        routes["http"][0] == {"match": {"path": "/metrics"}, "direct_response": {"status": 404}},
    )


def haproxy_sections() -> dict[str, list[list[str]]]:
    """The lines of every section as words, by the kind and name of the section."""
    sections: dict[str, list[list[str]]] = {}
    for line in (FOLDER / "haproxy.cfg").read_text().splitlines():
        words = shlex.split(line, comments=True)
        if words and not line.startswith(" "):
            sections[" ".join(words)] = []
        elif words:
            sections[list(sections)[-1]].append(words)
    return sections


HAPROXY = haproxy_sections()


def lines_of(section: str, *begin: str) -> list[list[str]]:
    """The rest of each line in a section that begins with some words."""
    found = [line for line in HAPROXY[section] if tuple(line[: len(begin)]) == begin]
    return [line[len(begin) :] for line in found]


def haproxy() -> Proxy:
    behind = {
        transport: lines_of(f"frontend {transport}", "default_backend")[0][0]
        for transport in TRANSPORTS
    }
    timeout = seconds(lines_of("defaults", "timeout", "server")[0][0])
    retries = set(lines_of("defaults", "retry-on")[0])
    denied = ["deny", "deny_status", "404", "if", "{", "path", "/metrics", "}"]
    return Proxy(
        {
            transport: port(lines_of(f"frontend {transport}", "bind")[0][0])
            for transport in TRANSPORTS
        },
        {
            transport: [
                port(words[1]) for words in lines_of(f"backend {behind[transport]}", "server")
            ]
            for transport in TRANSPORTS
        },
        dict.fromkeys(TRANSPORTS, timeout),
        dict.fromkeys(TRANSPORTS, retries),
        denied in lines_of("frontend http", "http-request"),
    )


# Read strictly, like nginx: every directive must be known, in its place, with proper arguments.
NGINX: dict[str, Any] = crossplane.parse(str(FOLDER / "nginx.conf"), strict=True)


def inside(block: list[Any], directive: str) -> list[Any]:
    return [each for each in block if each["directive"] == directive]


def words(block: list[Any], directive: str) -> list[str]:
    (only,) = inside(block, directive)
    return [str(word) for word in only["args"]]


def nginx() -> Proxy:
    (http,) = (each["block"] for each in inside(NGINX["config"][0]["parsed"], "http"))
    servers = dict(zip(TRANSPORTS, (each["block"] for each in inside(http, "server")), strict=True))
    places = {
        transport: inside(servers[transport], "location")[0]["block"] for transport in TRANSPORTS
    }
    kinds = {"grpc": "grpc", "http": "proxy"}
    services = {}
    for transport, kind in kinds.items():
        target = words(places[transport], f"{kind}_pass")[0].rpartition("/")[2]
        (upstream,) = (each for each in inside(http, "upstream") if each["args"] == [target])
        services[transport] = [
            port(each["args"][0]) for each in inside(upstream["block"], "server")
        ]
    hidden = inside(servers["http"], "location")[1]
    return Proxy(
        {transport: port(words(servers[transport], "listen")[0]) for transport in TRANSPORTS},
        services,
        {
            transport: seconds(words(places[transport], f"{kinds[transport]}_read_timeout")[0])
            for transport in TRANSPORTS
        },
        {
            transport: set(words(places[transport], f"{kinds[transport]}_next_upstream"))
            for transport in TRANSPORTS
        },
        hidden["args"] == ["=", "/metrics"] and words(hidden["block"], "return") == ["404"],
    )


READERS = {"envoy": envoy, "haproxy": haproxy, "nginx": nginx}


@pytest.fixture(params=READERS)
def proxy(request: pytest.FixtureRequest) -> Proxy:
    return READERS[request.param]()


def test_nginx_can_read_its_configuration() -> None:
    assert (NGINX["status"], NGINX["errors"]) == ("ok", [])


def test_every_file_is_tested() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(READERS)


def test_has_both_transports_of_two_services(proxy: Proxy) -> None:
    assert proxy.listens == {"grpc": 50050, "http": 8000}
    assert proxy.services == {"grpc": [50051, 50052], "http": [8081, 8082]}


def test_waits_longer_than_the_longest_search(proxy: Proxy) -> None:
    for waits in proxy.timeouts.values():
        assert waits == 0 or waits > DEFAULTS["max_search_seconds"]


def test_retries_calls_without_an_answer(proxy: Proxy) -> None:
    failed = {"connect-failure", "conn-failure", "error"}
    unanswered = {"reset", "empty-response", "non_idempotent"}
    for conditions in proxy.retries.values():
        assert conditions & failed
        assert conditions & unanswered


def test_hides_metrics(proxy: Proxy) -> None:
    assert proxy.hides_metrics


def test_accepts_requests_of_every_allowed_size() -> None:
    (http,) = (each["block"] for each in inside(NGINX["config"][0]["parsed"], "http"))
    megabytes = int(words(http, "client_max_body_size")[0].removesuffix("m"))
    assert megabytes * 2**20 == DEFAULTS["max_large_request_bytes"]
    for manager in MANAGERS.values():
        assert manager["max_request_headers_kb"] * 1024 >= DEFAULTS["max_metadata_bytes"]
    streams = MANAGERS["grpc"]["http2_protocol_options"]["max_concurrent_streams"]
    assert streams == DEFAULTS["max_grpc_calls_per_connection"]


def test_checks_whether_services_accept_calls() -> None:
    checks = {
        transport: CLUSTERS[f"{transport}_services"]["health_checks"][0] for transport in TRANSPORTS
    }
    assert "grpc_health_check" in checks["grpc"]
    assert checks["http"]["http_health_check"] == {"path": "/readyz"}
    for check in checks.values():
        # A service without traffic is checked as often.
        assert check["no_traffic_interval"] == check["interval"]
    asked = ["send", "meth", "GET", "uri", "/readyz"]
    assert asked in lines_of("backend http_services", "http-check")
    assert lines_of("backend http_services", "default-server")[0][0] == "check"
    tracked = [line[-1] for line in lines_of("backend grpc_services", "server")]
    named = [line[0] for line in lines_of("backend http_services", "server")]
    assert tracked == [f"http_services/{name}" for name in named]
