def strip_json(text: bytes) -> bytes:
    """Return JSON text without the white space around it."""

def count_keys(text: bytes) -> int:
    """Return the number of keys in all objects of JSON text."""

def count_members(value: object) -> int:
    """Return the number of keys in all objects of a JSON value; -1 if it is nested too deeply."""

def count_json(text: bytes, most: int, longest: int) -> int:
    """Return the number of values in JSON text: objects, arrays and what they contain.

    Return -1 if there are more than `most`, -2 if a string or number has more than `longest` bytes.
    """

def split_json(text: bytes, most: int, longest: int) -> list[tuple[int, int, int, int, int]] | None:
    """Return the parts of a JSON object or array, or None if its brackets do not match.

    A part is (start, colon, end, members, values). In an object, it is one member: its name is
    before the colon, its value after it. In an array, the colon is -1, and a part is a number of
    successive members with at most `most` values and `longest` bytes, or a single larger one.

    Messages have few fields: of a larger object, only the first MAX_MEMBERS (100) are returned.
    """

class FieldCounter:
    def __init__(
        self, children: list[dict[int, int]], longest: int, longer: list[dict[int, int]]
    ) -> None: ...
    def count(self, data: bytes, most: int) -> int:
        """Return the number of fields; if there are more than `most`, some larger number.

        Return -1 if a string or bytes are too long.
        """
