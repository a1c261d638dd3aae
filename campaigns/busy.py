"""Run the tests while other processes keep every core busy: `make busy`.

Tests must not depend on a quiet machine. The whole suite runs SUITES times, and the tests of the
service and of whole processes, where races would show, GROUPS times.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import click

RACY = ("tests/e2e", "tests/service", "tests/transports")


@contextmanager
def busy_cores() -> Iterator[None]:
    """Keep every core busy; the processes end with this one, whatever happens to it."""
    spin = "import os\nparent = os.getppid()\nwhile os.getppid() == parent:\n    sum(range(10**6))"
    spinners = [subprocess.Popen([sys.executable, "-c", spin]) for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for spinner in spinners:
            spinner.kill()
            spinner.wait()


def run_tests(*arguments: str) -> bool:
    """Run some tests; returns whether all passed."""
    begun = time.monotonic()
    code = subprocess.run([sys.executable, "-m", "pytest", *arguments], check=False).returncode
    click.echo(f"exit status {code} after {time.monotonic() - begun:.0f} s: {' '.join(arguments)}")
    return code == 0


@click.command()
@click.option("--suites", default=3, show_default=True, help="Runs of the whole suite.")
@click.option("--groups", default=10, show_default=True, help="Runs of the tests of the service.")
@click.argument("pytest_options", nargs=-1, type=click.UNPROCESSED)
def main(suites: int, groups: int, pytest_options: tuple[str, ...]) -> None:
    """Run the tests on a busy machine and report how many runs failed.

    PYTEST_OPTIONS, after "--", are given to every run.
    """
    with busy_cores():
        passed = [run_tests(*pytest_options, "tests") for _ in range(suites)]
        passed += [run_tests(*pytest_options, *RACY) for _ in range(groups)]
    click.echo(f"runs: {passed.count(True)} passed, {passed.count(False)} failed")
    sys.exit(not all(passed))


if __name__ == "__main__":
    main()
