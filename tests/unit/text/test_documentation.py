"""The examples of the documentation are run."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[3] / "docs"


@pytest.mark.parametrize("name", ["text.md", "embedders.md"])
def test_the_examples_give_what_the_page_says(name: str) -> None:
    page = (DOCS / name).read_text(encoding="utf-8")
    examples = "\n".join(re.findall(r"^```pycon\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL))
    test = doctest.DocTestParser().get_doctest(examples, {}, name, name, 0)
    assert test.examples
    assert doctest.DocTestRunner().run(test).failed == 0
