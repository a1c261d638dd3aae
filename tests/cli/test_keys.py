"""The command `tablier keys new`."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from tablier_cli import main
from tablier_service.observability.metrics import Metrics
from tablier_service.security.authentication import Authentication


def test_the_printed_entry_authenticates_the_new_key():
    result = CliRunner().invoke(
        main, ["keys", "new", "lobby", "--role", "host", "--role", "player"]
    )
    assert result.exit_code == 0
    key, _, entry = result.output.partition("\n")
    assert key not in entry
    assert len(key) > 40
    authentication = Authentication(Metrics())
    authentication.read_callers(entry.encode())
    caller = authentication.identify(f"Bearer {key}".encode())
    assert caller.name == "lobby"
    assert caller.roles == {"host", "player"}
    again = CliRunner().invoke(main, ["keys", "new", "lobby", "--role", "host"])
    assert again.output.partition("\n")[0] != key


@pytest.mark.parametrize("name", ["", "two words", 'quo"te', "line\nbreak", "x" * 65])
def test_rejects_an_invalid_caller_name(name: str):
    result = CliRunner().invoke(main, ["keys", "new", "--role", "host", "--", name])
    assert result.exit_code == 2
    assert "Invalid value for NAME" in result.output
    assert "tablier_" not in result.output


def test_rejects_a_missing_or_unknown_role():
    for arguments in (["lobby"], ["lobby", "--role", "king"]):
        assert CliRunner().invoke(main, ["keys", "new", *arguments]).exit_code == 2
