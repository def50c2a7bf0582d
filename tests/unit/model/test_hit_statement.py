from __future__ import annotations

import pytest

from overstory.errors import StatementRefused
from overstory.model import HitStatement


@pytest.mark.parametrize("text", ["", "MATCH (c:Chunk) RETURN c.id AS id", "UNWIND ids AS id RETURN id"])
def test_a_statement_that_does_not_ask_for_the_hits_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(StatementRefused, match="does not ask") as caught:
        HitStatement(text)
    HitStatement(caught.value.remedy)


def test_the_hits_are_no_parameter() -> None:
    with pytest.raises(StatementRefused, match=r"\$ids"):
        HitStatement("UNWIND $ids AS id RETURN id", {"ids": ["a"]})
