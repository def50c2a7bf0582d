"""Names that may be one are suggested from a real graph, accepted by an edit and dismissed for good."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest
from tests.commands import Run
from tests.fakes import HashingEmbedder
from tests.passages import OpenCorpus, passage

from overstory.errors import DocumentsDisabled, EntityNotFound, QuestionError
from overstory.knowledge import Knowledge
from overstory.model import ChunkText, Extraction, Mention
from overstory.retrieve import suggested_merges as module
from overstory.retrieve.suggested_merges import SuggestedMerge

NAMES = {
    "International Business Machines": "ORG",
    "IBM": "ORG",
    "Joanne Rowling": "PERSON",
    "J. K. Rowling": "PERSON",
    "Rowling": "PERSON",
    "Edinburgh": "GPE",
    "Bahram Beyzai": "PERSON",
    "Bahram Bayzai": "PERSON",
    "Tehran": "GPE",
    "John Smith": "PERSON",
    "Ann Smith": "PERSON",
    "Smith": "PERSON",
    "Python 2": "PRODUCT",
    "Python 3": "PRODUCT",
    "North British Army": "ORG",
    "NBA": "ORG",
}
DOCUMENTS = [
    passage(str(number), "", text)
    for number, text in enumerate(
        (
            "There were computers of International Business Machines (IBM) in most offices.",
            "Later, computers of IBM were in all offices.",
            "In those years Rowling lived in Edinburgh. It was there that Joanne Rowling wrote novels.",
            "The novels of J. K. Rowling are read in Edinburgh.",
            "In his films Bahram Beyzai shows Tehran.",
            "For a film Bahram Bayzai came back to Tehran.",
            "It was John Smith who met Ann Smith and heard that Smith was late.",
            "Both Python 2 and Python 3 have lists.",
            "No soldier of the North British Army plays.",
            "Everybody watches the NBA at night.",
        )
    )
]


class ListedNames:
    """Finds names of a list in texts, longer ones first."""

    fingerprint = "listed:1"
    by = "ner"

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self._any = re.compile("|".join(re.escape(name) for name in sorted(names, key=len, reverse=True)))

    def extract(self, chunks: Iterable[ChunkText]) -> Iterator[Extraction]:
        for chunk in chunks:
            starts = tuple(match.start() for match in re.finditer(r"(?:^|(?<=[a-z)]\. ))\S", chunk.text))
            mentions = tuple(
                Mention(m.group(), self._names[m.group()], sum(s <= m.start() for s in starts) - 1, m.start(), m.end())
                for m in self._any.finditer(chunk.text)
            )
            yield Extraction(chunk.id, starts, mentions, ())


@pytest.fixture
def knowledge(open_corpus: OpenCorpus) -> Knowledge:
    opened = open_corpus()
    opened.use(embedder=HashingEmbedder(16), extractor=ListedNames(NAMES))
    opened.ingest_documents(DOCUMENTS)
    opened.index()
    return opened


def pairs(knowledge: Knowledge) -> dict[tuple[str, str], SuggestedMerge]:
    return {(each.name.name, each.into.name): each for each in knowledge.suggested_merges().suggestions}


def test_each_reason_is_found_with_its_passages_and_nothing_else(knowledge: Knowledge) -> None:
    found = knowledge.suggested_merges()
    assert [(each.name.name, each.into.name, each.reason) for each in found.suggestions] == [
        ("IBM", "International Business Machines", "abbreviation"),
        ("Rowling", "Joanne Rowling", "part"),
        ("J. K. Rowling", "Joanne Rowling", "initials"),
        ("Bahram Bayzai", "Bahram Beyzai", "spelling"),
    ]
    assert (found.found, found.not_looked_up, found.crowded_blocks) == (4, 0, 0)
    assert all(0.0 < each.evidence < 1.0 for each in found.suggestions)
    ibm, part, initials, spelling = found.suggestions
    assert ibm.defined
    assert "International Business Machines (IBM)" in ibm.quotes[0].quote
    assert (ibm.name.passages, ibm.into.passages) == (2, 1)
    assert part.together == 1
    assert len(part.quotes) == 1
    assert initials.shared == 1
    assert {each.source_key for each in initials.quotes} == {"2", "3"}
    assert {"Bahram Beyzai" in each.quote for each in spelling.quotes} == {True, False}
    assert spelling.quotes[0].chunk_id != spelling.quotes[1].chunk_id


def test_limits_are_counted(knowledge: Knowledge, monkeypatch: pytest.MonkeyPatch) -> None:
    found = knowledge.suggested_merges(limit=1)
    assert (len(found.suggestions), found.found) == (1, 4)
    only = knowledge.suggested_merges(reason="spelling")
    assert [each.name.name for each in only.suggestions] == ["Bahram Bayzai"]
    monkeypatch.setattr(module, "_MOST_PAIRS_LOOKED_UP", 1)
    assert knowledge.suggested_merges().not_looked_up > 0
    monkeypatch.setattr(module, "_MOST_NAMES_A_BLOCK", 1)
    crowded = knowledge.suggested_merges()
    assert not crowded.suggestions
    assert crowded.crowded_blocks > 0
    with pytest.raises(QuestionError, match="limit is out of range"):
        knowledge.suggested_merges(limit=0)
    with pytest.raises(QuestionError, match="Unknown reason 'guess'"):
        knowledge.suggested_merges(reason="guess")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]


def test_an_accepted_one_is_merged_and_not_suggested_again_after_updates(knowledge: Knowledge) -> None:
    suggested = pairs(knowledge)["Bahram Bayzai", "Bahram Beyzai"]
    knowledge.merge_entities(suggested.name.name, suggested.into.name)
    assert ("Bahram Bayzai", "Bahram Beyzai") not in pairs(knowledge)  # before the next index, too
    knowledge.index()
    (merged,) = knowledge.entities(like="Bahram")
    assert (merged.name, merged.passages) == ("Bahram Beyzai", 2)
    knowledge.ingest_documents([passage("new", "", "All know Bahram Bayzai in Tehran.")])
    knowledge.index()
    assert [name.passages for name in knowledge.entities(like="Bahram")] == [3]
    assert not any("Bahram" in into for _, into in pairs(knowledge))
    knowledge.undo_entity_edit()
    knowledge.index()
    assert any("Bahram" in into for _, into in pairs(knowledge))


def test_a_dismissed_one_is_not_suggested_again_until_that_is_undone(knowledge: Knowledge) -> None:
    knowledge.dismiss_merge("International Business Machines", "ibm")
    knowledge.dismiss_merge("IBM", "International Business Machines")
    assert ("IBM", "International Business Machines") not in pairs(knowledge)
    (kept,) = knowledge.dismissed_merges()
    assert {kept.name, kept.into} == {"International Business Machines", "ibm"}
    knowledge.ingest_documents([passage("new", "", "They are International Business Machines (IBM) again.")])
    knowledge.index()
    assert ("IBM", "International Business Machines") not in pairs(knowledge)
    knowledge.undo_dismissed_merge("IBM", "International Business Machines")
    assert ("IBM", "International Business Machines") in pairs(knowledge)
    assert not knowledge.dismissed_merges()
    with pytest.raises(QuestionError, match="were not dismissed"):
        knowledge.undo_dismissed_merge("IBM", "International Business Machines")
    with pytest.raises(QuestionError, match="are the same name"):
        knowledge.dismiss_merge("IBM", "ibm")
    with pytest.raises(QuestionError, match="is not a valid name"):
        knowledge.dismiss_merge("IBM", "—")


def test_exports_have_what_was_dismissed(knowledge: Knowledge, open_corpus: OpenCorpus, tmp_path: Path) -> None:
    knowledge.dismiss_merge("IBM", "International Business Machines")
    knowledge.index()
    with (tmp_path / "export.jsonl").open("w") as file:
        knowledge.export(file.write)
    other = open_corpus("second")
    other.use(embedder=knowledge.embedder, extractor=knowledge.extractor)
    for _ in range(2):
        other.ingest(tmp_path / "export.jsonl")
        assert [(each.name, each.into) for each in other.dismissed_merges()] == [
            ("IBM", "International Business Machines")
        ]
    assert other.digest() == knowledge.digest()


def test_hidden_names_and_those_of_disabled_documents_are_not_suggested(knowledge: Knowledge) -> None:
    knowledge.hide_entities("J. K. Rowling")
    assert ("J. K. Rowling", "Joanne Rowling") not in pairs(knowledge)
    knowledge.disable_documents(knowledge.document_id(DOCUMENTS[0].source, "0"))
    with pytest.raises(DocumentsDisabled, match="suggestions cannot skip them"):
        knowledge.suggested_merges()


def test_the_command_lists_dismisses_and_takes_back(knowledge: Knowledge, overstory: Run) -> None:
    corpus = ("--corpus", knowledge.corpus_name)
    shown = overstory("entities", "suggest", *corpus)
    assert shown.out.startswith(
        "'IBM' (Organisation, 2 passages) → 'International Business Machines' (Organisation, 1 passage): acronym"
    )
    assert "(IBM) in most offices.  [tests/passages#0]" in shown.out
    assert "overstory entities merge NAME --into NAME" in shown.err
    few = overstory("entities", "suggest", "--limit", "1", "--json", *corpus).json()
    assert few["found"] == 4
    assert overstory("entities", "dismiss", "IBM", "International Business Machines", *corpus).code == 0
    assert "'IBM' and 'International" in overstory("entities", "dismissed", *corpus).out
    assert "IBM" not in overstory("entities", "suggest", *corpus).out
    undone = overstory("entities", "undismiss", "IBM", "International Business Machines", *corpus)
    assert "may be suggested again" in undone.out
    assert "There are no dismissed suggestions" in overstory("entities", "dismissed", *corpus).out
    assert overstory("entities", "dismiss", "IBM", *corpus).code == 2
    unknown = overstory("entities", "dismiss", "IBM", "International Busines Machines", *corpus)
    assert unknown.code == EntityNotFound.exit_code
    assert "Did you mean 'International Business Machines'?" in unknown.err
    assert "--future" not in unknown.err


def test_the_command_disables_and_enables_documents(knowledge: Knowledge, overstory: Run) -> None:
    corpus = ("--corpus", knowledge.corpus_name)
    done = overstory("documents", "--disable", "tests/passages", *corpus)
    assert done.out == f"Disabled {len(DOCUMENTS)} documents. {len(DOCUMENTS)} documents are disabled now.\n"
    assert "10 disabled documents" in overstory("status", *corpus).out
    assert overstory("documents", "--enable", knowledge.document_id("tests/passages", "3"), *corpus).code == 0
    listed = overstory("documents", *corpus)
    assert listed.out.count("  disabled\n") == len(DOCUMENTS) - 1
    assert listed.err == "9 documents are disabled; list them with: overstory documents --disabled\n"
    assert len(overstory("documents", "--disabled", *corpus).out.splitlines()) == len(DOCUMENTS) - 1
    found = overstory("search", "Where are novels read?", "--retriever", "lexical", *corpus)
    assert "9 documents are disabled, so results exclude them" in found.out + found.err
    again = overstory("documents", "--enable", "--source", "tests/passages", "--json", *corpus)
    assert again.json() == {"enabled": len(DOCUMENTS) - 1, "disabled_now": 0}
    unknown = overstory("documents", "--disable", "tests/pasages", *corpus)
    assert unknown.code == 7
    assert "tests/passages" in unknown.err
    for wrong in (("--disable",), ("name",), ("--disable", "--enable", "x"), ("--disabled", "--source", "x")):
        assert overstory("documents", *wrong, *corpus).code == 2
