"""Schemathesis against a server of its own, by the OpenAPI document that it serves.

`python -m campaigns.openapi 5000` makes at least so many requests, right and wrong, and fails if
one of them gets a 5xx or an answer that the document does not tell of.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.live_server import start_server

CHECKS = Path(__file__).with_name("openapi_checks.py")
# No schema can tell which strings are tokens, so data that fits it may still be refused; and
# ProtoJSON accepts more than the document tells of, for which there is a check of our own.
UNSOUND = "positive_data_acceptance,negative_data_rejection"


def run(max_examples: int, *operations: str) -> tuple[int, str]:
    """Fuzz all or some operations, each with so many requests beside the systematic ones; how many
    there were in all, and what was found."""
    # Searches that nobody waits for: what they answer is the same.
    server = start_server(TABLIER_MAX_SEARCH_SECONDS="0.2", TABLIER_LOG_LEVEL="error")
    # Where schemathesis may leave what it writes.
    folder = TemporaryDirectory()
    try:
        done = subprocess.run(
            [
                Path(sys.executable).with_name("schemathesis"),
                *("run", f"{server.rest_url}/openapi.json"),
                *("--checks", "all", "--exclude-checks", UNSOUND),
                *("--max-examples", str(max_examples)),
                *("--phases", "examples,coverage,fuzzing", "--generation-deterministic"),
                *(f"--include-operation-id={name}" for name in operations),
                *("--continue-on-failure", "--no-color"),
            ],
            cwd=folder.name,
            env={**os.environ, "SCHEMATHESIS_HOOKS": str(CHECKS)},
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        assert server.stop() == 0
        server.close()
        folder.cleanup()
    counted = re.search(r"([\d,]+) generated", done.stdout)
    cases = int(counted[1].replace(",", "")) if counted else 0
    return cases, "" if done.returncode == 0 else done.stdout + done.stderr


def main(wanted: int) -> int:
    """Fuzz with at least as many requests as wanted; systematic ones come on top."""
    cases, found = run(wanted // 10)
    sys.stdout.write(found or f"{cases} requests, nothing found\n")
    return 1 if found or cases < wanted else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
