"""Which clients are trusted once the authorities of client certificates have changed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tablier_service.security import tls
from tablier_service.security.tls import Certificates, is_signed

from tests.certificates import Authority


def chain_of(folder: Path, root: Authority, length: int) -> tuple[Authority, bytes]:
    """The last of some authorities below a root, each signed by the one before, and their chain."""
    last, chain = root, b""
    for number in range(length):
        last = Authority(folder, f"authority {number}", last)
        chain = last.file.read_bytes() + chain
    return last, chain


@pytest.mark.parametrize("length", [0, 1, 2])
def test_a_certificate_is_trusted_through_the_chain_that_comes_with_it(
    length: int, tmp_path: Path
) -> None:
    root, other = Authority(tmp_path, "root"), Authority(tmp_path, "other")
    last, between = chain_of(tmp_path, root, length)
    certificate = last.sign("client")[0].read_bytes()
    roots = other.file.read_bytes() + root.file.read_bytes()
    assert is_signed(certificate, certificate + between, roots)
    assert is_signed(certificate, b"", roots) == (length == 0)
    assert not is_signed(certificate, certificate + between, other.file.read_bytes())


def test_only_authorities_sign_others(tmp_path: Path) -> None:
    root = Authority(tmp_path, "root")
    client = Authority(tmp_path, "client", root, may_sign=False)
    forged, chain = client.sign("forged")[0].read_bytes(), client.file.read_bytes()
    assert is_signed(chain, b"", root.file.read_bytes())
    assert not is_signed(forged, forged + chain, root.file.read_bytes())


def test_a_long_chain_is_not_followed(tmp_path: Path) -> None:
    root = Authority(tmp_path, "root")
    last, chain = chain_of(tmp_path, root, tls.MAX_BETWEEN + 1)
    certificate = last.sign("client")[0].read_bytes()
    assert not is_signed(certificate, certificate + chain, root.file.read_bytes())


def test_another_connection_may_come_with_another_chain(tmp_path: Path) -> None:
    root = Authority(tmp_path, "root")
    last, chain = chain_of(tmp_path, root, 1)
    certificate = last.sign("client")[0].read_bytes()
    certificates = Certificates(*root.sign("server"), root.file)
    peer = {"x509_pem_cert": [certificate]}
    assert not certificates.trusts(peer)
    assert certificates.trusts({**peer, "x509_pem_cert_chain": [certificate + chain]})
    assert not certificates.trusts(peer)


RENEWED = """
import sys
from pathlib import Path
from tablier_service.security.tls import Certificates

certificate, key, authorities = map(Path, sys.argv[1:])
certificates = Certificates(certificate, key, authorities)
print("cryptography.x509" in sys.modules)
authorities.write_bytes(authorities.read_bytes() * 2)
certificates.load()
print("cryptography.x509" in sys.modules)
"""


def test_what_checks_certificates_is_loaded_when_authorities_change(tmp_path: Path) -> None:
    """Not before, because it takes much memory, and not by a call, because it takes long."""
    root = Authority(tmp_path, "root")
    program = [sys.executable, "-c", RENEWED, *map(str, (*root.sign("server"), root.file))]
    done = subprocess.run(program, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
