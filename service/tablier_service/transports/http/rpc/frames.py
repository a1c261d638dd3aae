"""Responses that consist of messages in envelopes."""

from __future__ import annotations

import gzip
from abc import abstractmethod
from collections.abc import Iterable
from typing import ClassVar

from tablier_service.transports.http.answers import AnswerSender
from tablier_service.transports.http.cors import Header
from tablier_service.transports.http.envelopes import COMPRESSED, envelope
from tablier_service.transports.http.replies import GZIP_FROM, ZIP_LEVEL, accepts_gzip
from tablier_service.transports.http.request import Send
from tablier_service.transports.http.rpc.call import RpcCall
from tablier_service.transports.http.rpc.compression import GZIP


class FrameSender(AnswerSender):
    """Sends each answer in an envelope, compressed if it is large and the caller accepts that."""

    # The headers that say how messages may be compressed, and how they are.
    accepted_encodings: ClassVar[bytes]
    answer_encoding: ClassVar[bytes]

    def __init__(self, call: RpcCall, send: Send, headers: Iterable[Header]) -> None:
        super().__init__(call, send, headers)
        self._media_type = call.endpoint.media_type
        self._packs = accepts_gzip(call.head.headers.get(self.accepted_encodings, b""))

    def head(self) -> Iterable[Header]:
        yield b"content-type", self._media_type
        if self._packs:
            yield self.answer_encoding, GZIP

    @abstractmethod
    def last(self) -> bytes:
        """The envelope that ends the stream."""

    def write(self, frame: bytes) -> bytes:
        """The bytes that are sent for an envelope."""
        return frame

    async def answer(self, data: bytes) -> None:
        flags = 0
        if self._packs and len(data) >= GZIP_FROM:
            data = gzip.compress(data, compresslevel=ZIP_LEVEL, mtime=0)
            flags = COMPRESSED
        await self.part(self.write(envelope(data, flags)))

    async def end(self) -> None:
        await self.part(self.write(self.last()), more=False)
