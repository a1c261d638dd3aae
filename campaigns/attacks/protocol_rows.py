"""The rows of attacks on protocols: floods of frames and connections, odd forms, evasions."""

from __future__ import annotations

from campaigns.attacks import floods, forms
from campaigns.attacks.arena import Setup
from campaigns.attacks.rows import (
    CALLS_PER_SECOND,
    Own,
    Row,
    connected,
    failed_as_expected,
    held,
    within_rate,
)
from campaigns.attacks.stage import Figures
from campaigns.proxies import PROXIES


def flooded(figures: Figures) -> Own:
    """How many frames the service took, and how long a connection lasted."""
    sent = f"{figures['sent']:,.0f} frames on {figures['connections']:,.0f} connections"
    return Own(f"{sent}, the longest open for {figures['seconds']:.1f} s")


FLOODS = {
    "rapid-reset": floods.rapid_reset,
    "pings": floods.pings,
    "settings": floods.settings,
    "window-updates": floods.window_updates,
    "empty-data": floods.empty_data,
}
DIRECT = (
    *(Row(name, attack, flooded) for name, attack in FLOODS.items()),
    Row("connections", floods.connections, connected),
    Row("slow-writers", floods.slow_writers, held),
    Row("slow-readers", floods.slow_readers, held),
    Row("odd-json", forms.odd_json, failed_as_expected),
    Row("bombs", forms.bombs, failed_as_expected),
    Row("long-heads", forms.long_heads, failed_as_expected),
    Row("smuggling", forms.smuggle, failed_as_expected),
)
PROTOCOL_ROWS = (
    *DIRECT,
    Row(
        "quota-evasion",
        forms.evade_quota,
        within_rate,
        Setup(keys=True, attacker=f"host\ncalls_per_second = {CALLS_PER_SECOND}"),
    ),
    *(
        Row(f"{row.name}-{proxy}", row.attack, row.own, Setup(proxy=proxy))
        for proxy in PROXIES
        for row in DIRECT
    ),
)
