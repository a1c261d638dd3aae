"""A run: a server, a steady load whose every answer is checked, and a search for the knee."""

from __future__ import annotations

import base64
import json
import os
import platform
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bench.record import commit, machine
from bench.served import served
from campaigns.attacks.processes import SERVICES, on_core
from loadtests.arrivals import Schedule
from loadtests.generator import Generators, Phase, Plan
from loadtests.knee import BUSY_MACHINE, Knee, Step, find_knee
from loadtests.objectives import Check, Objectives, Verdict, verdict_on
from loadtests.outcomes import Tally
from loadtests.transports import Address
from loadtests.watch import Sample, Watch

ROOT = Path(__file__).parents[1]
WARM_UP_SECONDS = 2.0
STEP_SECONDS = 3.0
# In the search for the knee, one answer in so many is checked.
CHECKED_IN_STEPS = 50
# At most so many windows in which latencies are counted apart.
WINDOWS = 60
# Options that no report contains.
SECRET = ("key", "seal_keys")
PACKAGES = ("grpcio", "protobuf", "uvloop", "uvicorn", "hdrhistogram")


@dataclass(frozen=True)
class Options:
    """What is run."""

    scenario: str = "mixed"
    seconds: float = 60.0
    shape: str = "steady"
    poisson: bool = True
    # Requests per second; 0 for that of the objectives.
    rate: float = 0.0
    transports: tuple[str, ...] = ("grpc", "rest")
    generators: int = 1
    # Steps of the search for the knee; 0 for none.
    steps: int = 8
    sealed: bool = False
    # A service that runs already: `HOST:GRPC_PORT,http://HOST:HTTP_PORT`.
    host: str = ""
    key: str = ""
    authority: Path | None = None
    # The seal keys of a service that runs already.
    seal_keys: str = ""
    requests: int = 2000
    seed: int = 1

    @property
    def steady_seconds(self) -> float:
        """How long the load with every answer checked lasts, if all is to take `seconds`."""
        return max(1.0, self.seconds - WARM_UP_SECONDS - self.steps * STEP_SECONDS)


