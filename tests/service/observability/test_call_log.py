"""The log of failed calls names the fields of the protocol, and nothing that a caller invents."""

from __future__ import annotations

import pytest
from tablier_service.errors import MAX_FIELD, InvalidField, status_of

from tests.service.assembly import RecordingLogger, assemble

TOKEN = "VGFibGllcl90b2tlbg"
# As callers can name them, and as they are logged.
FIELDS = {
    "": "",
    "state": "state",
    "operations[12].applyMoves.moves[3].notation": "operations[12].applyMoves.moves[3].notation",
    "budget.milliseconds": "budget.milliseconds",
    "options.advanced": "options.advanced",
    "options.seats": "options.seats",
    TOKEN: "",
    f"options.{TOKEN}": "",
    f"options[{TOKEN}]": "",
    f"moves[0].{TOKEN}": "",
    f"state.{TOKEN}.state": "",
    "options[1234567890]": "",
    "state." * MAX_FIELD: "",
}


@pytest.mark.parametrize("field", FIELDS)
def test_logs_only_names_that_the_service_knows(field: str) -> None:
    logger = RecordingLogger()
    service = assemble({"logger": logger})
    service.call_log.failed("grpc", "/call", InvalidField(field, "is wrong"), 3, "id")
    service.close()
    (line,) = logger.lines
    assert line["field"] == FIELDS[field]
    assert TOKEN not in str(line)


def test_an_answer_repeats_the_beginning_of_a_long_name() -> None:
    status = status_of(InvalidField("x" * 4_000_000, "has no such field"))
    beginning = "x" * (MAX_FIELD - 1)
    assert status.message == f"{beginning}…: has no such field"
    assert status.ByteSize() < 1000
