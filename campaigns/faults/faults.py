"""The faults. Each is brought about, and repaired if it does not pass by itself."""

from __future__ import annotations

import asyncio
import os
import random
import resource
import shutil
import signal
import ssl
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from time import monotonic

from tablier_client import AsyncClient, TablierError

from campaigns.faults.ground import (
    DRAIN_DELAY_SECONDS,
    GRPC_PORTS,
    RELOAD_SECONDS,
    WATCHDOG_SECONDS,
    Ground,
    Service,
    install_certificate,
)
from campaigns.faults.load import TIMEOUT_SECONDS
from tests.live_server import wait_until

# What a fault did, in words. It raises AssertionError if the service did not do what it should.
Fault = Callable[[Ground, int], Awaitable[str]]

# Shorter than the watchdog allows; longer than any pause of a machine that is only busy.
PAUSE_SECONDS = 2
# How long services that are restarted are away, and how long they need to start.
AWAY_SECONDS, START_SECONDS = 10, 1
# How long there are no file descriptors, and the clock is wrong.
WITHOUT_SECONDS = 3
# How much later than `watchdog_seconds` a worker that hangs has been replaced: a second until it is
# killed, and the time that another needs to start.
REPLACEMENT_SECONDS = 4


def one_of(ground: Ground, number: int) -> Service:
    """The services take turns."""
    return ground.services[number % len(ground.services)]


async def replaced(service: Service, victim: int, begun: float) -> str:
    """Wait for the replacement of a worker; returns how long it took."""
    await asyncio.to_thread(service.wait_for_workers, {victim})
    return f"replaced after {monotonic() - begun:.1f} s"


async def kill_busiest_worker(ground: Ground, number: int) -> str:
    service, begun = one_of(ground, number), monotonic()
    victim = service.busiest()
    os.kill(victim, signal.SIGKILL)
    return await replaced(service, victim, begun)


async def kill_random_worker(ground: Ground, number: int) -> str:
    chance, begun = random.Random(number), monotonic()
    service = chance.choice(ground.services)
    victim = chance.choice(sorted(service.workers))
    os.kill(victim, signal.SIGKILL)
    return await replaced(service, victim, begun)


async def kill_supervisor(ground: Ground, number: int) -> str:
    """Its workers end by themselves; a service manager then starts the service again."""
    service = one_of(ground, number)
    workers = service.workers
    os.kill(service.process, signal.SIGKILL)
    begun = monotonic()
    ended = partial(is_gone, workers)
    await asyncio.to_thread(wait_until, ended, "the workers end")
    seconds = monotonic() - begun
    service.end()
    await asyncio.to_thread(service.start)
    return f"its workers ended after {seconds:.1f} s"


def is_gone(processes: set[int]) -> bool:
    """Whether all processes have ended."""
    return not any(Path(f"/proc/{process}").exists() for process in processes)


async def hang_worker(ground: Ground, number: int) -> str:
    service, begun = one_of(ground, number), monotonic()
    victim = service.busiest()
    os.kill(victim, signal.SIGSTOP)
    words = await replaced(service, victim, begun)
    seconds = monotonic() - begun
    limit = WATCHDOG_SECONDS + REPLACEMENT_SECONDS
    assert seconds < limit, f"replaced only after {seconds:.1f} s"
    return words


async def pause_worker(ground: Ground, number: int) -> str:
    service = one_of(ground, number)
    victim, workers = service.busiest(), service.workers
    os.kill(victim, signal.SIGSTOP)
    await asyncio.sleep(PAUSE_SECONDS)
    os.kill(victim, signal.SIGCONT)
    assert service.workers == workers, "a worker was replaced"
    return f"paused for {PAUSE_SECONDS} s"


async def restart_one(ground: Ground, number: int) -> str:
    service = one_of(ground, number)
    begun = monotonic()
    assert await asyncio.to_thread(service.stop) == 0, "it did not stop in order"
    await asyncio.to_thread(service.start)
    return f"back after {monotonic() - begun:.1f} s"


async def restart_all(ground: Ground, _: int) -> str:
    begun = monotonic()
    codes = await asyncio.gather(*(asyncio.to_thread(service.stop) for service in ground.services))
    # Until their drain begins, services accept calls.
    stopped = monotonic()
    assert codes == [0, 0], "a service did not stop in order"
    await asyncio.sleep(AWAY_SECONDS - START_SECONDS)
    await asyncio.gather(*(asyncio.to_thread(service.start) for service in ground.services))
    away = monotonic() - stopped
    assert away < TIMEOUT_SECONDS - DRAIN_DELAY_SECONDS, f"away for {away:.0f} s: a slow machine"
    return f"stopped after {stopped - begun:.1f} s, then away for {away:.1f} s"


async def reload(ground: Ground, number: int) -> str:
    service = one_of(ground, number)
    processes = service.workers | {service.process}
    for _ in range(3):
        os.kill(service.process, signal.SIGHUP)
        await asyncio.sleep(0.2)
    assert service.workers | {service.process} == processes, "a process ended"
    return "3 signals"


