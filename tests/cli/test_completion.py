"""What shells offer after Tab."""

from __future__ import annotations

import pytest
from click.shell_completion import ShellComplete
from tablier_cli import main
from tablier_core.registry import GAMES


def completed(*words: str) -> list[str]:
    """What completes the last word of a command line."""
    *done, incomplete = words
    shell = ShellComplete(main, {}, "tablier", "_TABLIER_COMPLETE")
    return [item.value for item in shell.get_completions(done, incomplete)]


@pytest.mark.parametrize("command", ["play", "start", "rules", "games", "match", "perft"])
def test_completes_names_of_games(command: str) -> None:
    found = [name for name in completed(command, "contr") if name != "contr"]
    assert found == [name for name in sorted(GAMES) if name.startswith("contr")]


def test_completes_commands_and_flags() -> None:
    assert completed("st") == ["start"]
    assert "--server" in completed("play", "--se")


def test_completes_options_and_their_values() -> None:
    assert completed("play", "contract", "-o", "s") == ["seats="]
    assert completed("play", "contract", "-o", "seats=") == [f"seats={n}" for n in (2, 3, 4, 5)]
    assert completed("start", "contigo-alignment", "-o", "advanced=t") == ["advanced=true"]
    assert set(completed("play", "contigo-alignment", "-o", "first=")) >= {"first=random"}
    assert completed("play", "chess", "-o", "s") == []
    assert completed("play", "contract", "-o", "mafiosi=") == []


def test_completes_levels_and_languages() -> None:
    assert completed("play", "contract", "--level", "1") == ["1", "10"]
    assert completed("play", "contract", "--level", "r") == ["random"]
    assert completed("suggest", "contract", "--level", "") == [str(n) for n in range(1, 11)]
    assert completed("rules", "contract", "--language", "") == ["en", "fr"]


def test_a_state_can_be_a_file() -> None:
    shell = ShellComplete(main, {}, "tablier", "_TABLIER_COMPLETE")
    assert "file" in {item.type for item in shell.get_completions(["show"], "con")}
