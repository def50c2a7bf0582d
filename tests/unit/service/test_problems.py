"""Problems, for programs and on the page."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from overstory import errors
from overstory_service import problems
from overstory_service.problems import invalid, problem_of

PAGE_TEXTS = (files("overstory_service") / "page" / "js" / "words.js").read_text(encoding="utf-8")


def remedies_of_the_page() -> list[str]:
    """The types of problems for which the page has a remedy of its own."""
    return re.findall(
        r'^    "([a-z-]+)": ', PAGE_TEXTS.partition("  remedies: {")[2].partition("\n  },")[0], re.MULTILINE
    )


@pytest.mark.parametrize(
    "error",
    [
        errors.CorpusNotFound("x"),
        errors.DocumentNotFound("x"),
        errors.MetadataNotFound("x", nearest=("author",), remedy="overstory metadata"),
        errors.CommunityNotFound("x"),
        errors.EntityNotFound("x", name="x", remedy="overstory search"),
        errors.IndexMissing("x", remedy="Run: overstory index --corpus x"),
        errors.WriterBusy("x by root, process 1"),
        problems.TokenNeeded("x"),
    ],
)
def test_a_remedy_that_names_requests_or_commands_has_other_words_on_the_page(error: Exception) -> None:
    problem = problem_of(error, corpus="notes")
    assert re.search(r"GET |POST |overstory ", problem.remedy)
    assert problem.type.rpartition(":")[2] in remedies_of_the_page()
    assert "process" not in problem.detail


def test_each_remedy_of_the_page_is_of_a_problem_that_there_is() -> None:
    kinds = [each.__name__ for module in (errors, problems) for each in vars(module).values() if isinstance(each, type)]
    known = {re.sub(r"(?<=[a-z])(?=[A-Z])", "-", kind).lower() for kind in kinds} | {
        invalid("x").type.rpartition(":")[2]
    }
    assert known.issuperset(remedies_of_the_page())
    assert len(remedies_of_the_page()) > 8
