from collections.abc import Mapping
from typing import Any

ops: object

def pack_options(values: Mapping[str, object]) -> bytes: ...
def facts(packed: bytes, viewer: int) -> dict[str, Any]: ...
