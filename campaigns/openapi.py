"""The REST API does what its OpenAPI document says: `make openapi CASES=5000`.

Schemathesis reads the document from a running server and sends at least CASES requests, valid and
invalid. The run fails if an answer is a 5xx or is not described by the document.
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
# Excluded checks: a schema cannot say which strings are valid tokens, so data that matches it may
# still be rejected; and ProtoJSON accepts more than the document describes, which openapi_checks
# verifies instead.
UNSOUND = "positive_data_acceptance,negative_data_rejection"


def run(max_examples: int, *operations: str) -> tuple[int, str]:
    """Fuzz all operations, or the named ones, with `max_examples` random requests each.

    Returns the number of requests, systematic ones included, and the failures as text.
    """
    # Short searches: their answers have the same form as those of long ones.
    server = start_server(TABLIER_MAX_SEARCH_SECONDS="0.2", TABLIER_LOG_LEVEL="error")
    # Schemathesis writes files to its working directory.
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
    """Send at least `wanted` requests; returns the exit status."""
    cases, found = run(wanted // 10)
    sys.stdout.write(found or f"{cases} requests, no failures\n")
    return 1 if found or cases < wanted else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
