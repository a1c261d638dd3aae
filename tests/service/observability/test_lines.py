"""Lines are written at once or dropped, whatever the descriptor leads to."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator

import pytest
from tablier_service.observability.lines import LineOutput

READ = 1 << 20


class Counted:
    """An output, and the number of lines that it dropped."""

    def __init__(self, descriptor: int) -> None:
        self.dropped = 0
        self.output = LineOutput(descriptor)
        self.output.on_drop = self._count

    def _count(self) -> None:
        self.dropped += 1

    def fill(self) -> int:
        """Write lines until one is dropped; returns how many were written."""
        written = 0
        while self.output.write(b"line %d" % written):
            written += 1
        return written


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        os.close(end)


def refuse(*arguments: object) -> int:
    raise PermissionError


@pytest.mark.parametrize("own", [True, False])
def test_drops_what_a_full_pipe_does_not_take(
    pipe: tuple[int, int], own: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if the pipe belongs to another user and cannot be opened again."""
    if not own:
        monkeypatch.setattr(os, "open", refuse)
    read, write = pipe
    counted = Counted(write)
    written = counted.fill()
    assert not counted.output.write(b"another")
    assert counted.dropped == 2
    # Other programs that have inherited the pipe still wait for its reader.
    assert os.get_blocking(write)
    assert os.read(read, READ) == b"".join(b"line %d\n" % number for number in range(written))
    assert counted.output.write(b"last")
    assert os.read(read, READ) == b"last\n"
    assert counted.dropped == 2


def test_a_line_that_was_cut_does_not_spoil_the_next(pipe: tuple[int, int]) -> None:
    read, write = pipe
    counted = Counted(write)
    assert not counted.output.write(b"x" * READ)
    os.read(read, READ)
    assert counted.output.write(b"next")
    assert os.read(read, READ) == b"\nnext\n"
    assert counted.output.write(b"last")
    assert os.read(read, READ) == b"last\n"
    assert counted.dropped == 1


def test_drops_what_a_full_socket_does_not_take() -> None:
    ends = socket.socketpair()
    with ends[0], ends[1]:
        counted = Counted(ends[0].fileno())
        counted.fill()
        assert counted.dropped == 1
        assert ends[0].getblocking()
        ends[1].close()
        assert not counted.output.write(b"closed")


def test_drops_lines_for_a_reader_that_has_left() -> None:
    read, write = os.pipe()
    before = Counted(write)
    os.close(read)
    after = Counted(write)
    assert [before.fill(), after.fill()] == [0, 0]
    os.close(write)


def test_drops_lines_on_a_full_disk() -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    assert Counted(full).fill() == 0
    os.close(full)


def test_drops_lines_without_a_descriptor() -> None:
    descriptor = os.open("/dev/null", os.O_WRONLY)
    os.close(descriptor)
    assert Counted(descriptor).fill() == 0


def test_closes_what_it_has_opened(pipe: tuple[int, int]) -> None:
    before = set(os.listdir("/proc/self/fd"))  # noqa: PTH208
    output = LineOutput(pipe[1])
    del output
    assert set(os.listdir("/proc/self/fd")) == before  # noqa: PTH208
