"""How many elements a request may have, counted before it is parsed.

A byte can become an object of a hundred bytes, so the size of a request limits neither the time nor
the memory that reading it takes. The number of its elements does: values of JSON, or fields of
protobuf.
"""

from __future__ import annotations

from tablier_service.calls.messages import MAX_RECORD_BYTES, MAX_STRING, field_counter
from tablier_service.calls.methods import Method
from tablier_service.calls.servicer import MAX_MOVES, MAX_REPLAY
from tablier_service.errors import TooLarge

# A smaller request takes a millisecond at most, whatever it contains.
SMALL_BYTES = 4096
# A move is an object with three values. The longest lines of moves leave room for other fields.
MAX_ELEMENTS = 5 * MAX_MOVES
MAX_LARGE_ELEMENTS = 5 * MAX_REPLAY


def most_elements(method: Method) -> int:
    """The number of elements that a request of a method may have."""
    return MAX_LARGE_ELEMENTS if method.large else MAX_ELEMENTS


def too_many_elements(method: Method) -> TooLarge:
    """The error for a request with more elements."""
    return TooLarge("", f"the request has more than {most_elements(method)} fields and values")


def check_wire(method: Method, data: bytes) -> int:
    """The number of fields in a request in protobuf's wire format.

    Raises TooLarge if there are too many, or one is too long.
    """
    most = most_elements(method)
    count = field_counter(method.descriptor.input_type).count(data, most)
    if count > most:
        raise too_many_elements(method)
    if count < 0:
        limits = f"{MAX_STRING} bytes, or a record more than {MAX_RECORD_BYTES}"
        raise TooLarge("", f"a field of the request has more than {limits}")
    return count
