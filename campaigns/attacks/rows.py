"""The rows: one per attack, with the service it is made on and what is required beyond the rest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from campaigns.attacks import attackers, memory, neighbours, operations
from campaigns.attacks.arena import Setup
from campaigns.attacks.stage import Attack, Figures

# The quota of the attacker that cancels its calls, and the time that each of its ways may overdraw.
CPU_MS_PER_SECOND = 50
OVERDRAFT_SECONDS = 0.25
# The quota of the attacker that repeats its calls. Its polite neighbours stay below.
CALLS_PER_SECOND = 100
RELOAD_SECONDS = 2.0
# The default of `max_response_bytes`.
LARGEST_ANSWER_MIB = 4.0


@dataclass(frozen=True)
class Own:
    """The figure of a row beyond what all rows measure, what is required of it, and the verdict."""

    figure: str
    required: str = ""
    fine: bool = True


def held(figures: Figures) -> Own:
    """How many calls an attacker held at once, and for how long."""
    return Own(f"{figures['held']:.0f} held, the longest {figures['seconds']:.1f} s")


def accepted(figures: Figures) -> Own:
    """How much of unfinished messages or headers the service accepted."""
    total = f"{figures['mib_held']:.0f} MiB held, {figures['mib']:.0f} MiB accepted"
    return Own(f"{total}; {held(figures).figure}")


def flooded(figures: Figures) -> Own:
    """How much of endless headers was accepted, and how long before the connection closed."""
    open_for = f"a connection lasted {figures['connected']:.1f} s at most"
    return Own(f"{figures['mib']:,.0f} MiB sent, {open_for}")


def answered(figures: Figures) -> Own:
    """How long the attacker's own requests took."""
    counts = f"{figures['served']:.0f} of {figures['sent']:.0f} served"
    return Own(f"{counts}, longest {figures['seconds'] * 1e3:,.0f} ms")


def connected(figures: Figures) -> Own:
    """How many idle connections an attacker opened, and how many were not closed."""
    return Own(f"{figures['opened']:,.0f} opened, {figures['left']:,.0f} stayed open")


def sized(figures: Figures) -> Own:
    """How large the answers were."""
    sizes = f"{figures['mib_in']:.1f} MiB in, {figures['mib']:.1f} MiB out at most"
    return Own(
        f"{sizes}, {figures['rejected']:.0f} rejected",
        f"answers of at most {LARGEST_ANSWER_MIB:.0f} MiB",
        figures["mib"] <= LARGEST_ANSWER_MIB,
    )


def failed_as_expected(figures: Figures) -> Own:
    """Whether calls that should fail fail with their own error."""
    return Own(
        f"{figures['expected']:.0f} failed as they should, {figures['other']:.0f} otherwise",
        "every call fails with its own error",
        figures["other"] == 0 < figures["expected"],
    )


def within_quota(figures: Figures) -> Own:
    """How much time the attacker obtained, compared with its quota."""
    ways = {name: figures[name] for name in ("SuggestMoves", "Batch", "Play")}
    # The quota starts with that of one second. One call of each way may overdraw it, because a call
    # is admitted while there is any quota left, and a cancelled search is billed once its thread
    # has ended. The longest is cancelled after 0.2 seconds, and then has to notice that.
    overdraft = len(ways) * OVERDRAFT_SECONDS
    allowed = CPU_MS_PER_SECOND / 1000 * (figures["lasted"] + 1) + overdraft
    words = ", ".join(f"{name} {spent:.1f} s" for name, spent in ways.items())
    return Own(
        f"{words}, {figures['rejected']:.0f} rejected",
        f"at most {allowed:.1f} s in {figures['lasted']:.0f} s",
        sum(ways.values()) <= allowed,
    )


def within_rate(figures: Figures) -> Own:
    """How many calls an attacker repeated, and how many of them were served."""
    # The quota starts with the calls of one second.
    allowed = int(CALLS_PER_SECOND * (figures["lasted"] + 1))
    rejected = f"{figures['rejected']:,.0f} rejected"
    rate = f"{figures['rejected'] / figures['lasted']:,.0f} per second"
    return Own(
        f"{rejected} ({rate}), {figures['served']:,.0f} served",
        f"at most {allowed:,} served in {figures['lasted']:.0f} s",
        figures["served"] <= allowed and figures["rejected"] > 0,
    )