@dataclass
class Result:
    """Everything that a run has shown. It is kept as JSON."""

    options: dict[str, Any]
    verdict: str
    checks: list[Check]
    limited: list[str]
    tally: Tally
    cpu_seconds: float
    samples: list[Sample]
    knee: Knee
    facts: dict[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """All of it, for a file."""
        return {
            "verdict": self.verdict,
            "checks": [{**check._asdict(), "held": check.held} for check in self.checks],
            "limited": self.limited,
            "facts": self.facts,
            "options": self.options,
            "knee": str(self.knee),
            "steps": [asdict(step) for step in self.knee.steps],
            "cpu_seconds": self.cpu_seconds,
            "samples": [sample._asdict() for sample in self.samples],
            "tally": self.tally.as_json(),
        }

    @classmethod
    def read(cls, file: Path) -> Result:
        """Read what `as_json` wrote."""
        data = json.loads(file.read_text())
        checks = [Check(*(check[name] for name in Check._fields)) for check in data["checks"]]
        return cls(
            options=data["options"],
            verdict=data["verdict"],
            checks=checks,
            limited=data["limited"],
            tally=Tally.from_json(data["tally"]),
            cpu_seconds=data["cpu_seconds"],
            samples=[Sample(**sample) for sample in data["samples"]],
            knee=Knee.from_json(data["steps"]),
            facts=data["facts"],
        )


@dataclass
class Target:
    """A service under load; its process is unknown if it runs elsewhere."""

    address: Address
    process: int | None
    seal_keys: str = ""


def new_keys() -> str:
    """A new seal key, as in the settings."""
    return f"1:{base64.b64encode(os.urandom(32)).decode()}"


@contextmanager
def target_of(options: Options) -> Iterator[Target]:
    """The service that is loaded: one that runs already, or a new one on a core of its own."""
    if options.host:
        grpc, _, rest = options.host.partition(",")
        address = Address(grpc, rest, options.key, options.authority)
        yield Target(address, None, options.seal_keys)
        return
    keys = new_keys() if options.sealed else ""
    settings = {"seal_keys": keys} if keys else {}
    with ExitStack() as stack:
        with on_core(SERVICES):
            service = stack.enter_context(served(**settings))
        yield Target(Address(service.grpc, service.rest), service.process, keys)


class Load:
    """The generators and the watch of one run."""

    def __init__(self, options: Options, target: Target, generators: Generators) -> None:
        self.options = options
        self.target = target
        self.generators = generators
        self.objectives = Objectives(options.scenario)

    def phase(self, rate: float, seconds: float, *, every: int, shape: str = "steady") -> Phase:
        """A phase of this run."""
        schedule = Schedule(rate, seconds, shape, self.options.poisson, seed=self.options.seed)
        window = max(1.0, seconds / WINDOWS)
        return Phase(schedule, every, self.objectives.late_seconds, window)

    def watch(self, seconds: float) -> Watch:
        """What watches the server of this run."""
        address = self.target.address
        processes = self.generators.processes
        return Watch(self.target.process, processes, address.rest, address.tls(), seconds)

    def steady(self) -> tuple[Tally, float, list[Sample]]:
        """The load at the scenario's rate, and the CPU seconds and samples of the server."""
        rate, seconds = self.options.rate or self.objectives.rate, self.options.steady_seconds
        self.generators.run(self.phase(rate, WARM_UP_SECONDS, every=1))
        with self.watch(seconds) as watch:
            before = watch.server_seconds()
            tally = self.generators.run(
                self.phase(rate, seconds, every=1, shape=self.options.shape)
            )
            spent = watch.server_seconds() - before
        return tally, spent, watch.samples

    def step(self, rate: float) -> Step:
        """One step of the search for the knee."""
        with self.watch(STEP_SECONDS) as watch:
            before = watch.server_seconds()
            tally = self.generators.run(self.phase(rate, STEP_SECONDS, every=CHECKED_IN_STEPS))
            spent = watch.server_seconds() - before
        step = Step.of(rate, tally, self.objectives, spent)
        if not step.held and self.objectives.disturbed(watch.samples):
            step.limited.append(BUSY_MACHINE)
        return step


def run(options: Options, tell: Callable[[str], object] = lambda _: None) -> Result:
    """Run a load test; `tell` is called with what happens next."""
    with target_of(options) as target:
        plan = Plan(
            target.address,
            options.scenario,
            options.transports,
            target.seal_keys,
            options.requests,
            options.seed,
        )
        tell("preparing requests and their right answers")
        with Generators(plan, options.generators) as generators:
            load = Load(options, target, generators)
            first = options.rate or load.objectives.rate
            tell(f"{options.shape} load, {first:g} requests per second, every answer checked")
            tally, spent, samples = load.steady()
            knee = Knee()
            if options.steps:
                tell("looking for the knee")
                knee = find_knee(load.step, first * 1.5, options.steps)
    objectives = load.objectives
    checks = objectives.checks(tally, spent, samples)
    checks += [
        Check(f"wrong at {step.rate:,.0f} per second", step.wrong, 0, always=True)
        for step in knee.steps
        if step.wrong
    ]
    limited = objectives.limited(tally)
    return Result(
        options={name: str(value) for name, value in asdict(options).items() if name not in SECRET},
        verdict=verdict_on(checks, limited, objectives.disturbed(samples)),
        checks=checks,
        limited=limited,
        tally=tally,
        cpu_seconds=spent,
        samples=samples,
        knee=knee,
        facts=facts(samples),
    )


def facts(samples: list[Sample]) -> dict[str, str]:
    """Where, when and with what a run was made."""
    background = sum(sample.other_cores for sample in samples) / max(1, len(samples))
    tablier = (ROOT / "VERSION").read_text().strip()
    return {
        "machine": machine(),
        "system": f"{platform.system()} {platform.release()}",
        "background load": f"{background:.2f} cores on average, by other processes",
        "load average": " ".join(f"{each:.2f}" for each in os.getloadavg()),
        "time": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "tablier": f"{tablier} ({commit()})",
        "packages": ", ".join(f"{name} {version(name)}" for name in PACKAGES),
        "command": shlex.join(["python", "-m", "loadtests", *without_key(sys.argv[1:])]),
    }


def without_key(arguments: Sequence[str]) -> list[str]:
    """A command line without the API key in it."""
    hidden = [
        "…" if before == "--api-key" else argument
        for before, argument in zip(("", *arguments), arguments, strict=False)
    ]
    return [re.sub("^--api-key=.*", "--api-key=…", argument) for argument in hidden]


def exit_code(result: Result) -> int:
    """What the command exits with."""
    return Verdict(result.verdict).exit_code
