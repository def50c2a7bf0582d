"""Values as JSON types."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from overstory.model import MetadataValue
from overstory.model.plain import plain


@dataclass(frozen=True)
class Described:
    metadata: dict[str, MetadataValue]


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_what_is_no_number_in_json_is_null(number: float) -> None:
    printed = json.dumps(plain(Described({"a": number, "b": [1.5, number]})), allow_nan=False)
    assert json.loads(printed) == {"metadata": {"a": None, "b": [1.5, None]}}


def test_dates_are_in_iso_8601() -> None:
    assert plain([datetime(2026, 1, 2, tzinfo=UTC)]) == ["2026-01-02T00:00:00+00:00"]
