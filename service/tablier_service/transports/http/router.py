"""Finding what a path leads to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic, TypeVar

from tablier_service.message_json.bindings import Template, split_path, unescape

T = TypeVar("T")


class Router(Generic[T]):
    """Finds the targets of a path: by one lookup, or among the few templates of its shape."""

    def __init__(self) -> None:
        self._exact: dict[str, dict[str, T]] = {}
        self._shapes: dict[tuple[int, str], dict[Template, dict[str, T]]] = {}

    def add(self, http_method: str, path: str, target: T) -> None:
        """Add the target of an HTTP method and a path, or template of paths."""
        if "{" in path:
            template = Template.parse(path)
            shape = self._shapes.setdefault((len(template.segments), template.verb), {})
            targets = shape.setdefault(template, {})
        else:
            targets = self._exact.setdefault(path, {})
        if http_method in targets:
            raise ValueError(f"{http_method} {path} has two targets")
        targets[http_method] = target

    def find(self, path: str, raw_path: bytes) -> tuple[Mapping[str, T], Mapping[str, str]]:
        """The targets of a path by HTTP method, and the values in it; empty if it is unknown.

        Values are taken from the raw path, where `%2F` and `%3A` do not separate anything. Raises
        InvalidField if one is not UTF-8.
        """
        exact = self._exact.get(path)
        if exact is not None:
            return exact, {}
        segments, verb = split_path(raw_path.decode("latin-1"))
        for template, targets in self._shapes.get((len(segments), verb), {}).items():
            values = template.match(segments)
            if values is not None and all(values.values()):
                return targets, {name: unescape(name, text) for name, text in values.items()}
        return {}, {}
