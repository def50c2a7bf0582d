from __future__ import annotations

import base64

import pytest

from overstory_service.problems import Refused
from overstory_service.sending import place_of


@pytest.mark.parametrize("text", ["[" * 50_000, '{"a":' * 50_000, "[" + "1" * 5_000 + "]", "[1]", "\ud800"])
def test_a_cursor_of_nested_or_other_json_is_refused(text: str) -> None:
    cursor = base64.urlsafe_b64encode(text.encode(errors="surrogatepass")).decode()
    with pytest.raises(Refused, match="cursor"):
        place_of(cursor, parts=1)
