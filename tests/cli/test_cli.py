"""`tablier games`, `perft`, `playouts` and `serve`: their output and their errors."""

import base64
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from tablier_cli import main
from tablier_core.registry import GAMES
from tablier_core.testing.perft import perft
from tablier_core.testing.playouts import playouts
from tablier_service.settings import Settings

ROOT = Path(__file__).parents[2]
GAME = "contigo-alignment"
SECRET = base64.b64encode(bytes(range(32))).decode()


def run(*arguments: str, status: int = 0, **environment: str) -> str:
    """Run a command and return its output, or its standard error if it must fail."""
    result = CliRunner().invoke(main, arguments, env={"COLUMNS": "200", **environment})
    assert result.exit_code == status, result.output
    return result.stderr if status else result.stdout


def test_help_loads_no_heavy_module() -> None:
    code = (
        "import sys; from tablier_cli import main\n"
        "main(['--help'], standalone_mode=False)\n"
        "heavy = {'grpc', 'google.protobuf', 'pydantic', 'rich', 'tablier_core'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert all(name in done.stdout for name in ("serve", "games", "perft", "playouts", "play"))


def test_games_lists_every_game() -> None:
    lines = run("games").splitlines()
    for name, game in GAMES.items():
        row = next(line for line in lines if f" {name} " in line)
        assert game.title in row
        assert game.french_title in row


@pytest.mark.parametrize("name", GAMES)
def test_games_shows_the_details_of_a_game(name: str) -> None:
    text = run("games", name)
    game = GAMES[name]
    expected = [game.title, game.french_title, *game.options.properties]
    expected += [form for form, _ in game.notation]
    assert [word for word in expected if word not in text] == []


@pytest.mark.parametrize("name", GAMES)
def test_perft_prints_depth_nodes_and_seconds(name: str) -> None:
    rows = [line.split("\t") for line in run("perft", name, "--depth", "2").splitlines()]
    start = GAMES[name].start({}, 0)
    assert [(int(depth), int(nodes)) for depth, nodes, _ in rows] == [
        (depth, perft(start, depth)) for depth in (1, 2)
    ]
    assert all(float(seconds) >= 0 for _, _, seconds in rows)


def test_perft_takes_options_and_seed() -> None:
    count = run("perft", GAME, "--depth", "1", "--option", "first=0").split("\t")[1]
    assert count == "12"
    beads = ("-o", "first=1", "-o", f"beads={[5] * 28}", "-o", "advanced=true", "--seed", "4")
    count = run("perft", GAME, "--depth", "1", *beads).split("\t")[1]
    start = GAMES[GAME].start({"first": 1, "beads": [5] * 28, "advanced": True}, 4)
    assert int(count) == perft(start, 1) != 12


@pytest.mark.parametrize("name", GAMES)
def test_playouts_print_json(name: str) -> None:
    report = json.loads(run("playouts", name, "--games", "20", "--seed", "5"))
    tally = playouts(GAMES[name], {}, 5, 20)
    assert report["games"] == 20
    assert report["moves"] == tally["moves"]
    assert report["mean_length"] == tally["moves"] / 20
    assert (report["wins"], report["wins_by_seat"]) == (tally["wins"], tally["wins_by_seat"])
    assert (report["draws"], report["losses"]) == (tally["draws"], tally["losses"])
    assert report["unfinished"] == 0
    assert report["mean_returns"] == pytest.approx([total / 20 for total in tally["returns"]])
    assert report["games_per_second"] == pytest.approx(20 / report["seconds"], rel=0.1)
    assert report["moves_per_second"] == pytest.approx(tally["moves"] / report["seconds"], rel=0.1)


def test_counts_draws() -> None:
    # With a limit of one turn, nobody can get four in a line.
    report = json.loads(run("playouts", GAME, "--games", "3", "-o", "turn_limit=1"))
    assert (report["draws"], report["wins_by_seat"], report["mean_returns"]) == (3, [0, 0], [0, 0])
    assert report["options"] == {"turn_limit": 1}


def test_counts_draws_in_which_seats_are_already_out() -> None:
    flags = ("--games", "2000", "--seed", "1", "-o", "turn_limit=60")
    report = json.loads(run("playouts", "contigo-capture", *flags))
    assert report["wins"] == sum(report["wins_by_seat"]) == 899
    assert (report["draws"], report["losses"], report["unfinished"]) == (1101, 0, 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["perft", "chess", "--depth", "1"], f"unknown game 'chess'; choose from: .*{GAME}"),
        (["playouts", "chess", "--games", "1"], "unknown game 'chess'"),
        (["play", "chess"], "unknown game 'chess'"),
        (["games", "chess"], "unknown game 'chess'"),
        (["perft", GAME, "--depth", "1", "-o", "depth=1"], "--option depth: is unknown"),
        (["perft", GAME, "--depth", "1", "-o", "first=2"], "--option first: must be"),
        (["perft", GAME, "--depth", "1", "-o", "first"], "--option first: .*NAME=VALUE"),
        (
            ["perft", GAME, "--depth", "1", "-o", "first=0", "-o", "first=1"],
            "first: is given twice",
        ),
        (["playouts", GAME, "--games", "1", "-o", "advanced=maybe"], "--option advanced: must be"),
        (["play", GAME, "-o", "layout=R"], "--option layout"),
        (["play", GAME, "--seat", "2"], "--seat: .*2 seats"),
        (["perft", GAME, "--depth", "0"], "--depth"),
        (
            ["serve", "--log-format", "console", "--grpc-port", "x"],
            "--grpc-port .TABLIER_GRPC_PORT.: .*integer",
        ),
    ],
)
def test_names_the_wrong_argument_and_exits_with_2(arguments: Sequence[str], message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        raise AssertionError(run(*arguments, status=2))


def test_flags_override_environment_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Settings] = []
    monkeypatch.setattr("tablier_service.process.app.run", lambda got, logger: seen.append(got))
    run("serve", "--grpc-port=2222", TABLIER_GRPC_PORT="1111", TABLIER_HOST="127.0.0.2")
    assert [(settings.grpc_port, settings.host) for settings in seen] == [(2222, "127.0.0.2")]


