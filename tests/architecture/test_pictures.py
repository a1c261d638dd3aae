"""The stored pictures of the documentation are those that the code draws now."""

from __future__ import annotations

from docs.pictures import PICTURES, pictures


def test_every_picture_is_up_to_date():
    stored = {path.name: path.read_text(encoding="utf-8") for path in PICTURES.glob("*.svg")}
    assert stored == pictures(), "run `make pictures` and look at the difference"
