"""Requires the version of the core that the adapters were released with."""

from __future__ import annotations

from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class SameVersion(MetadataHookInterface):
    """Adds the dependency on `tablier`; an sdist has it in its PKG-INFO already."""

    def update(self, metadata: dict[str, Any]) -> None:
        metadata["dependencies"] = [f"tablier=={metadata['version']}"]
