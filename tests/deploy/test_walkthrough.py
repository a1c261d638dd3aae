"""The walkthrough runs as printed, except for Prometheus itself, which `make alerts` runs."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from tests.deploy.shell import Block, blocks, shell
from tests.deploy.walkthrough import beginning, commands
from tests.live_server import TIMEOUT_SECONDS


def scrape(folder: Path) -> str:
    """Read metrics as Prometheus would with the configuration in a folder."""
    config: dict[str, Any] = yaml.safe_load((folder / "prometheus.yml").read_text())
    assert all((folder / rules).exists() for rules in config["rule_files"])
    (job,) = config["scrape_configs"]
    assert job["job_name"] == "tablier"
    (target,) = job["static_configs"][0]["targets"]
    key = (folder / job["authorization"]["credentials_file"]).read_text().strip()
    answer = httpx.get(
        f"{job['scheme']}://{target}/metrics",
        headers={"authorization": f"Bearer {key}"},
        verify=ssl.create_default_context(cafile=folder / job["tls_config"]["ca_file"]),
        timeout=TIMEOUT_SECONDS,
    )
    answer.raise_for_status()
    return answer.text


def test_every_command_works(tmp_path: Path) -> None:
    *most, last = [block for block in commands() if not block.needs]
    assert len(most) > 8
    with beginning(tmp_path) as started:
        for block in most:
            started.run(block)
        assert "tablier_workers_serving 1.0" in scrape(tmp_path / "work" / "secured")
        started.run(last)


def test_only_prometheus_is_left_out() -> None:
    assert [block.needs for block in commands() if block.needs] == ["prometheus"]


PAGE = """
```bash
echo one
```

```text
o...e
```

<!-- needs nothing -->
```bash
echo two
```

Some words.

```text
three
```
"""


def test_reads_commands_and_their_output() -> None:
    assert blocks(PAGE) == [
        Block("echo one\n", "o...e\n", ""),
        Block("echo two\n", None, "nothing"),
    ]


@pytest.mark.parametrize(
    ("block", "fault"),
    [
        (Block("echo two\n", "one\n", ""), "Expected:\n +one\n"),
        (Block("false\n", None, ""), "this failed"),
        (Block("echo $missing\n", None, ""), "missing: unbound variable"),
    ],
)
def test_finds_commands_that_fail(tmp_path: Path, block: Block, fault: str) -> None:
    with shell(tmp_path, tmp_path) as started, pytest.raises(AssertionError, match=fault):
        started.run(block)


def test_blocks_share_one_shell(tmp_path: Path) -> None:
    with shell(tmp_path, tmp_path) as started:
        started.run(Block("word=hello\n", None, ""))
        started.run(Block("echo $word\n", "hello\n", ""))
