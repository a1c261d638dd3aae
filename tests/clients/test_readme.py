"""The examples in the READMEs run as printed, with a real server."""

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PRINTED_ADDRESS = "127.0.0.1:50051"


def run_session(source: str, names: dict[str, object], where: str) -> None:
    """Run a block of `>>>` lines and compare its output with the printed one."""
    report: list[str] = []
    session = doctest.DocTestParser().get_doctest(source, names, where, where, 0)
    runner = doctest.DocTestRunner()
    runner.run(session, out=report.append, clear_globs=False)
    # doctest works on a copy of the names, but later blocks need those of earlier ones.
    names.update(session.globs)
    assert runner.failures == 0, "".join(report)


@pytest.mark.parametrize("readme", ["README.md", "clients/python/README.md"])
def test_examples_run(readme: str, address: str) -> None:
    blocks = BLOCK.findall((ROOT / readme).read_text())
    assert blocks
    assert any(PRINTED_ADDRESS in block for block in blocks)
    names: dict[str, object] = {}
    for number, block in enumerate(blocks):
        source = block.replace(PRINTED_ADDRESS, address)
        where = f"{readme} block {number + 1}"
        if source.startswith(">>>"):
            run_session(source, names, where)
        else:
            exec(compile(source, where, "exec"), names)


def test_detects_a_wrong_printed_result() -> None:
    with pytest.raises(AssertionError, match="Expected"):
        run_session(">>> 1 + 1\n3\n", {}, "here")


def test_the_play_loop_takes_less_than_ten_lines() -> None:
    loop = BLOCK.findall((ROOT / "clients/python/README.md").read_text())[0]
    assert "while not state.over" in loop
    assert len([line for line in loop.splitlines() if line]) < 10