def no_longer_trusted(figures: Figures) -> Own:
    """How long a client was trusted after its authority was removed."""
    lasted = {name: figures[name.lower()] for name in ("REST", "gRPC")}
    words = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in lasted.items())
    # An attack that ends sooner shows nothing.
    long_enough = figures["lasted"] > RELOAD_SECONDS
    return Own(
        f"trusted afterwards: {words} of {figures['lasted']:.1f} s",
        f"at most {RELOAD_SECONDS:g} s",
        long_enough and max(lasted.values()) <= RELOAD_SECONDS,
    )


def replaced(figures: Figures) -> Own:
    """When a hung worker was replaced, and when the service stopped in spite of another."""
    return Own(
        f"replaced after {figures['replaced']:.0f} s, stopped after {figures['stopped']:.0f} s",
        "replaced, and stopped",
        max(figures["replaced"], figures["stopped"]) < float("inf"),
    )


@dataclass(frozen=True)
class Row:
    """An attack on a service, and neighbours to compare it with."""

    name: str
    attack: Attack
    own: Callable[[Figures], Own]
    setup: Setup = field(default_factory=Setup)
    neighbours: Attack = neighbours.polite_calls
    # Whether anything is required; if not, why.
    waived: str = ""


PLAYER = Setup(keys=True, attacker="player")
HOST = Setup(keys=True, attacker="host")
ROWS = (
    Row("half-sent-anonymous", attackers.half_sent, accepted, Setup(keys=True)),
    Row("half-sent-key", attackers.half_sent, accepted, PLAYER),
    Row("half-sent-open", attackers.half_sent, accepted),
    Row("half-sent-health", memory.half_sent_health, accepted, Setup(keys=True)),
    Row("half-open", attackers.half_open, held),
    Row("half-open-anonymous", attackers.half_open, held, Setup(keys=True)),
    Row("watch", attackers.watches, held),
    Row("idle-play", attackers.idle_play, held, PLAYER),
    Row("colluding-play", memory.colluding_play, accepted),
    Row("unread-answers", memory.unread_answers, held),
    Row("long-calls", memory.long_calls, answered, HOST, neighbours.batches),
    Row("wrong-keys", memory.wrong_keys, held, Setup(keys=True)),
    Row("idle-connections", memory.idle_connections, connected),
    Row("unread-analysis", attackers.unread_analysis, held, HOST, neighbours.read_analysis),
    Row("json-operations", attackers.many_operations, answered, neighbours=neighbours.batches),
    Row("large-answer", attackers.large_answers, sized, neighbours=neighbours.batches),
    *(
        Row(f"log-{log}", attackers.failing_calls, failed_as_expected, Setup(log=log))
        for log in ("full", "unread", "closed")
    ),
    Row(
        "cancelled-calls",
        attackers.cancelled_calls,
        within_quota,
        Setup(keys=True, attacker=f"host\ncpu_ms_per_second = {CPU_MS_PER_SECOND}"),
        neighbours.complete_searches,
    ),
    Row(
        "removed-authority",
        operations.removed_authority,
        no_longer_trusted,
        Setup({"reload_seconds": str(RELOAD_SECONDS)}, tls=True),
        neighbours.no_neighbours,
    ),
    Row(
        "hung-worker",
        operations.hung_worker,
        replaced,
        Setup({"workers": "2"}),
    ),
    Row(
        "rejected-retries",
        attackers.storm_of_retries,
        within_rate,
        Setup(keys=True, attacker=f"host\ncalls_per_second = {CALLS_PER_SECOND}"),
    ),
    Row(
        "continuation-direct",
        attackers.fast_flood_of_headers,
        flooded,
        waived="only a proxy can limit header frames",
    ),
    *(
        Row(f"continuation-{proxy}", attackers.flood_of_headers, flooded, Setup(proxy=proxy))
        for proxy in ("envoy", "haproxy", "nginx")
    ),
)