def replace_file(file: Path, content: str) -> None:
    """Replace a file as operators should: at once."""
    new = file.with_suffix(".new")
    new.write_text(content)
    new.rename(file)


async def rotate_keys(ground: Ground, _: int) -> str:
    """The steps of docs/operations.md: add the new key, use it; and here, back again."""
    file = ground.folder / "keys"
    old, new = KEYS
    for lines in ((old, new), (new, old), (old, new), (old,)):
        replace_file(file, "\n".join(lines))
        await asyncio.sleep(3 * RELOAD_SECONDS)
    # The tokens of the new key are still in use.
    replace_file(file, f"{old}\n{new}")
    return "new key added, used, and taken back"


async def replace_keys_by_garbage(ground: Ground, _: int) -> str:
    file = ground.folder / "keys"
    before = file.read_text()
    logs = [ground.folder / str(number) / "log" for number in range(len(ground.services))]
    lines = sum(log.read_text().count("file rejected") for log in logs)
    replace_file(file, "\0garbage")
    await asyncio.sleep(4 * RELOAD_SECONDS)
    lines = sum(log.read_text().count("file rejected") for log in logs) - lines
    replace_file(file, before)
    await asyncio.sleep(2 * RELOAD_SECONDS)
    workers = sum(len(service.workers) for service in ground.services)
    assert lines == workers, f"{lines} lines in the log of {workers} workers"
    return f"{lines} lines in the logs of {workers} workers"


async def renew_certificates(ground: Ground, _: int) -> str:
    assert ground.authority is not None

    def presented() -> set[str]:
        return {ssl.get_server_certificate(("127.0.0.1", port)) for port in GRPC_PORTS}

    before = await asyncio.to_thread(presented)
    install_certificate(ground.authority, ground.folder)
    begun = monotonic()
    while await asyncio.to_thread(presented) & before:
        assert monotonic() - begun < 5, "the old certificate is still used"
        await asyncio.sleep(0.1)
    return f"used after {monotonic() - begun:.1f} s"


async def exhaust_descriptors(ground: Ground, number: int) -> str:
    """Processes can open no more files or connections, while new clients connect."""
    service = one_of(ground, number)
    processes = service.workers | {service.process}
    limits = {pid: resource.prlimit(pid, resource.RLIMIT_NOFILE) for pid in processes}
    for pid, (_, hard) in limits.items():
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (files_of(pid), hard))
    address = f"127.0.0.1:{GRPC_PORTS[number % len(GRPC_PORTS)]}"
    refused = 0
    begun = monotonic()
    while monotonic() - begun < WITHOUT_SECONDS:
        refused += not await is_served(address, 0.5)
    for pid, limit in limits.items():
        resource.prlimit(pid, resource.RLIMIT_NOFILE, limit)
    begun = monotonic()
    while not await is_served(address, 1):
        assert monotonic() - begun < 5, "new connections are still not served"
    assert refused, "new connections were served all the time"
    assert service.workers | {service.process} == processes, "a process ended"
    return f"{refused} new clients were not served, {monotonic() - begun:.1f} s later all were"


def files_of(process: int) -> int:
    """How many files a process has open."""
    return sum(1 for _ in Path(f"/proc/{process}/fd").iterdir())


async def is_served(address: str, timeout: float) -> bool:
    """Whether a service answers a new client."""
    async with AsyncClient(address, timeout=timeout) as client:
        try:
            await client.game("contrast")
        except TablierError:
            return False
        return True


async def jump_clock(ground: Ground, _: int) -> str:
    for offset in ("+1h", "-1h", "+0"):
        replace_file(ground.folder / "clock", offset)
        await asyncio.sleep(WITHOUT_SECONDS)
    return "an hour ahead, then an hour behind"


async def keep_log_unread(_: Ground, __: int) -> str:
    """The services log every call to a pipe that nobody reads."""
    await asyncio.sleep(WITHOUT_SECONDS)
    return "nobody reads it"


async def restart_proxy(ground: Ground, _: int) -> str:
    begun = monotonic()
    await asyncio.to_thread(ground.end_proxy)
    ground.start_proxy()
    return f"restarted within {monotonic() - begun:.1f} s"


def key(number: int) -> str:
    """A seal key, in the form of the file."""
    return f"{number}:" + "ABCDEFGH"[number] * 43 + "="


KEYS = key(1), key(4)


def keys_file(folder: Path) -> dict[str, str]:
    """Settings for sealed tokens."""
    (folder / "keys").write_text(KEYS[0])
    return {"seal_keys_file": str(folder / "keys")}


def wrong_clock(folder: Path) -> dict[str, str]:
    """Variables with which libfaketime shifts the clock as a file says."""
    found = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
    if not found or shutil.which("faketime") is None:
        raise SystemExit("libfaketime is not installed: apt-get install faketime")
    (folder / "clock").write_text("+0")
    return {
        "LD_PRELOAD": str(found[0]),
        "FAKETIME_TIMESTAMP_FILE": str(folder / "clock"),
        "FAKETIME_NO_CACHE": "1",
        # Only the time of day is set; time that has passed has passed.
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
