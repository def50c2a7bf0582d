"""The contract of every system: ours, and one in another package, found through its entry point."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, LiteralString

import pytest
from tests.contract.system_contents import NAMES, graph_of, rows
from tests.packages import OUTSIDE
from tests.passages import CURIE, DANUBE, PASSAGES, ULM, OpenCorpus, passage

from overstory.errors import IndexMissing, MemoryKept, SettingsError
from overstory.knowledge import Knowledge
from overstory.retrieve import retriever_names
from overstory.systems import Learner, Remembers, find_system
from overstory.systems.settings import described, parse, usage
from overstory_systems.serag import SeragIndexSettings

pytestmark = pytest.mark.usefixtures("outside")

QUESTION = "Where was Albert Einstein born?"
BOHR = passage("bohr", "Niels Bohr", "Niels Bohr lived in Copenhagen. He argued with Albert Einstein.")
KINDS_OF_NAMES = {"PersonName", "OrganisationName", "PlaceName", "WorkName", "TechnicalName"}
SHARED_BY_SYSTEMS = {"TreeNode", "CommunityReport", "DerivedVector"}
WRITTEN_LATER = {"ToyMemory", "AprAnswer", "AprQuestion", "AprMemory", "HiragReading"}
"""By what learns, or by a language model."""
MARKS = {"Overstory", "OfChunk", "OfDocument", "OfEntity", "Shared"}
SHARED = {"Corpus", "Stage", "Document", "Chunk", "Entity", "Fact", "PassageVector"} | SHARED_BY_SYSTEMS


@pytest.fixture(scope="module")
def base(outside: None, open_module_corpus: OpenCorpus) -> Knowledge:
    """A corpus with the index that every corpus has, and no system's."""
    knowledge = open_module_corpus()
    knowledge.ingest_documents(PASSAGES)
    knowledge.index()
    return knowledge


@pytest.fixture
def bare(base: Knowledge) -> Knowledge:
    """The corpus without the indexes that other tests left."""
    for report in base.system_reports():
        base.remove_system(report.name)
    return base


@pytest.fixture(scope="module", params=NAMES)
def tested(request: pytest.FixtureRequest, base: Knowledge) -> Iterator[str]:
    """The name of a system; all tests of one run before those of the next."""
    yield str(request.param)
    base.remove_system(str(request.param))


@pytest.fixture
def name(tested: str, bare: Knowledge) -> str:
    """The name of a system whose index is not there."""
    return tested


@pytest.fixture
def indexed(tested: str, base: Knowledge) -> str:
    """The name of a system whose index is there and up to date, as another test may have left it."""
    base.index(systems=[tested])
    return tested


def test_other_retrievers_find_the_same_with_and_without_it(base: Knowledge, name: str) -> None:
    before = found_by_others(base)
    base.index(systems=[name])
    assert found_by_others(base) == before


def found_by_others(base: Knowledge) -> dict[str, object]:
    """Return the results of each retriever without scores, because Lucene counts passages that other tests deleted
    until it merges its segments.
    """
    found = {name: base.search(QUESTION, 4, retriever=name) for name in retriever_names()}
    return {
        name: ([hit.chunk_id for hit in each.hits], [part.text for part in each.parts], each.notes)
        for name, each in found.items()
    }


def test_removal_leaves_no_trace(base: Knowledge, name: str) -> None:
    before = graph_of(base)
    base.index(systems=[name])
    assert graph_of(base) != before
    assert base.search(QUESTION, 2, retriever=name).hits
    base.remove_system(name)
    assert graph_of(base) == before
    with pytest.raises(IndexMissing, match=f"has no {find_system(name).title} index") as missing:
        base.search(QUESTION, retriever=name)
    assert f"overstory index --system {name} " in missing.value.remedy


def test_an_estimate_sends_and_writes_nothing(base: Knowledge, name: str) -> None:
    version = base.status().corpus.version
    assert base.estimate_index([name]).requests == 0
    assert base.status().corpus.version == version
    with pytest.raises(SettingsError):
        base.estimate_index([f"{name}:nonsense"])


def test_where_nothing_changed_nothing_is_done(base: Knowledge, name: str) -> None:
    assert base.index(systems=[name]).done == (name,)
    version = base.status().corpus.version
    assert base.index().done == ()
    assert base.index(systems=[name]).done == ()
    assert base.status().corpus.version == version
    assert base.status().pending[name] == 0


def test_all_that_it_writes_is_owned(base: Knowledge, indexed: str) -> None:
    system = find_system(indexed)
    label = base.status().corpus.label
    kinds = {
        one
        for (labels,) in rows(base, "MATCH (n {corpus: $label}) RETURN DISTINCT labels(n)")
        for one in labels
        if one not in MARKS and not one.startswith((label, "IndexSet_"))
    }
    assert kinds - SHARED - KINDS_OF_NAMES <= set(system.owns.labels)
    assert set(system.owns.labels) - kinds <= WRITTEN_LATER


def test_an_index_says_what_it_lacks_until_it_is_brought_up_to_date(base: Knowledge, indexed: str) -> None:
    base.ingest_documents(BOHR)
    try:
        base.index()
        (report,) = base.system_reports()
        assert report.pending == 0
        assert base.search("Who argued with Albert Einstein?", 4, retriever=indexed).notes == ()
    finally:
        base.delete_documents(base.document_id(BOHR.source, BOHR.source_key))
    assert "bohr" not in {hit.source_key for hit in base.search(QUESTION, 5, retriever=indexed).hits}
    behind = base.status().pending[indexed] > 0
    notes = base.search(QUESTION, 5, retriever=indexed).notes
    assert any("run overstory index" in note for note in notes) == behind
    base.index()
    assert base.status().pending[indexed] == 0


