"""The commands `tablier keys new` and `tablier keys seal`."""

from __future__ import annotations

import base64
import stat
from pathlib import Path

import pytest
from click.testing import CliRunner
from pydantic import SecretStr
from tablier_cli import main
from tablier_service.observability.metrics import Metrics
from tablier_service.security.authentication import Authentication
from tablier_service.security.sealing import read_keys
from tablier_service.settings import Settings


def run(*arguments: str, status: int = 0) -> str:
    """Run `tablier keys` and return its output, or its standard error if it must fail."""
    result = CliRunner().invoke(main, ["keys", *arguments])
    assert result.exit_code == status, result.output
    return result.stderr if status else result.stdout


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


def test_adds_the_entry_of_a_new_key_to_the_callers_file(tmp_path: Path):
    file = tmp_path / "callers.toml"
    keys = {}
    for name in ("lobby", "watcher"):
        keys[name] = run("new", name, "--role", "host", "--add-to", str(file)).removesuffix("\n")
        # An editor may leave no line break at the end.
        file.write_text(file.read_text().rstrip("\n"))
    authentication = Authentication(Metrics())
    authentication.read_callers(file.read_bytes())
    for name, key in keys.items():
        assert authentication.identify(key.encode()).name == name
        assert key not in file.read_text()


def test_leaves_a_callers_file_that_cannot_be_used(tmp_path: Path):
    file = tmp_path / "callers.toml"
    run("new", "lobby", "--role", "host", "--add-to", str(file))
    before = file.read_text()
    said = run("new", "lobby", "--role", "host", "--add-to", str(file), status=1)
    assert "there are two callers named lobby" in said
    assert file.read_text() == before
    run("new", "lobby", "--role", "host", "--add-to", str(tmp_path / "no" / "file"), status=1)


def test_prints_a_new_seal_key():
    first, second = (read_keys(run("seal")) for _ in range(2))
    assert list(first) == list(second) == [1]
    assert first != second
    assert Settings(seal_keys=SecretStr(run("seal"))).sealed


def test_adds_seal_keys_as_last_lines_with_free_numbers(tmp_path: Path):
    """The first key keeps sealing: that is step 1 of a rotation."""
    file = tmp_path / "seal-keys"
    said = run("seal", "--add-to", str(file))
    assert "added key 1, which seals tokens" in said
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    (first,) = read_keys(file.read_text()).values()
    assert base64.b64encode(first).decode() not in said
    file.write_text(f"# of this year\n{file.read_text()}255:{base64.b64encode(bytes(32)).decode()}")
    assert "added key 0, which opens tokens" in run("seal", "--add-to", str(file))
    assert list(read_keys(file.read_text())) == [1, 255, 0]
    assert read_keys(file.read_text())[1] == first


def test_leaves_a_file_of_seal_keys_that_cannot_be_used(tmp_path: Path):
    file = tmp_path / "seal-keys"
    file.write_text("not a key\n")
    assert "seal-keys cannot be used" in run("seal", "--add-to", str(file), status=1)
    assert file.read_text() == "not a key\n"
    key = base64.b64encode(bytes(32)).decode()
    file.write_text("".join(f"{number}:{key}\n" for number in range(256)))
    assert "remove old ones" in run("seal", "--add-to", str(file), status=1)
