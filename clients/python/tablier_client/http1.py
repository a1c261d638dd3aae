"""HTTP/1.1 responses, read from bytes as they arrive; both clients read theirs with it.

This does what Connect needs, and no more: no redirects, no cookies, no compression. A general
HTTP library costs several times as much CPU time per call as everything else that a client does.
"""

from __future__ import annotations

from collections.abc import Mapping

# The largest head of a response, and the longest line between the chunks of a body.
MAX_HEAD_BYTES = 65_536
MAX_LINE_BYTES = 1024
MAX_SIZE_DIGITS = 12
# The most that may wait to be taken: enough for a replay of the longest game.
MAX_WAITING_BYTES = 64 * 1024 * 1024
LINE = b"\r\n"
BLANK_LINE = b"\r\n\r\n"
# Responses without a body.
BODILESS = (204, 304)


class NotHttp(Exception):
    """What the server sends is not HTTP/1.1, or ends too early."""


class Gone(NotHttp):
    """The server has closed a connection before it answered."""


class Response:
    """One response; `feed` it with bytes, and `take` what has arrived of its body."""

    def __init__(self) -> None:
        # 0 until the head is complete.
        self.status = 0
        self.headers: Mapping[str, str] = {}
        self.complete = False
        # Whether the connection can carry another request once the response is complete.
        self.reusable = False
        self._unread = b""
        self._body: list[bytes] = []
        self._waiting = 0
        self._chunked = False
        # The bytes that are left of the body or the chunk; None until the end of the connection.
        self._left: int | None = 0
        # What the next line is, between chunks.
        self._line = "size"

    @property
    def waiting(self) -> int:
        """The bytes of the body that wait to be taken."""
        return self._waiting

    @property
    def untouched(self) -> bool:
        """Whether nothing has arrived."""
        return not (self.status or self._unread)

    def feed(self, data: bytes) -> None:
        """Read on; raises NotHttp."""
        self._unread = self._unread + data if self._unread else data
        while not self.status:
            if not self._read_head():
                return
        if self._chunked:
            while not self.complete and self._read_chunk():
                pass
            if self.complete and self._unread:
                raise NotHttp("the answer is longer than announced")
        else:
            self._read_body()

    def end(self) -> None:
        """Note that the connection has ended; raises NotHttp if the response is not complete."""
        if self.untouched:
            raise Gone("the connection was closed before the answer")
        if self.status and self._left is None:
            self.complete = True
        if not self.complete:
            raise NotHttp("the connection was closed before the answer was complete")

    def take(self) -> bytes:
        """What has arrived of the body since the last time."""
        body = self._body[0] if len(self._body) == 1 else b"".join(self._body)
        self._body = []
        self._waiting = 0
        return body

    def _read_head(self) -> bool:
        """Read the head of the response, or of one that only announces it."""
        head, found, rest = self._unread.partition(BLANK_LINE)
        if len(head) > MAX_HEAD_BYTES:
            raise NotHttp("the head of the answer is too large")
        if not found:
            if not b"HTTP/1.".startswith(self._unread[:7]):
                raise NotHttp("the answer is not HTTP/1.1")
            return False
        first, *lines = head.decode("latin-1").split("\r\n")
        version, _, rest_of_line = first.partition(" ")
        status = rest_of_line[:3]
        if not version.startswith("HTTP/1.") or not (status.isascii() and status.isdigit()):
            raise NotHttp("the answer is not HTTP/1.1")
        self._unread = rest
        if status[0] == "1":
            return bool(rest)
        self.status = int(status)
        pairs = (line.partition(":") for line in lines)
        self.headers = {name.lower(): value.strip() for name, _, value in pairs}
        self._begin_body(version)
        return True

    def _begin_body(self, version: str) -> None:
        headers = self.headers
        length = headers.get("content-length")
        closes = version == "HTTP/1.0" or "close" in headers.get("connection", "").lower()
        coding = headers.get("transfer-encoding", "identity").lower()
        if coding == "chunked":
            self._chunked = True
        elif coding != "identity":
            raise NotHttp(f"the answer has the unknown encoding {coding}")
        elif self.status in BODILESS:
            self._left = 0
        elif length is None:
            self._left = None
        elif length.isascii() and length.isdigit():
            self._left = int(length)
        else:
            raise NotHttp("the length of the answer is not a number")
        self.reusable = not closes and self._left is not None

    def _read_body(self) -> None:
        data, self._unread = self._unread, b""
        if self._left is None:
            self._keep(data)
            return
        if len(data) > self._left:
            raise NotHttp("the answer is longer than announced")
        if data:
            self._keep(data)
        self._left -= len(data)
        self.complete = not self._left

    def _keep(self, data: bytes) -> None:
        self._body.append(data)
        self._waiting += len(data)
        if self._waiting > MAX_WAITING_BYTES:
            raise NotHttp(f"the answer has more than {MAX_WAITING_BYTES} bytes")

    def _read_chunk(self) -> bool:
        """Read a part of a chunk, or a line around it; False if there is nothing to read yet."""
        if self._left:
            data = self._unread[: self._left]
            if not data:
                return False
            self._keep(data)
            self._unread = self._unread[len(data) :]
            self._left -= len(data)
            self._line = "end of chunk" if not self._left else self._line
            return True
        line, found, rest = self._unread.partition(LINE)
        if len(line) > MAX_LINE_BYTES:
            raise NotHttp("the answer is not chunked as HTTP/1.1 says")
        if not found:
            return False
        self._unread = rest
        if self._line == "size":
            size = line.partition(b";")[0].strip()
            if not (size.isalnum() and len(size) <= MAX_SIZE_DIGITS):
                raise NotHttp("the answer is not chunked as HTTP/1.1 says")
            try:
                self._left = int(size, 16)
            except ValueError:
                raise NotHttp("the answer is not chunked as HTTP/1.1 says") from None
            self._line = "size" if self._left else "trailer"
        elif self._line == "trailer":
            self.complete = not line
        elif line:
            raise NotHttp("the answer is not chunked as HTTP/1.1 says")
        else:
            self._line = "size"
        return True
