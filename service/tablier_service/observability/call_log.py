"""The log of calls: failed and slow ones, or all of them; never their content."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from random import getrandbits
from typing import Any

from google.protobuf.descriptor import Descriptor
from tablier_core.errors import TablierError

from tablier_service.errors import MAX_FIELD, Overloaded
from tablier_service.observability.logs import Logger
from tablier_service.observability.metrics import code_name

# The characters of a request id that is repeated in headers and logs.
ID_CHARACTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:/+="
MAX_ID = 128
# The names in the path of a field, without dots and places in lists: `moves[2].seat`.
NAMES = re.compile(r"\[\d{1,6}\]|\.")


def choose_request_id(given: bytes) -> bytes:
    """The caller's id for a request if it is safe to print, otherwise a new one."""
    if 0 < len(given) <= MAX_ID and not given.translate(None, ID_CHARACTERS):
        return given
    # Ids need to be distinct, not secret. A secret one costs as much as reading a request.
    return b"%016x" % getrandbits(64)


class CallLog:
    """Writes log lines about calls.

    `names` are those of fields and options. Others are never logged: a caller can put a token in
    the place of a name.
    """

    def __init__(self, logger: Logger, names: frozenset[str]) -> None:
        self._logger = logger
        self._names = names | {""}

    def failed(
        self, transport: str, call: str, error: Exception, code: int, request_id: str
    ) -> None:
        """Log a call that failed; an internal error comes with its traceback."""
        if isinstance(error, Overloaded):
            # Only counted: a line for each would add to the load.
            return
        expected = error if isinstance(error, TablierError) else None
        self._logger.log(
            logging.INFO if expected else logging.ERROR,
            "call failed",
            transport=transport,
            call=call,
            code=code_name(code),
            reason=expected.reason if expected else "INTERNAL",
            field=self._known(expected.field) if expected else "",
            request_id=request_id,
            exc_info=None if expected else error,
        )

    def _known(self, field: str) -> str:
        """The path of a field, or nothing if a caller may have invented it."""
        known = len(field) <= MAX_FIELD and self._names.issuperset(NAMES.split(field))
        return field if known else ""

    def succeeded(
        self, transport: str, call: str, seconds: float, request_id: str, caller: str
    ) -> None:
        """Log a call that succeeded; used if every call is logged."""
        self._logger.info(
            "call",
            transport=transport,
            call=call,
            caller=caller,
            milliseconds=round(seconds * 1000, 3),
            request_id=request_id,
        )

    def slow(self, transport: str, call: str, seconds: float, request_id: str) -> None:
        """Log a call that took longer than it should."""
        self._logger.warning(
            "slow call",
            transport=transport,
            call=call,
            milliseconds=round(seconds * 1000, 1),
            request_id=request_id,
        )


def field_names(
    requests: Iterable[Descriptor], options: Iterable[Mapping[str, Any]]
) -> frozenset[str]:
    """All names that fields of these messages, and options with these schemas, can have."""
    found: dict[str, Descriptor] = {}
    for request in requests:
        collect_messages(request, found)
    fields = [field for message in found.values() for field in message.fields]
    names = {field.name for field in fields} | {field.json_name for field in fields}
    return frozenset(names).union(*map(property_names, options))


def collect_messages(message: Descriptor, found: dict[str, Descriptor]) -> None:
    """Add a message and those in its fields to the ones found so far, by name."""
    if message.full_name not in found:
        found[message.full_name] = message
        for field in message.fields:
            if field.message_type is not None:
                collect_messages(field.message_type, found)


def property_names(schema: object) -> Iterator[str]:
    """The names of all properties in a JSON Schema."""
    if isinstance(schema, Mapping):
        yield from schema.get("properties", ())
        schema = schema.values()
    if isinstance(schema, Iterable) and not isinstance(schema, str):
        for part in schema:
            yield from property_names(part)
