"""The alert rules are valid and fire when they should, and Prometheus scrapes a secured service.

`make alerts` runs this with `promtool` and `prometheus` on the path: promtool checks the rules and
runs their tests, and then docs/walkthrough.md is executed completely.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from tests.deploy.walkthrough import beginning, commands
from tests.live_server import ROOT

FOLDER = ROOT / "deploy" / "prometheus"


def main() -> None:
    """Check everything; the first failure ends the program with a traceback."""
    subprocess.run(["promtool", "check", "rules", FOLDER / "alerts.yaml"], check=True)
    subprocess.run(["promtool", "test", "rules", FOLDER / "alerts_test.yaml"], check=True)
    with tempfile.TemporaryDirectory() as folder, beginning(Path(folder)) as started:
        for block in commands():
            started.run(block)


if __name__ == "__main__":
    main()
