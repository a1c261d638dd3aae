"""Drawings as documents of their own, instead of JSON, so that `<img src>` shows them.

A client gets the drawing alone if it prefers the media type to JSON, as browsers do for images, or
if its query string contains `alt=media`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablier_service.calls.pictures import MEDIA_TYPES
from tablier_service.message_json.bindings import MEDIA
from tablier_service.transports.http.cors import Header
from tablier_service.transports.http.replies import JSON, weights_in

# A drawing that is opened by itself can do nothing.
POLICY = b"default-src 'none'; style-src 'unsafe-inline'; sandbox"
DOCUMENT_HEADERS: tuple[Header, ...] = ((b"content-security-policy", POLICY),)


def take_media(query: bytes) -> tuple[bytes, bool]:
    """A query string without `alt=media`, and whether it has it."""
    parameters = query.split(b"&")
    others = [each for each in parameters if each != MEDIA]
    return b"&".join(others), len(others) < len(parameters)


def choose_document(request: Any, accepted: bytes) -> bool:
    """Whether a client prefers the document to JSON; a request without a format gets the best."""
    weights = weights_in(accepted)
    least = _weight(weights, JSON)
    if not request.format:
        # The first of equals, which is the default.
        best = max(MEDIA_TYPES, key=lambda each: _weight(weights, MEDIA_TYPES[each].encode()))
        if _weight(weights, MEDIA_TYPES[best].encode()) <= least:
            return False
        request.format = best
    return _weight(weights, MEDIA_TYPES.get(request.format, "").encode()) > least


def document_in(answer: Any) -> tuple[bytes, bytes]:
    """The document in an answer, and the media type of it."""
    if answer.data:
        return answer.data, answer.media_type.encode()
    charset = "; charset=utf-8" if answer.media_type.startswith("text/") else ""
    return answer.content.encode(), (answer.media_type + charset).encode()


def _weight(weights: Mapping[bytes, float], media_type: bytes) -> float:
    family = media_type.partition(b"/")[0] + b"/*"
    return weights.get(media_type, weights.get(family, weights.get(b"*/*", 0.0)))
