from __future__ import annotations

import re
from pathlib import Path

import pytest

from overstory.browser.queries import CHAPTERS, PARAMETERS, SavedQuery, all_queries, saved_queries
from overstory.graph.statements import statement_names
from overstory_cli.browser import contributions

LABEL = "Corpus_0123456789abcdef"
QUERIES = all_queries(saved_queries(LABEL, contributions()))
LONGEST_TITLE = 60
SYSTEMS = ("AutoPrunedRetriever", "HiRAG", "SeRAG", "SlimRAG", "T-Retriever")

each_query = pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.name)


def test_every_saved_query_has_its_place_in_the_guide() -> None:
    files = {name.removeprefix("saved_queries/") for name in statement_names("saved_queries")}
    placed = [name for names in CHAPTERS.values() for name in names]
    assert sorted(placed) == sorted(files)
    assert {query.name for query in all_queries(saved_queries(LABEL))} == files


def test_each_system_has_a_chapter_with_all_of_its_queries() -> None:
    chapters = saved_queries(LABEL, contributions())
    assert list(chapters) == [*CHAPTERS, *SYSTEMS]
    assert [query.name for query in chapters["SlimRAG"]] == ["slimrag_entity"]
    files = {name for name in statement_names() if "/saved_queries/" in name}
    assert {query.statement for title in SYSTEMS for query in chapters[title]} == files


def test_a_query_that_nobody_placed_comes_last() -> None:
    chapters = saved_queries(LABEL, order={"First": ("related",)})
    assert [query.name for query in chapters["First"]] == ["related"]
    assert list(chapters) == ["First", "More"]
    assert {query.name for query in all_queries(chapters)} == {
        query.name for query in all_queries(saved_queries(LABEL))
    }


@each_query
def test_a_query_says_what_it_is_for_what_it_takes_and_what_it_gives(query: SavedQuery) -> None:
    assert 0 < len(query.title) <= LONGEST_TITLE
    assert query.rows
    assert set(query.parameters) <= set(PARAMETERS)


@each_query
def test_a_query_is_whole_and_bounded(query: SavedQuery) -> None:
    assert query.text.startswith(f"// {query.title}\n")
    assert "{{" not in query.text
    assert ";" not in "".join(line for line in query.text.splitlines() if not line.startswith("//"))
    assert "LIMIT" in query.text or "limit:" in query.text
    used = {word.partition(".")[0] for word in query.text.replace("$", " $").split() if word.startswith("$")}
    assert {word.strip("$,)]") for word in used} == set(query.parameters)


def test_titles_tell_queries_apart() -> None:
    assert len({query.title for query in QUERIES}) == len(QUERIES)


PAGE = (Path(__file__).parents[3] / "docs" / "browser.md").read_text(encoding="utf-8")


def test_the_page_on_browser_lists_the_saved_queries_as_the_guide_does() -> None:
    rows = re.findall(r"^\| (.+?) \| a (picture|table) \| (.*)\|$", PAGE, re.MULTILINE)
    expected = [
        (
            query.title,
            "picture" if query.is_picture else "table",
            ", ".join(f"`${name}`" for name in query.parameters),
        )
        for query in all_queries(saved_queries("Corpus_0123456789abcdef", contributions()))
    ]
    assert [(title, gives, asks.strip()) for title, gives, asks in rows] == expected
