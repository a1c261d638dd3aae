"""`--server` with TLS, certificates and keys."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from tablier_cli import main

from tests.certificates import Authority
from tests.live_server import LiveServer, running


def run(*arguments: str, status: int = 0, **environment: str) -> str:
    token = environment.pop("token", None)
    result = CliRunner().invoke(main, arguments, token, {"LC_ALL": "C", **environment})
    assert result.exit_code == status, result.output
    return result.stderr if status else result.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("secured")


@pytest.fixture(scope="module")
def authority(folder: Path) -> Authority:
    return Authority(folder)


@pytest.fixture(scope="module")
def secured(folder: Path, authority: Authority) -> Iterator[LiveServer]:
    """A server with TLS and API keys; the file `key` has a key."""
    callers = folder / "callers.toml"
    (folder / "key").write_text(
        run("keys", "new", "ann", "--role", "host", "--add-to", str(callers))
    )
    certificate, key = authority.sign("server")
    with running(tls_cert_file=certificate, tls_key_file=key, callers_file=callers) as server:
        yield server


def test_uses_an_authority_and_a_key_in_a_file(
    secured: LiveServer, authority: Authority, folder: Path
) -> None:
    flags = ("--server", secured.grpc_address, "--ca-file", str(authority.file))
    token = run("start", "contract", "--seed", "7", *flags, "--api-key-file", str(folder / "key"))
    assert token == run("start", "contract", "--seed", "7")
    key = (folder / "key").read_text().strip()
    assert run("start", "contract", "--seed", "7", *flags, TABLIER_API_KEY=key) == token
    assert "requires an API key" in run("start", "contract", *flags, status=1)
    # The role `host` may not see what the referee sees, and making moves needs no more than a seat.
    apply = ("apply", "on 2", *flags, "--api-key-file", str(folder / "key"))
    assert run(*apply, token=token) == run("apply", "on 2", token=token)
    words = json.loads(run(*apply, "--json", token=token))["moves"][0]["words"]
    assert words.startswith("Seat ")
    assert "requires the role" in run(*apply, "--viewer", "-1", status=2, token=token)


def test_says_that_the_server_uses_tls(secured: LiveServer) -> None:
    message = run("start", "contract", "--server", secured.grpc_address, status=1)
    assert "uses TLS, but this client uses plain text: pass --ca-file with" in message


def test_shows_a_certificate_of_its_own(folder: Path, authority: Authority) -> None:
    certificate, key = authority.sign("server2")
    mine, my_key = authority.sign("player")
    with running(
        tls_cert_file=certificate, tls_key_file=key, tls_client_ca_file=authority.file
    ) as server:
        flags = ("--server", server.grpc_address, "--ca-file", str(authority.file))
        own = ("--cert-file", str(mine), "--key-file", str(my_key))
        assert run("start", "contract", "--seed", "7", *flags, *own)
        run("start", "contract", "--seed", "7", *flags, status=1)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--insecure"], "need --server"),
        (["--server", "x:1", "--cert-file", __file__], "--cert-file and --key-file together"),
        (["--server", "x:1", "--insecure", "--ca-file", __file__], "--insecure does not go with"),
        (["--server", "x:1", "--ca-file", __file__], "--ca-file"),
        (["--server", "http://x"], "--server"),
        (["--server", "x:1", "--ca-file", "/none"], "--ca-file"),
    ],
)
def test_names_the_wrong_flag(flags: list[str], message: str) -> None:
    assert message in run("start", "contract", *flags, status=2)
