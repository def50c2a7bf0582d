"""Trees and reports under a filter: what stands on matching documents alone, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.commands import Run
from tests.passages import OpenCorpus

from overstory.errors import QuestionError
from overstory.knowledge import Knowledge
from overstory.model import Document
from overstory.model.communities import Community

SAID = {
    "salt": ("Salt keeps fish fresh.", "Salt comes from the sea.", "Sea salt is sold on the market."),
    "keys": ("Keys are rotated every month.", "Lost keys are revoked.", "Signing keys are kept in a vault."),
    "rain": ("Rain fell on Leith.", "The rain in Leith went on.", "Umbrellas help against rain."),
}
DOCUMENTS = [
    Document("notes", f"{of}{number}", f"{text} {text}", f"On {of}", {"of": of})
    for of, texts in SAID.items()
    for number, text in enumerate(texts)
]


@pytest.fixture(scope="module")
def notes(open_module_corpus: OpenCorpus) -> Knowledge:
    knowledge = open_module_corpus()
    knowledge.ingest_documents(DOCUMENTS)
    knowledge.index(systems=["serag", "tretriever:over=documents"])
    return knowledge


def passages(community: Community) -> Iterator[str]:
    yield from (passage.source_key for passage in community.passages)
    yield from (document.source_key for document in community.documents)
    for below in community.communities:
        yield from passages(below)


@pytest.mark.parametrize("tree", ["serag", "tretriever"])
def test_communities_have_nothing_of_other_documents(notes: Knowledge, tree: str) -> None:
    whole = notes.tree(tree=tree)
    assert notes.tree(tree=tree, where="of exists").community.size == sum(
        each.size for each in whole.community.communities
    )
    shown = 0
    for of in SAID:
        for where in (f"of = '{of}'", f"not of = '{of}'"):
            found = notes.tree(tree=tree, depth=4, limit=100, where=where)
            wanted = {of} if "not" not in where else SAID.keys() - {of}
            allowed = {document.source_key for document in DOCUMENTS if document.metadata["of"] in wanted}
            keys = list(passages(found.community))
            assert set(keys) <= allowed
            assert len(keys) == found.size == found.community.size == sum(e.size for e in found.community.communities)
            assert found.entropy is None
            shown += len(keys)
    assert shown


def test_the_highest_communities_are_shown_and_others_are_unknown(notes: Knowledge) -> None:
    whole = notes.tree(tree="serag", depth=4, limit=100)

    def own(community: Community, of: str) -> bool:
        return all(key.startswith(of) for key in passages(community))

    def highest(community: Community, of: str) -> Iterator[str]:
        for below in community.communities:
            if own(below, of):
                yield below.id
            else:
                yield from highest(below, of)

    for of in SAID:
        found = notes.tree(tree="serag", where=f"of = '{of}'")
        assert sorted(each.id for each in found.community.communities) == sorted(highest(whole.community, of))
    mixed = [each for each in whole.community.communities if not any(own(each, of) for of in SAID)]
    for each in mixed[:1]:
        with pytest.raises(QuestionError, match="No community has an id"):
            notes.tree(each.id, tree="serag", where="of = 'salt'")


def test_reports_stand_on_matching_documents(notes: Knowledge, overstory: Run) -> None:
    everything = notes.reports(where="of exists", limit=100)
    assert [each.id for each in everything.reports] == [each.id for each in notes.reports(limit=100).reports]
    for of in SAID:
        for level in range(1, len(everything.levels) + 1):
            found = notes.reports(where=f"of = '{of}'", level=level, limit=100)
            every = {each.id for each in notes.reports(level=level, limit=100).reports}
            others = every - {each.id for each in found.reports}
            for each in found.reports:
                whole = notes.report(each.id, where=f"of = '{of}'")
                assert whole.findings
                assert all(p.source_key.startswith(of) for finding in whole.findings for p in finding.passages)
            for id_ in others:
                stated = notes.report(id_).findings
                assert any(not p.source_key.startswith(of) for finding in stated for p in finding.passages)
                with pytest.raises(QuestionError, match="No community has an id"):
                    notes.report(id_, where=f"of = '{of}'")
            if others:
                assert any("left out" in note for note in found.notes)
    corpus = ("--corpus", notes.corpus_name, "--where", "of = 'salt'")
    assert "vault" not in overstory("report", *corpus).out + overstory("tree", *corpus).out
