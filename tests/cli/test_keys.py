"""`tablier keys new`: the key is shown once, and the entry lets its holder in."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from tablier_cli import main
from tablier_service.gate import Gate
from tablier_service.metrics import Metrics


def test_a_new_key_opens_the_gate_with_the_entry_that_is_printed():
    result = CliRunner().invoke(
        main, ["keys", "new", "lobby", "--role", "host", "--role", "player"]
    )
    assert result.exit_code == 0
    key, _, entry = result.output.partition("\n")
    assert key not in entry
    assert len(key) > 40
    gate = Gate(Metrics())
    gate.read_callers(entry.encode())
    caller = gate.find(f"Bearer {key}".encode())
    assert caller.name == "lobby"
    assert caller.roles == {"host", "player"}
    again = CliRunner().invoke(main, ["keys", "new", "lobby", "--role", "host"])
    assert again.output.partition("\n")[0] != key


@pytest.mark.parametrize("name", ["", "two words", 'quo"te', "line\nbreak", "x" * 65])
def test_a_name_that_no_file_could_have_gets_no_key(name: str):
    result = CliRunner().invoke(main, ["keys", "new", "--role", "host", "--", name])
    assert result.exit_code == 2
    assert "Invalid value for NAME" in result.output
    assert "tablier_" not in result.output


def test_a_key_needs_a_role_that_exists():
    for arguments in (["lobby"], ["lobby", "--role", "king"]):
        assert CliRunner().invoke(main, ["keys", "new", *arguments]).exit_code == 2
