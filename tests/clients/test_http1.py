"""Responses of HTTP/1.1 as the clients read them, whole and byte by byte."""

from __future__ import annotations

import pytest
from tablier_client.http1 import MAX_HEAD_BYTES, Gone, NotHttp, Response

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/proto\r\n"
CHUNKED = HEAD + b"transfer-encoding: chunked\r\n\r\n"


def read(data: bytes, step: int, ends: bool = False) -> Response:
    response = Response()
    for start in range(0, len(data), step):
        response.feed(data[start : start + step])
    if ends:
        response.end()
    return response


@pytest.mark.parametrize("step", [1, 2, 7, 10_000])
@pytest.mark.parametrize(
    ("data", "status", "body", "reusable"),
    [
        (HEAD + b"content-length: 5\r\n\r\nabcde", 200, b"abcde", True),
        (HEAD + b"content-length: 0\r\n\r\n", 200, b"", True),
        (HEAD + b"connection: close\r\ncontent-length: 1\r\n\r\na", 200, b"a", False),
        (b"HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\na", 200, b"a", False),
        (b"HTTP/1.1 204 No Content\r\n\r\n", 204, b"", True),
        (b"HTTP/1.1 503\r\ncontent-length: 2\r\n\r\nno", 503, b"no", True),
        (
            b"HTTP/1.1 100 Continue\r\n\r\n" + HEAD + b"content-length: 1\r\n\r\na",
            200,
            b"a",
            True,
        ),
        (CHUNKED + b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n", 200, b"abcde", True),
        (CHUNKED + b"0\r\ntrailer: x\r\n\r\n", 200, b"", True),
        (CHUNKED + b"00A\r\n0123456789\r\n0\r\n\r\n", 200, b"0123456789", True),
    ],
)
def test_reads_a_response(step: int, data: bytes, status: int, body: bytes, reusable: bool) -> None:
    response = read(data, step)
    assert (response.status, response.take(), response.complete) == (status, body, True)
    assert response.reusable == reusable
    for size in range(len(data)):
        part = read(data[:size], step)
        assert not part.complete
        with pytest.raises(NotHttp):
            part.end()


def test_a_body_can_end_with_its_connection() -> None:
    data = HEAD + b"\r\nabc"
    response = read(data, 2)
    assert not response.complete
    response.end()
    assert (response.take(), response.complete, response.reusable) == (b"abc", True, False)


def test_headers_are_found_in_any_case() -> None:
    assert read(HEAD + b"content-length:0\r\n\r\n", 9).headers == {
        "content-type": "application/proto",
        "content-length": "0",
    }


def test_a_body_is_taken_as_it_arrives() -> None:
    response = Response()
    response.feed(CHUNKED + b"3\r\nab")
    assert (response.waiting, response.take(), response.waiting) == (2, b"ab", 0)
    response.feed(b"c\r\n1\r\nd")
    assert response.take() == b"cd"


def test_a_connection_that_closes_at_once_has_not_answered() -> None:
    with pytest.raises(Gone):
        Response().end()


@pytest.mark.parametrize(
    "data",
    [
        b"\x00\x00\x12\x04\x00\x00\x00\x00\x00",
        b"SSH-2.0-OpenSSH\r\n",
        b"HTTP/2 200\r\n\r\n",
        b"HTTP/1.1 abc\r\n\r\n",
        HEAD + b"x" * (MAX_HEAD_BYTES + 5),
        HEAD + b"content-length: x\r\n\r\n",
        HEAD + b"content-length: -1\r\n\r\n",
        HEAD + b"content-length: 1\r\n\r\nab",
        HEAD + b"transfer-encoding: gzip\r\n\r\n",
        CHUNKED + b"x\r\n",
        CHUNKED + b"-1\r\n",
        CHUNKED + b"1_0\r\n",
        CHUNKED + b"\r\n",
        CHUNKED + b"fffffffffffff\r\n",
        CHUNKED + b"1" * 2000,
        CHUNKED + b"1\r\nab\r\n",
        CHUNKED + b"0\r\n\r\nmore",
    ],
)
@pytest.mark.parametrize("step", [1, 100_000])
def test_rejects_invalid_responses(data: bytes, step: int) -> None:
    with pytest.raises(NotHttp):
        read(data, step)
