"""The rows: one per fault and way to reach the services, and what is required of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from campaigns.faults import faults
from campaigns.faults.faults import Fault
from campaigns.faults.ground import Setup
from campaigns.proxies import PROXIES

# The share of calls without retries that may fail in the window of a killed worker.
SHARE = 0.001
# How long after a fault has ended calls may fail.
RECOVERY_SECONDS = 5.0


@dataclass(frozen=True)
class Row:
    """A fault, where it happens, and how many calls without retries may fail.

    Calls with retries never fail, no answer is ever wrong, and every failure says what it is.
    """

    name: str
    fault: Fault
    # The share of calls without retries that may fail; None if it is not limited.
    share: float | None = None
    setup: Setup = field(default_factory=Setup)
    proxy: str = ""
    # How long a window lasts at least.
    seconds: float = 10.0


KILLS = (
    Row("kill-connected", faults.kill_busiest_worker, SHARE),
    Row("kill-random", faults.kill_random_worker, SHARE),
    Row("kill-supervisor", faults.kill_supervisor, SHARE),
    Row("hang", faults.hang_worker),
    Row("pause", faults.pause_worker, 0),
)
SEALED = Setup(faults.keys_file, keys=",".join(faults.KEYS))
ROWS = (
    *KILLS,
    Row("restart-one", faults.restart_one, 0),
    # Nobody can answer for ten seconds.
    Row("restart-all", faults.restart_all, seconds=25),
    Row("reload", faults.reload, 0, SEALED),
    Row("rotate-keys", faults.rotate_keys, 0, SEALED),
    Row("garbage-keys", faults.replace_keys_by_garbage, 0, SEALED),
    Row("renew-certificates", faults.renew_certificates, 0, Setup(tls=True)),
    Row(
        "log-unread",
        faults.keep_log_unread,
        0,
        Setup(lambda _: {"log_calls": "true"}, log="unread"),
    ),
    Row("descriptors", faults.exhaust_descriptors),
    Row("clock", faults.jump_clock, setup=Setup(variables=faults.wrong_clock)),
    *(
        replace(row, name=f"{row.name}-{proxy}", proxy=proxy)
        for proxy in PROXIES
        for row in (
            *KILLS,
            # Every connection of callers is closed.
            Row("restart-proxy", faults.restart_proxy),
        )
    ),
)