def test_names_the_invalid_environment_variable() -> None:
    text = run("serve", "--log-format", "console", status=2, TABLIER_HTTP_PORT="99999")
    assert "--http-port (TABLIER_HTTP_PORT)" in text


def checked(*flags: str, status: int = 0, **environment: str) -> tuple[dict[str, str], str]:
    """What `serve --check` prints: the rest of the line of every setting, and the verdict."""
    result = CliRunner().invoke(
        main, ["serve", "--check", *flags], env={"COLUMNS": "200", **environment}
    )
    assert result.exit_code == status, result.output
    assert result.stderr == ""
    table, verdict = result.stdout.split("\n\n")
    rows = dict(line.split(maxsplit=1) for line in table.splitlines())
    return {name: " ".join(rest.split()) for name, rest in rows.items()}, verdict


def test_check_prints_every_setting_and_its_source() -> None:
    rows, verdict = checked(
        *("--grpc-port", "0002222", "--tokens", "plain"),
        TABLIER_GRPC_PORT="1111",
        tablier_workers="3",
        TABLIER_SEAL_KEYS=f"1:{SECRET}",
        TABLIER_OTLP_ENDPOINT="http://me:password@collector:4318/v1/traces",
    )
    assert list(rows) == ["setting", *Settings.model_fields]
    assert rows["grpc_port"] == "2222 --grpc-port"
    assert rows["workers"] == "3 tablier_workers"
    assert rows["http_port"] == "8080 default"
    assert rows["callers_file"] == "default"
    assert rows["seal_keys"] == "********** TABLIER_SEAL_KEYS"
    assert rows["otlp_endpoint"] == "http://…@collector:4318/v1/traces TABLIER_OTLP_ENDPOINT"
    assert verdict == "The service can start with these settings.\n"


def test_check_prints_invalid_settings_and_every_problem() -> None:
    rows, verdict = checked(
        *("--host", "0.0.0.0", "--http-port", "x"),
        status=2,
        TABLIER_SEAL_KEYS=f"1:{SECRET},1:{SECRET}",
        TABLIER_WORKER="2",
    )
    assert rows["http_port"] == "x --http-port"
    assert rows["seal_keys"] == "********** TABLIER_SEAL_KEYS"
    assert SECRET not in verdict
    for part in ("TABLIER_WORKER ", "--http-port", "TABLIER_SEAL_KEYS:", "TLS", "authentication"):
        assert f"{part}" in verdict


def test_check_loads_the_files(tmp_path: Path) -> None:
    file = tmp_path / "callers.toml"
    _, verdict = checked("--callers-file", str(file), status=2)
    assert f"{file} cannot be used" in verdict
    file.write_text("[[callers]]\nname = 1\n")
    _, verdict = checked("--callers-file", str(file), status=2)
    assert "callers.0.name" in verdict
    file.write_text("")
    checked("--callers-file", str(file))


def test_serve_has_a_flag_for_every_setting_but_the_keys() -> None:
    text = run("serve", "--help")
    for name in Settings.model_fields:
        assert (f"--{name.replace('_', '-')} " in text) == (name != "seal_keys")


@pytest.mark.parametrize("flag", [["--seal-keys", f"1:{SECRET}"], [f"--seal-keys=1:{SECRET}"]])
@pytest.mark.parametrize("check", [[], ["--check"]])
def test_rejects_keys_on_the_command_line(flag: list[str], check: list[str]) -> None:
    """Other users see them in the list of processes."""
    text = run("serve", *check, *flag, status=2)
    assert "--seal-keys-file" in text
    assert "TABLIER_SEAL_KEYS" in text
    assert SECRET not in text


def test_the_version_is_that_of_the_distribution() -> None:
    version = (ROOT / "VERSION").read_text().strip()
    assert run("--version") == f"tablier, version {version}\n"
