"""Communities of every tree are called after what they are about, and say nothing that a deleted passage said."""

from __future__ import annotations

from typing import Any, LiteralString

import pytest
from tests.passages import OpenCorpus, passage

from overstory.knowledge import Knowledge

TREES = ("serag", "hirag", "tretriever")
TOPICS = {
    "the river {} flows past barges": ("Danube", "Rhine", "Elbe", "Loire"),
    "the planet {} circles the Sun": ("Mercury", "Venus", "Jupiter", "Saturn"),
    "the painter {} worked in oils": ("Vermeer", "Rubens", "Goya", "Monet"),
}
DOCUMENTS = [
    passage(name, name, f"{name} is known: {sentence.format(name)}. {name} and {names[place - 1]} are often compared.")
    for sentence, names in TOPICS.items()
    for place, name in enumerate(names)
]
ODD = [
    passage(f"odd {place}", "Zorgwald", f"Zorgwald is a town. Zorgwald {says}.")
    for place, says in enumerate(("invited Rubens", "admired Goya", "borders Quixotrope", "exports zithers to Goya"))
]
COMMUNITIES: LiteralString = """
MATCH (t:TreeNode {corpus: $label}) WHERE t.vector IS NOT NULL AND t.level > 0
RETURN t.title AS title, t.summary AS summary, [(t)-[:HAS_REPORT]->(r) | [r.title, r.summary]] AS reports
"""


def communities(knowledge: Knowledge) -> list[Any]:
    label = knowledge.status().corpus.label
    found, _, _ = knowledge.graph.native_driver().execute_query(
        COMMUNITIES, label=label, database_=knowledge.graph.database
    )
    return [list(row.values()) for row in found]


@pytest.mark.slow
@pytest.mark.parametrize("system", TREES)
def test_communities_are_called_after_what_they_are_about_now(open_corpus: OpenCorpus, system: str) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([*DOCUMENTS, *ODD])
    knowledge.index(systems=[system])
    found = communities(knowledge)
    assert found
    assert all(title for title, _, _ in found)
    assert all([[title, summary]] == reports for title, summary, reports in found if reports)
    assert any("zorgwald" in f"{title} {summary}".casefold() for title, summary, _ in found)
    knowledge.delete_documents([each.id for each in knowledge.documents() if each.title == "Zorgwald"])
    assert not any("zorgwald" in f"{title} {summary}".casefold() for title, summary, _ in communities(knowledge))
    knowledge.index()
    found = communities(knowledge)
    assert all(title for title, _, _ in found)
    assert not any("zorgwald" in f"{title} {summary}".casefold() for title, summary, _ in found)