def test_what_came_and_went_leaves_the_index_as_it_was(base: Knowledge, indexed: str) -> None:
    before = [hit.chunk_id for hit in base.search(QUESTION, 4, retriever=indexed).hits]
    counts = graph_of(base)[0]
    base.ingest_documents(BOHR)
    base.index()
    base.delete_documents(base.document_id(BOHR.source, BOHR.source_key))
    base.index()
    assert graph_of(base)[0] == counts
    assert [hit.chunk_id for hit in base.search(QUESTION, 4, retriever=indexed).hits] == before


def test_an_unknown_option_is_refused_before_anything_is_done(base: Knowledge, indexed: str) -> None:
    version = base.status().corpus.version
    base.ingest_documents(BOHR)
    loaded = base.status().corpus.version
    try:
        with pytest.raises(SettingsError, match="has no option 'nonsense=3'") as refused:
            base.index(systems=[f"{indexed}:nonsense=3"])
        assert "Use " in refused.value.remedy
        with pytest.raises(SettingsError, match="has no option 'nonsense'"):
            base.search(QUESTION, retriever=f"{indexed}:nonsense")
        assert base.status().corpus.version == loaded > version
        assert base.status().pending["embed"] == 1
    finally:
        base.delete_documents(base.document_id(BOHR.source, BOHR.source_key))
        base.index()


def test_options_are_as_good_from_python_as_from_a_text(base: Knowledge, indexed: str) -> None:
    system = find_system(indexed)
    for kind in (system.settings, system.retriever_settings):
        assert parse(kind, "", of="it") == kind()
        assert described(kind()) == ""
        assert usage(kind)
    assert base.index(systems=system.settings()).done == ()  # as by its name
    assert base.search(QUESTION, 2, retriever=system.retriever_settings()) == base.search(
        QUESTION, 2, retriever=indexed
    )


def test_a_system_that_is_not_there_is_named_with_those_that_are(base: Knowledge) -> None:
    with pytest.raises(SettingsError, match="no system 'hirag9'") as refused:
        base.index(systems=["hirag9"])
    assert "slimrag" in refused.value.remedy


@pytest.mark.parametrize(
    ("systems", "message"),
    [
        (["slimrag,serag"], "is not one system"),
        (["serag", "serag:levels=3"], "is named twice"),
        ([SeragIndexSettings], "is a class"),
        ([object()], "object is not the settings class"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_a_way_out(base: Knowledge, systems: Any, message: str) -> None:
    version = base.status().corpus.version
    with pytest.raises(SettingsError, match=message) as refused:
        base.index(systems=systems)
    assert refused.value.remedy
    assert base.status().corpus.version == version


def test_an_index_whose_package_is_gone_is_told(bare: Knowledge) -> None:
    bare.index(systems=["toy"])
    sys.path.remove(str(OUTSIDE))
    try:
        (note,) = bare.index().notes
        assert "'toy' was not updated because its package is not installed" in note
        (report,) = bare.system_reports()
        assert (report.name, report.how) == ("toy", "its package is not installed")
    finally:
        sys.path.insert(0, str(OUTSIDE))
    bare.remove_system("toy")


@pytest.mark.slow
@pytest.mark.usefixtures("indexed")
def test_nothing_that_stands_on_a_deleted_unit_outlives_it(base: Knowledge) -> None:
    base.ingest_documents(BOHR)
    base.index()
    dangling: LiteralString = (
        "MATCH (n {corpus: $label}) WHERE any(l IN labels(n) WHERE l IN "
        "['OfChunk', 'OfDocument', 'OfEntity']) "
        "AND NOT EXISTS { (n)-->(:Chunk|Document|Entity) } RETURN n.id"
    )
    unshared: LiteralString = "MATCH (n {corpus: $label}) WHERE n:Shared AND NOT EXISTS { (n)<--() } RETURN n.id"
    for document in (BOHR, ULM, DANUBE, CURIE):
        base.delete_documents(base.document_id(document.source, document.source_key))
        assert rows(base, dangling) == []
        assert rows(base, unshared) == []
    base.ingest_documents(PASSAGES)
    base.index()


def test_only_the_systems_that_learn_remember_and_only_when_asked(base: Knowledge, indexed: str) -> None:
    remembered: LiteralString = "MATCH (n:ToyMemory|AprAnswer {corpus: $label}) RETURN n.text"
    answer = base.ask(QUESTION, retriever=indexed)
    assert rows(base, remembered) == []
    system = find_system(indexed)
    if not isinstance(system, Learner):
        with pytest.raises(SettingsError, match=f"{indexed!r} does not learn from answers"):
            base.ask(QUESTION, retriever=indexed, remember=True)
        return
    told = base.ask(QUESTION, retriever=indexed, remember=True)
    assert told.notes[:-1] == answer.notes
    assert "remember" in told.notes[-1]
    assert rows(base, remembered) == [[answer.text]]
    if isinstance(find_system(indexed), Remembers):
        with pytest.raises(MemoryKept):
            base.remove_system(indexed)
        assert [stored.text for stored in base.memory.answers()] == [answer.text]
    base.remove_system(indexed, forget=True)
    assert rows(base, remembered) == []
