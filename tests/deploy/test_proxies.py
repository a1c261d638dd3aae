"""The configurations of proxies: they can be read, and are in step with the service and each other.

`make proxies` has each proxy itself read its own, and runs it.
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
DOORS = ("grpc", "rest")


@dataclass(frozen=True)
class Proxy:
    """What a configuration says, by door."""

    listens: dict[str, int]
    services: dict[str, list[int]]
    # How long it waits for an answer; zero: as long as the caller does.
    patience: dict[str, float]
    # What a call that got no answer is repeated for, in the proxy's own words.
    repeats: dict[str, set[str]]
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
        door: manager["route_config"]["virtual_hosts"][0]["routes"]
        for door, manager in MANAGERS.items()
    }
    last = {door: routes[door][-1]["route"] for door in DOORS}
    return Proxy(
        {listener["name"]: port_of(listener["address"]) for listener in ENVOY["listeners"]},
        {
            door: [
                port_of(end["endpoint"]["address"])
                for end in CLUSTERS[last[door]["cluster"]]["load_assignment"]["endpoints"][0][
                    "lb_endpoints"
                ]
            ]
            for door in DOORS
        },
        {door: seconds(last[door]["timeout"]) for door in DOORS},
        {door: set(last[door]["retry_policy"]["retry_on"].split(",")) for door in DOORS},
        routes["rest"][0] == {"match": {"path": "/metrics"}, "direct_response": {"status": 404}},
    )


def haproxy_sections() -> dict[str, list[list[str]]]:
    """The lines of every section, as words, by the section's kind and name."""
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
    """What follows some words, of each line of a section that begins with them."""
    found = [line for line in HAPROXY[section] if tuple(line[: len(begin)]) == begin]
    return [line[len(begin) :] for line in found]


def haproxy() -> Proxy:
    behind = {door: lines_of(f"frontend {door}", "default_backend")[0][0] for door in DOORS}
    patience = seconds(lines_of("defaults", "timeout", "server")[0][0])
    repeats = set(lines_of("defaults", "retry-on")[0])
    denied = ["deny", "deny_status", "404", "if", "{", "path", "/metrics", "}"]
    return Proxy(
        {door: port(lines_of(f"frontend {door}", "bind")[0][0]) for door in DOORS},
        {
            door: [port(words[1]) for words in lines_of(f"backend {behind[door]}", "server")]
            for door in DOORS
        },
        dict.fromkeys(DOORS, patience),
        dict.fromkeys(DOORS, repeats),
        denied in lines_of("frontend rest", "http-request"),
    )


# Read as nginx would: every directive known, in a place for it, with arguments that fit.
NGINX: dict[str, Any] = crossplane.parse(str(FOLDER / "nginx.conf"), strict=True)


def inside(block: list[Any], directive: str) -> list[Any]:
    return [each for each in block if each["directive"] == directive]


def words(block: list[Any], directive: str) -> list[str]:
    (only,) = inside(block, directive)
    return [str(word) for word in only["args"]]


def nginx() -> Proxy:
    (http,) = (each["block"] for each in inside(NGINX["config"][0]["parsed"], "http"))
    servers = dict(zip(DOORS, (each["block"] for each in inside(http, "server")), strict=True))
    places = {door: inside(servers[door], "location")[0]["block"] for door in DOORS}
    kinds = {"grpc": "grpc", "rest": "proxy"}
    services = {}
    for door, kind in kinds.items():
        target = words(places[door], f"{kind}_pass")[0].rpartition("/")[2]
        (upstream,) = (each for each in inside(http, "upstream") if each["args"] == [target])
        services[door] = [port(each["args"][0]) for each in inside(upstream["block"], "server")]
    hidden = inside(servers["rest"], "location")[1]
    return Proxy(
        {door: port(words(servers[door], "listen")[0]) for door in DOORS},
        services,
        {door: seconds(words(places[door], f"{kinds[door]}_read_timeout")[0]) for door in DOORS},
        {door: set(words(places[door], f"{kinds[door]}_next_upstream")) for door in DOORS},
        hidden["args"] == ["=", "/metrics"] and words(hidden["block"], "return") == ["404"],
    )


READERS = {"envoy": envoy, "haproxy": haproxy, "nginx": nginx}


@pytest.fixture(params=READERS)
def proxy(request: pytest.FixtureRequest) -> Proxy:
    return READERS[request.param]()


def test_nginx_can_read_its_own() -> None:
    assert (NGINX["status"], NGINX["errors"]) == ("ok", [])


def test_every_file_is_tested() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(READERS)


def test_both_doors_of_two_services_are_behind_it(proxy: Proxy) -> None:
    assert proxy.listens == {"grpc": 50050, "rest": 8000}
    assert proxy.services == {"grpc": [50051, 50052], "rest": [8081, 8082]}


def test_it_waits_longer_than_the_longest_search(proxy: Proxy) -> None:
    for waits in proxy.patience.values():
        assert waits == 0 or waits > DEFAULTS["max_search_seconds"]


def test_it_repeats_calls_that_got_no_answer(proxy: Proxy) -> None:
    refused = {"connect-failure", "conn-failure", "error"}
    unanswered = {"reset", "empty-response", "non_idempotent"}
    for words_said in proxy.repeats.values():
        assert words_said & refused
        assert words_said & unanswered


def test_metrics_are_not_passed_on(proxy: Proxy) -> None:
    assert proxy.hides_metrics


def test_requests_of_every_allowed_size_pass() -> None:
    (http,) = (each["block"] for each in inside(NGINX["config"][0]["parsed"], "http"))
    megabytes = int(words(http, "client_max_body_size")[0].removesuffix("m"))
    assert megabytes * 2**20 == DEFAULTS["max_large_request_bytes"]
    for manager in MANAGERS.values():
        assert manager["max_request_headers_kb"] * 1024 >= DEFAULTS["max_metadata_bytes"]
    streams = MANAGERS["grpc"]["http2_protocol_options"]["max_concurrent_streams"]
    assert streams == DEFAULTS["max_streams_per_connection"]


def test_services_are_asked_whether_they_take_calls() -> None:
    checks = {door: CLUSTERS[f"{door}_services"]["health_checks"][0] for door in DOORS}
    assert "grpc_health_check" in checks["grpc"]
    assert checks["rest"]["http_health_check"] == {"path": "/readyz"}
    for check in checks.values():
        # A service that gets no calls is asked as often.
        assert check["no_traffic_interval"] == check["interval"]
    asked = ["send", "meth", "GET", "uri", "/readyz"]
    assert asked in lines_of("backend rest_services", "http-check")
    assert lines_of("backend rest_services", "default-server")[0][0] == "check"
    tracked = [line[-1] for line in lines_of("backend grpc_services", "server")]
    named = [line[0] for line in lines_of("backend rest_services", "server")]
    assert tracked == [f"rest_services/{name}" for name in named]
