"""Which language the texts of an answer are in.

A request has a field `language`. A transport fills an empty one in from the header
`Accept-Language`, or from the metadata of that name, so that the calls see one field. A batch fills
in the field of its operations from its own.
"""

from __future__ import annotations

from functools import lru_cache
from types import GeneratorType
from typing import Any

from google.protobuf.descriptor import Descriptor
from tablier_core.languages import ENGLISH, LANGUAGES, Language, catalogue

from tablier_service.calls.slices import Work

ACCEPT_LANGUAGE = "accept-language"
FIELD = "language"
# Browsers send much less. Longer lists are not read, and so not remembered.
MAX_LENGTH = 256


def has_language(request: Descriptor) -> bool:
    """Whether requests of this type name a language."""
    return FIELD in request.fields_by_name


def prefer(request: Any, accepted: str) -> Any:
    """Let a request that names no language have these. It may be the work of reading one."""
    if accepted:
        if isinstance(request, GeneratorType):
            return _prefer_once_read(request, accepted)
        if not request.language:
            request.language = accepted
    return request


def _prefer_once_read(reading: Work[Any], accepted: str) -> Work[Any]:
    return prefer((yield from reading), accepted)


def choose_language(wanted: str) -> str:
    """The best language that there is for a tag, such as `fr-CA`, or a list with weights.

    This is the lookup of RFC 4647: a tag is shortened until it matches, and English is the default.
    """
    return look_up(wanted) if 0 < len(wanted) <= MAX_LENGTH else ENGLISH


def wanted_language(wanted: str) -> Language:
    """The texts of the language that `choose_language` chooses."""
    return catalogue(choose_language(wanted))


@lru_cache(maxsize=256)
def look_up(wanted: str) -> str:
    """Do the work of `choose_language`; callers send one of a few lists, so remember them."""
    weighted = []
    for entry in wanted.lower().split(","):
        tag, _, weight = entry.replace(" ", "").partition(";q=")
        try:
            weighted.append((float(weight) if weight else 1.0, tag))
        except ValueError:
            continue
    # The sort keeps the order of tags with equal weights.
    for quality, tag in sorted(weighted, key=lambda each: -each[0]):
        while tag and quality > 0:
            if tag in LANGUAGES:
                return tag
            tag = tag.rpartition("-")[0]
    return ENGLISH
