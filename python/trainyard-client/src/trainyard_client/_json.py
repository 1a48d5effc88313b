"""Parts of objects as the API has them, where any part may be missing or null."""
from __future__ import annotations

from typing import Any, Dict, List, Mapping, cast

Json = Dict[str, Any]


def record(value: Mapping[str, Any], field: str) -> Json:
    """An object of it; empty where there is none."""
    found = value.get(field)
    return cast(Json, found) if isinstance(found, dict) else {}


def records(value: Mapping[str, Any], field: str) -> List[Json]:
    """A list of objects of it; empty where there is none."""
    found = value.get(field)
    return cast(List[Json], found) if isinstance(found, list) else []
