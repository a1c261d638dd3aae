"""Game records: whole games as text. See docs/records.md."""

from tablier_client.records.reading import read_lines, read_record
from tablier_client.records.record import FORMAT_VERSION, Record, RecordedMove
from tablier_client.records.writing import record_lines, write_record

__all__ = [
    "FORMAT_VERSION",
    "Record",
    "RecordedMove",
    "read_lines",
    "read_record",
    "record_lines",
    "write_record",
]
