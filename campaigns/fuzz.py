"""Coverage-guided fuzzing of every registered game: `make fuzz SECONDS=60`.

libFuzzer (from atheris) mutates packed states and keeps those that reach new code in the game's
rules. Every state that `unpack` accepts must satisfy every law: its bytes are canonical, its moves
can be listed and applied, and so on. A failure stops the run; its input is saved in
build/fuzz/findings.
"""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
import sys
import time
import zlib
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from tablier_core.registry import GAMES
from tablier_core.testing.guards import check_packed

from campaigns.totals import Totals
from tests.core import laws
from tests.core.variants import VARIANTS

BUILD = Path(__file__).parent.parent / "build" / "fuzz"
FINDINGS = BUILD / "findings"
MAX_PACKED = 2048
# Most inputs are played on for only a move or two, to save time; one in SELDOM goes further.
FEW_MOVES, MANY_MOVES, SELDOM = 2, 40, 64


def check(name: str, data: bytes) -> None:
    """Check the laws on one input; depends on the bytes alone, so that failures are repeatable."""
    seed = zlib.crc32(data)
    limit = FEW_MOVES if seed % SELDOM else MANY_MOVES
    check_packed(GAMES[name], data, seed, limit, stride=32)


def write_corpus(name: str) -> Path:
    """Write valid states of every variant, as the fuzzer's starting corpus."""
    folder = BUILD / "corpus" / name
    folder.mkdir(parents=True, exist_ok=True)
    for number, options in enumerate(VARIANTS[name]):
        for position in laws.sample(GAMES[name], options, number, count=40):
            data = position.pack()
            (folder / f"{zlib.crc32(data):08x}").write_bytes(data)
    return folder


def fuzz_here(name: str, seconds: int) -> None:
    """Fuzz one game in this process, which must have libFuzzer preloaded; does not return."""
    import atheris

    ctypes.CDLL(None).tablier_offer_counters()
    arguments = [
        name,
        f"-max_total_time={seconds}",
        f"-max_len={MAX_PACKED}",
        f"-artifact_prefix={FINDINGS / name}-",
        "-use_value_profile=1",
        "-print_final_stats=1",
        str(BUILD / "corpus" / name),
    ]
    atheris.Setup(arguments, lambda data: check(name, data), enable_python_coverage=False)
    atheris.Fuzz()


def fuzz(name: str, seconds: int, progress: Progress) -> str:
    """Fuzz one game in a separate process and return libFuzzer's output."""
    write_corpus(name)
    atheris = find_spec("atheris")
    assert atheris is not None
    assert atheris.origin is not None
    library = Path(atheris.origin).parent.parent / "ubsan_with_fuzzer.so"
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(BUILD), os.environ.get("PYTHONPATH", "")]),
        # The counters must be loaded first: libFuzzer has an empty function of the same name.
        "LD_PRELOAD": f"{BUILD / 'coverage.so'} {library}",
    }
    command = [sys.executable, "-m", "campaigns.fuzz", str(seconds), name]
    task = progress.add_task(name, total=seconds)
    begun = time.monotonic()
    log = BUILD / f"{name}.log"
    with log.open("w") as out, subprocess.Popen(command, env=environment, stderr=out) as process:
        while process.poll() is None:
            progress.update(task, completed=min(seconds, time.monotonic() - begun))
            try:
                process.wait(timeout=0.5)
            except subprocess.TimeoutExpired:
                continue
    output = log.read_text(errors="replace")
    if process.returncode:
        progress.stop()
        raise SystemExit(f"{output[-4000:]}\n{name}: broken law; the input is in {FINDINGS}")
    progress.update(task, completed=seconds)
    return output


def main() -> None:
    seconds, names = int(sys.argv[1]), sys.argv[2:]
    if "LD_PRELOAD" in os.environ:
        fuzz_here(names[0], seconds)
    FINDINGS.mkdir(parents=True, exist_ok=True)
    totals = Totals()
    table = Table("game", "executions so far", "executions", "per second", "code reached", "corpus")
    with Progress(console=Console(stderr=True)) as progress:
        for name in names or GAMES:
            output = fuzz(name, seconds, progress)
            runs = int(re.findall(r"number_of_executed_units: (\d+)", output)[-1])
            reached, corpus = re.findall(r"cov: (\d+) .*corp: (\d+)/", output)[-1]
            kind = f"states of {name}, coverage build"
            totals.add(kind, runs)
            table.add_row(
                name,
                f"{totals.counts[kind]:,}",
                f"{runs:,}",
                f"{runs // seconds:,}",
                reached,
                corpus,
            )
    Console().print(table)


if __name__ == "__main__":
    main()
