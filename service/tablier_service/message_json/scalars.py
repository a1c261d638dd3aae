"""Readers of JSON values other than objects and arrays."""

from __future__ import annotations

import re
from binascii import a2b_base64
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, cast

from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor

from tablier_service.errors import InvalidField

# From a JSON value and its nesting depth to an argument for the constructor of the message.
Reader = Callable[[Any, int], Any]

# The largest decimal that still rounds to a finite 32-bit float.
MAX_FLOAT = 3.4028235677973362e38
# The range of each integer type.
INTEGERS: Mapping[int, tuple[int, int]] = {
    FieldDescriptor.CPPTYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.CPPTYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.CPPTYPE_INT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.CPPTYPE_UINT64: (0, 2**64 - 1),
}

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_INTEGER = re.compile(r"-?[0-9]+")
_NOT_FINITE = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}
# A longer numeral is out of range, or not worth the time to find out.
_MAX_NUMERAL = 400


def integer_reader(low: int, high: int) -> Reader:
    """A reader of integers in a range: JSON numbers without a fraction, or in strings."""
    wrong = f"must be an integer from {low} to {high}"

    def read(value: Any, depth: int) -> int:
        if type(value) is int:
            number = value
        elif type(value) is str and len(value) <= _MAX_NUMERAL and _NUMBER.fullmatch(value):
            number = int(value) if _INTEGER.fullmatch(value) else whole(float(value))
        else:
            number = whole(value)
        if not low <= number <= high:
            raise InvalidField("", wrong)
        return number

    def whole(value: Any) -> int:
        # orjson turns integers below -2**63 into this float, so it is out of range.
        if type(value) is float and value.is_integer() and value != -(2.0**63):
            return int(value)
        raise InvalidField("", wrong)

    return read


def enum_reader(enum: EnumDescriptor) -> Reader:
    """A reader of the names of an enum, or any number, as proto3 enums are open."""
    numbers = {value.name: value.number for value in enum.values}
    read_number = integer_reader(-(2**31), 2**31 - 1)

    def read(value: Any, depth: int) -> int:
        if type(value) is str:
            number = numbers.get(value)
            if number is not None:
                return number
            if not _INTEGER.fullmatch(value):
                raise InvalidField("", f"must be one of {', '.join(numbers)}")
        return cast("int", read_number(value, depth))

    return read


def number_reader(limit: float) -> Reader:
    """Of floating-point numbers of a magnitude up to a limit."""

    def read(value: Any, depth: int) -> float:
        if type(value) is float or type(value) is int:
            number = float(value)
        elif type(value) is str and value in _NOT_FINITE:
            return _NOT_FINITE[value]
        elif type(value) is str and len(value) <= _MAX_NUMERAL and _NUMBER.fullmatch(value):
            number = float(value)
        else:
            raise InvalidField("", 'must be a number, "NaN", "Infinity" or "-Infinity"')
        if not isfinite(number) or abs(number) > limit:
            raise InvalidField("", "is out of range")
        return number

    return read


def read_bool(value: Any, depth: int) -> bool:
    """Read a boolean."""
    if value is True or value is False:
        return value
    raise InvalidField("", "must be true or false")


def read_flag(value: Any, depth: int) -> bool:
    """Read a boolean that is a key of a map."""
    if value in ("true", "false"):
        return cast("bool", value == "true")
    raise InvalidField("", 'must be "true" or "false"')


def read_string(value: Any, depth: int) -> str:
    """Read a string."""
    if type(value) is str:
        return value
    raise InvalidField("", "must be a string")


def read_bytes(value: Any, depth: int) -> bytes:
    """Read base64 in the standard or URL-safe alphabet, padded or not."""
    if type(value) is not str:
        raise InvalidField("", "must be base64 in a string")
    try:
        # Nearly all clients send this form.
        return a2b_base64(value, strict_mode=True)
    except ValueError:
        pass
    digits = value.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return a2b_base64(digits + "=" * (-len(digits) % 4), strict_mode=True)
    except ValueError:
        raise InvalidField("", "is not base64") from None
