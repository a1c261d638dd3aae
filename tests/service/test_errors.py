"""The error table is complete, and reveals nothing that callers may not know."""

from __future__ import annotations

import inspect

import pytest
import tablier_core.errors
import tablier_service.errors
from google.rpc import code_pb2, error_details_pb2
from tablier.v1 import errors_pb2
from tablier_core.errors import TablierError
from tablier_service.errors import CODES, HTTP_STATUS, Overloaded, make_status, status_of

KINDS = [
    kind
    for module in (tablier_core.errors, tablier_service.errors)
    for _, kind in inspect.getmembers(module, inspect.isclass)
    if issubclass(kind, TablierError) and kind is not TablierError
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_error_has_a_row(kind: type[TablierError]):
    status = status_of(kind("some.field", "what is wrong"))
    assert status.code == CODES[kind.reason]
    assert status.code in HTTP_STATUS
    assert status.message == "some.field: what is wrong"
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    assert (info.reason, info.domain) == (kind.reason, "tablier")
    bad = error_details_pb2.BadRequest()
    assert status.details[1].Unpack(bad)
    assert bad.field_violations[0].field == "some.field"
    assert bad.field_violations[0].description == "what is wrong"


def test_the_table_and_the_protocol_have_the_same_reasons():
    listed = {name.removeprefix("ERROR_REASON_") for name, _ in errors_pb2.ErrorReason.items()}
    assert set(CODES) == listed - {"UNSPECIFIED"}
    assert {kind.reason for kind in KINDS} == set(CODES) - {"INTERNAL"}


def test_an_internal_error_reveals_nothing():
    status = status_of(RuntimeError("the other hand is 7 7 9"))
    assert status.code == code_pb2.INTERNAL
    assert "7 7 9" not in str(status)


def test_overload_says_when_to_retry():
    status = status_of(Overloaded("", "busy", retry_seconds=1.5))
    retry = error_details_pb2.RetryInfo()
    assert status.details[1].Unpack(retry)
    assert retry.retry_delay.ToMilliseconds() == 1500


def test_rejects_an_unknown_reason():
    with pytest.raises(ValueError, match="NO_SUCH_REASON"):
        make_status("NO_SUCH_REASON", "", "")


def test_names_fields_from_the_outside_in():
    error = TablierError("seat", "no").within("moves[2]").within("operations[1]")
    assert error.field == "operations[1].moves[2].seat"
    assert TablierError("", "no").within("moves[2]").field == "moves[2]"
