"""The text forms of the values in a record. Every value has exactly one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime


def quoted(text: str) -> str:
    """Write the text of a tag."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def comment_text(comment: str) -> str:
    """Write a comment."""
    escaped = comment.replace("\\", "\\\\").replace("}", "\\}").replace("\n", "\\n")
    return f"{{{escaped}}}"


def number_text(number: float) -> str:
    """Write a number in its shortest exact form."""
    value = float(number)
    return str(int(value)) if value.is_integer() else repr(value)


def numbers_text(numbers: Sequence[float]) -> str:
    """Write numbers, separated by spaces."""
    return " ".join(map(number_text, numbers))


def duration_text(milliseconds: int) -> str:
    """Write a time as hours, minutes and seconds, as in 0:01:30.5."""
    seconds, rest = divmod(milliseconds, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    fraction = f".{rest:03d}".rstrip("0") if rest else ""
    return f"{hours:d}:{minutes:02d}:{seconds:02d}{fraction}"


def date_text(date: datetime) -> str:
    """Write a time in UTC, as in 2026-11-18T09:30:00Z."""
    return f"{date.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='seconds')}Z"


def options_text(options: Mapping[str, object]) -> str:
    """Write options as JSON without spaces, names in order, whole numbers without a point."""
    return json.dumps(
        _plain(options), ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=True
    )


def _plain(value: object) -> object:
    """Return a JSON value made of the types that reading gives."""
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value
