"""Values of metadata as nodes: one for each, shared by its documents, gone with the last of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any, LiteralString

import pytest
from tests.fakes import HashingEmbedder, ScriptedExtractor
from tests.kills import KillableKnowledge, open_killable
from tests.passages import CURIE, DANUBE, EINSTEIN, PASSAGES, ULM, OpenCorpus
from tests.sources import pdf_of, write

from overstory.graph.statements import statement
from overstory.index.document_checks import _LONGEST_METADATA_CHARACTERS, _LONGEST_METADATA_KEY_CHARACTERS
from overstory.index.metadata_values import LONGEST_INDEXED_TEXT_CHARACTERS
from overstory.knowledge import Knowledge
from overstory.model import ChunkText, Document, Extraction, Link, Metadata

BORN = datetime(1879, 3, 14, 11, 30, tzinfo=timezone(timedelta(hours=1)))
WITH: tuple[Metadata, ...] = (
    {"year": 1905, "tags": ["physics", "zürich"], "born": BORN, "alive": False},
    {"year": 1903, "tags": ["physics", "chemistry"], "alive": False},
    {"year": "unknown", "tags": ["city"]},
    {},
)
DESCRIBED = tuple(replace(document, metadata=own) for document, own in zip(PASSAGES, WITH, strict=True))

Values = dict[tuple[str, str, object], set[str]]
"""The keys of documents by key, type and value."""


class CountingExtractor(ScriptedExtractor):
    """Counts the texts that it reads."""

    def __init__(self) -> None:
        """Knows one name."""
        super().__init__({"Ulm": "PLACE"})
        self.read = 0

    def extract(self, chunks: Iterable[ChunkText]) -> Iterator[Extraction]:
        """As `ScriptedExtractor`."""
        given = list(chunks)
        self.read += len(given)
        return super().extract(given)


def cypher(knowledge: Knowledge, text: str, **parameters: object) -> list[dict[str, Any]]:
    driver, database = knowledge.graph.native_driver(), knowledge.graph.database
    written = text.replace("LABEL", knowledge.status(sizes=False).corpus.label)
    found = driver.execute_query(written, parameters, database_=database)  # pyright: ignore[reportArgumentType, reportCallIssue]
    return [record.data() for record in found.records]


def values(knowledge: Knowledge) -> Values:
    rows = cypher(
        knowledge,
        "MATCH (v:MetadataValue:LABEL) RETURN v.key AS key, v.type AS type, properties(v) AS value, "
        "COLLECT { MATCH (v)<-[:HAS_VALUE]-(d) "
        "RETURN CASE d.source_key WHEN '' THEN d.source ELSE d.source_key END } AS documents",
    )
    found: Values = {}
    for row in rows:
        value = row["value"][row["type"]]
        value = value.to_native() if row["type"] == "date" else value
        assert (row["key"], row["type"], value) not in found
        assert len(row["documents"]) == len(set(row["documents"]))
        found[row["key"], row["type"], value] = set(row["documents"])
    return found


def keys(knowledge: Knowledge) -> dict[tuple[str, str], tuple[int, int]]:
    """Return the numbers of documents and of values, by key and type."""
    rows = cypher(
        knowledge,
        "MATCH (k:LABEL_MetadataKey) RETURN k.key AS key, k.type AS type, k.documents AS documents, "
        "COUNT { (k)<-[:OF_KEY]-() } AS values",
    )
    return {(row["key"], row["type"]): (row["documents"], row["values"]) for row in rows}


def assert_counts_are_true(knowledge: Knowledge) -> None:
    counted: dict[tuple[str, str], tuple[set[str], int]] = {}
    for (key, type_, _), documents in values(knowledge).items():
        before, number = counted.get((key, type_), (set[str](), 0))
        counted[key, type_] = (before | documents, number + 1)
    assert keys(knowledge) == {key: (len(documents), number) for key, (documents, number) in counted.items()}
    assert all(values(knowledge).values())


def counting(open_corpus: OpenCorpus) -> tuple[KillableKnowledge, HashingEmbedder, CountingExtractor]:
    embedder, extractor = HashingEmbedder(8), CountingExtractor()
    return open_killable(open_corpus, embedder=embedder, extractor=extractor), embedder, extractor


def test_documents_share_the_node_of_a_value(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(DESCRIBED)
    assert values(knowledge) == {
        ("year", "number", 1905): {"einstein"},
        ("year", "number", 1903): {"curie"},
        ("year", "text", "unknown"): {"ulm"},
        ("tags", "text", "physics"): {"einstein", "curie"},
        ("tags", "text", "zürich"): {"einstein"},
        ("tags", "text", "chemistry"): {"curie"},
        ("tags", "text", "city"): {"ulm"},
        ("born", "date", BORN): {"einstein"},
        ("alive", "boolean", False): {"einstein", "curie"},
    }
    assert keys(knowledge)["year", "number"] == (2, 2)
    assert keys(knowledge)["tags", "text"] == (3, 4)
    assert_counts_are_true(knowledge)


def test_one_point_in_time_is_one_value_and_a_document_keeps_its_time_zone(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    in_utc = replace(CURIE, metadata={"born": BORN.astimezone(UTC)})
    whole = replace(ULM, metadata={"n": 1.0})
    knowledge.ingest_documents([DESCRIBED[0], in_utc, whole, replace(DANUBE, metadata={"n": 1})])
    assert values(knowledge)["born", "date", BORN] == {"einstein", "curie"}
    assert values(knowledge)["n", "number", 1] == {"ulm", "danube"}
    stored = {document.source_key: document.metadata for document in knowledge.documents()}
    assert stored["einstein"]["born"] == BORN
    assert isinstance(stored["einstein"]["born"], datetime)
    assert stored["einstein"]["born"].utcoffset() == timedelta(hours=1)


@pytest.mark.slow
def test_updates_and_deletions_leave_what_a_fresh_load_writes(open_corpus: OpenCorpus) -> None:
    knowledge, fresh = open_corpus(), open_corpus("fresh")
    knowledge.ingest_documents(DESCRIBED)
    changed = [
        replace(EINSTEIN, metadata={"year": 1905, "tags": ["zürich"], "new": True}),
        replace(CURIE, text="Marie Curie found radium.", metadata={"tags": ["chemistry"]}),
    ]
    knowledge.ingest_documents(changed)
    knowledge.delete_documents([next(each.id for each in knowledge.documents() if each.source_key == "ulm")])
    fresh.ingest_documents([*changed, DANUBE])
    assert values(knowledge) == values(fresh)
    assert keys(knowledge) == keys(fresh)
    assert_counts_are_true(knowledge)
    for each in (knowledge, fresh):
        each.index()
    assert knowledge.digest() == fresh.digest()
    knowledge.delete_documents(source=EINSTEIN.source)
    assert (values(knowledge), keys(knowledge)) == ({}, {})


@pytest.mark.changes_schema
def test_a_deleted_corpus_leaves_no_values(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(DESCRIBED)
    label = knowledge.status().corpus.label
    knowledge.delete_corpus()
    rows, _, _ = knowledge.graph.native_driver().execute_query(
        "MATCH (n:Overstory {corpus: $label}) RETURN count(n) AS nodes", label=label, database_=knowledge.graph.database
    )
    assert rows[0]["nodes"] == 0


def test_a_change_of_metadata_alone_embeds_and_extracts_nothing(open_corpus: OpenCorpus) -> None:
    knowledge, embedder, extractor = counting(open_corpus)
    knowledge.ingest_documents(DESCRIBED)
    knowledge.index()
    chunks = cypher(knowledge, "MATCH (c:LABEL_Chunk) RETURN c.id AS id, c.touched AS touched ORDER BY id")
    touched = cypher(knowledge, "MATCH (d:LABEL_Document) RETURN d.id AS id, d.touched AS touched ORDER BY id")
    embedded, read = len(embedder.embedded), extractor.read
    report = knowledge.ingest_documents([replace(EINSTEIN, metadata={"year": 1915}), *DESCRIBED[1:]])
    assert (report.changed, report.unchanged, report.metadata_only, report.chunks) == (1, 3, 1, 0)
    assert not knowledge.index().done
    assert (len(embedder.embedded), extractor.read) == (embedded, read)
    assert chunks == cypher(knowledge, "MATCH (c:LABEL_Chunk) RETURN c.id AS id, c.touched AS touched ORDER BY id")
    assert touched == cypher(knowledge, "MATCH (d:LABEL_Document) RETURN d.id AS id, d.touched AS touched ORDER BY id")
    assert next(each.metadata for each in knowledge.documents() if each.source_key == "einstein") == {"year": 1915}
    assert "born" not in {key for key, _ in keys(knowledge)}
    assert_counts_are_true(knowledge)
    report = knowledge.ingest_documents([replace(EINSTEIN, text="Einstein moved.", metadata={"year": 1916})])
    assert (report.changed, report.metadata_only, report.chunks) == (1, 0, 1)


def test_a_type_that_changed_is_a_change(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    moment = datetime(2024, 2, 29, tzinfo=UTC)
    knowledge.ingest_documents([replace(EINSTEIN, metadata={"at": moment.isoformat()})])
    before = knowledge.digest()
    assert knowledge.ingest_documents([replace(EINSTEIN, metadata={"at": moment})]).metadata_only == 1
    assert set(values(knowledge)) == {("at", "date", moment)}
    assert knowledge.digest() != before


def test_a_touched_or_moved_file_costs_a_write_of_its_metadata(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    knowledge, embedder, extractor = counting(open_corpus)
    file = write(tmp_path / "docs" / "deep" / "ulm.txt", "Ulm is a city.")
    os.utime(file, (1_700_000_000, 1_700_000_000))
    write(tmp_path / "docs" / "deep" / ".hidden", "so that the folder is not empty when the file is gone")
    knowledge.ingest(tmp_path / "docs")
    knowledge.index()
    digest = knowledge.digest()
    (document,) = knowledge.documents()
    assert document.metadata == {
        "file_name": "ulm.txt",
        "folder": "deep",
        "size": 14,
        "modified": datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC),
    }
    embedded, read = len(embedder.embedded), extractor.read
    os.utime(file, (1_700_000_100, 1_700_000_100))
    with knowledge.graph.counted() as written:
        report = knowledge.ingest(tmp_path / "docs", sync=True)
    assert (report.changed, report.unchanged, report.metadata_only) == (0, 1, 1)
    assert written.count("load") == 1
    assert not knowledge.index().done
    assert knowledge.digest() == digest
    (document,) = knowledge.documents()
    assert document.metadata["modified"] == datetime(2023, 11, 14, 22, 15, tzinfo=UTC)
    assert [value for key, _, value in values(knowledge) if key == "modified"] == [document.metadata["modified"]]
    with knowledge.graph.counted() as written:
        report = knowledge.ingest(tmp_path / "docs", sync=True)
    assert (report.unchanged, report.metadata_only) == (1, 0)
    assert "load" not in written
    file.rename(tmp_path / "docs" / "ulm.txt")
    report = knowledge.ingest(tmp_path / "docs", sync=True)
    assert (report.moved, report.added, report.removed) == (1, 0, 0)
    knowledge.index()
    assert (len(embedder.embedded), extractor.read) == (embedded, read)
    (document,) = knowledge.documents()
    assert (document.metadata["file_name"], document.metadata["folder"]) == ("ulm.txt", ".")
    assert_counts_are_true(knowledge)


def test_what_a_document_says_itself_goes_before_what_its_file_says(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    knowledge = open_corpus()
    file = write(tmp_path / "a.md", "---\nsize: large\n---\n\nA text.")
    knowledge.ingest(file)
    (document,) = knowledge.documents()
    assert document.metadata["size"] == "large"
    write(file, "---\nsize: small\n---\n\nA text.")
    report = knowledge.ingest(file)
    assert (report.changed, report.metadata_only) == (1, 1)
    write(file, "A text.")
    assert knowledge.ingest(file).changed == 1
    (document,) = knowledge.documents()
    assert document.metadata["size"] == 7


def test_a_record_of_a_file_has_no_size_and_time_of_its_file(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    knowledge = open_corpus()
    file = write(tmp_path / "t.csv", "id,text\n1,One.\n2,Two.\n")
    knowledge.ingest(tmp_path)
    assert [each.metadata for each in knowledge.documents()] == [{"file_name": "t.csv", "folder": "."}] * 2
    write(file, "id,text\n1,One.\n2,Two.\n3,Three.\n")
    report = knowledge.ingest(tmp_path)
    assert (report.added, report.unchanged, report.metadata_only) == (1, 2, 0)


@pytest.mark.slow
@pytest.mark.parametrize("again", [True, False])
def test_a_corpus_of_an_earlier_version_gets_its_values_and_is_not_read_as_changed(
    open_corpus: OpenCorpus, tmp_path: Path, again: bool
) -> None:
    write(tmp_path / "a.md", "---\ntags: [one, two]\n---\n\nA text.")
    write(tmp_path / "b.pdf", pdf_of(["First page.", "Second page."]))
    knowledge, embedder, extractor = counting(open_corpus)
    fresh = open_corpus("fresh", embedder=HashingEmbedder(8), extractor=CountingExtractor())
    for each in (knowledge, fresh):
        each.ingest(tmp_path)
        each.index()
    as_an_earlier_version_left_it(knowledge)
    embedded, read = len(embedder.embedded), extractor.read
    assert knowledge.status().pending["metadata"] == 2
    if again:
        report = knowledge.ingest(tmp_path)
        assert (report.changed, report.unchanged, report.metadata_only) == (0, 2, 2)
        assert not knowledge.index().done
        assert values(knowledge) == values(fresh)
        assert knowledge.digest() == fresh.digest()
    else:
        assert knowledge.index().done == ("metadata",)
        assert {key for key, _, _ in values(knowledge)} == {"tags", "pages", "producer"}
    assert knowledge.status().pending["metadata"] == 0
    assert pages(knowledge) == pages(fresh)
    assert_counts_are_true(knowledge)
    assert (len(embedder.embedded), extractor.read) == (embedded, read)


def as_an_earlier_version_left_it(knowledge: Knowledge) -> None:
    cypher(knowledge, "MATCH (n:LABEL) WHERE n:MetadataValue OR n:MetadataKey DETACH DELETE n")
    cypher(knowledge, "MATCH (c:LABEL_Chunk) REMOVE c.page")
    cypher(
        knowledge,
        "MATCH (d:LABEL_Document) REMOVE d.file_metadata, d.metadata_file_name, d.metadata_folder, d.metadata_size, "
        "d.metadata_modified",
    )
    cypher(knowledge, "MATCH (c:Corpus:LABEL) REMOVE c.metadata_by")


def pages(knowledge: Knowledge) -> list[object]:
    rows = cypher(knowledge, "MATCH (c:LABEL_Chunk) RETURN c.page AS page ORDER BY c.text")
    return [row["page"] for row in rows]


def test_chunks_of_a_pdf_have_their_pages(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    sentence = "The quick brown fox jumps over the lazy dog.\n"
    write(tmp_path / "a.pdf", pdf_of([f"Page {n}.\n" + sentence * 20 for n in range(1, 4)]))
    knowledge = open_corpus(embedder=HashingEmbedder(8), extractor=ScriptedExtractor({}))
    knowledge.ingest(tmp_path)
    rows = cypher(knowledge, "MATCH (c:LABEL_Chunk) RETURN c.page AS page, c.id AS id")
    assert {row["page"] for row in rows} == {1, 2, 3}
    assert "page_starts" not in {key for key, _ in keys(knowledge)}
    knowledge.index()
    by_id = {row["id"]: row["page"] for row in rows}
    assert all(hit.page == by_id[hit.chunk_id] for hit in knowledge.search("fox", 10, retriever="lexical").hits)


def test_the_longest_texts_and_keys_fit_an_index(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    wide = "\U0001f40d"
    key = wide * _LONGEST_METADATA_KEY_CHARACTERS
    longest, too_long = wide * LONGEST_INDEXED_TEXT_CHARACTERS, wide * (_LONGEST_METADATA_CHARACTERS - 1)
    knowledge.ingest_documents(
        [
            replace(EINSTEIN, metadata={key: longest}),
            replace(CURIE, metadata={key: too_long}),
            replace(ULM, metadata={key: too_long + "."}),
        ]
    )
    assert keys(knowledge) == {(key, "text"): (3, 3)}
    stored = cypher(knowledge, "MATCH (v:MetadataValue:LABEL) RETURN v.text AS text, v.cut AS cut")
    assert [row["text"] for row in stored] == [longest] * 3
    assert sorted(bool(row["cut"]) for row in stored) == [False, True, True]
    assert {str(each.metadata[key]) for each in knowledge.documents()} == {longest, too_long, too_long + "."}
    knowledge.delete_documents(source=EINSTEIN.source)
    assert keys(knowledge) == {}


@pytest.mark.parametrize("write_", [1, 2, 3, 4])
def test_a_killed_load_leaves_counts_that_are_true_and_goes_on(open_corpus: OpenCorpus, write_: int) -> None:
    knowledge, _, _ = counting(open_corpus)
    knowledge.ingest_documents(DESCRIBED[:2])
    changed = [replace(EINSTEIN, metadata={"year": 1}), replace(CURIE, text="New."), *DESCRIBED[2:]]
    with knowledge.graph.killed_at(write_, of="load"):
        knowledge.ingest_documents(changed)
    assert_counts_are_true(knowledge)
    knowledge.ingest_documents(changed)
    assert_counts_are_true(knowledge)
    assert values(knowledge)["year", "number", 1] == {"einstein"}
    assert "curie" not in set().union(*values(knowledge).values())


def test_a_killed_deletion_leaves_counts_that_are_true(open_corpus: OpenCorpus) -> None:
    knowledge, _, _ = counting(open_corpus)
    knowledge.ingest_documents(DESCRIBED)
    with knowledge.graph.killed_at(1, of="delete"):
        knowledge.delete_documents(source=EINSTEIN.source)
    assert_counts_are_true(knowledge)
    assert len(keys(knowledge)) == 5


@pytest.mark.changes_schema
@pytest.mark.parametrize("statement_", ["corpus/part_values", "corpus/delete_values", "corpus/delete_keys"])
def test_a_corpus_whose_deletion_was_killed_gets_its_values_again(open_corpus: OpenCorpus, statement_: str) -> None:
    knowledge, _, _ = counting(open_corpus)
    knowledge.ingest_documents(DESCRIBED)
    before = values(knowledge), keys(knowledge)
    with knowledge.graph.killed_at(last=statement_):
        knowledge.delete_corpus()
    assert knowledge.metadata().notes
    knowledge.ingest_documents(DESCRIBED)
    assert (values(knowledge), keys(knowledge)) == before


def test_links_of_documents_are_no_matter_of_their_metadata(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    link = Link(EINSTEIN.source, "einstein", "ulm")
    knowledge.ingest_documents([*DESCRIBED, link])
    report = knowledge.ingest_documents([replace(EINSTEIN, metadata={"year": 1}), link])
    assert (report.metadata_only, report.relinked) == (1, 0)
    assert knowledge.status().counts["links"] == 1


HUB = 20_000
"""Documents that share a value: a look at each would show in what is read."""


def test_a_value_that_all_documents_share_costs_an_update_no_more(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([replace(each, metadata={"all": "same"}) for each in PASSAGES])
    cypher(
        knowledge,
        "MATCH (v:MetadataValue:LABEL) UNWIND range(1, $hub) AS n "
        "CREATE (:Document:Overstory {id: $run + n, source_key: ''})"
        "-[:HAS_VALUE]->(v)",
        hub=HUB,
        run=knowledge.status().corpus.label,
    )
    try:
        ids = {
            row["key"]: row["id"]
            for row in cypher(knowledge, "MATCH (d:LABEL_Document) RETURN d.source_key AS key, d.id AS id")
        }
        (value,) = cypher(knowledge, "MATCH (v:MetadataValue:LABEL)-[:OF_KEY]->(k) RETURN v.id AS id, k.id AS key")
        parted = {"rows": [{"id": value["id"], "documents": [ids["ulm"]]}]}
        tied = {"rows": [{**value, "properties": {}, "documents": [ids["ulm"]]}]}
        assert hits_of(knowledge, "ingest/known_values", ids=list(ids.values())) < 200
        assert hits_of(knowledge, "ingest/remove_values", **parted) < 200
        assert hits_of(knowledge, "ingest/write_values", **tied) < 200
        (tied_to,) = cypher(knowledge, "MATCH (v:MetadataValue:LABEL) RETURN COUNT { (v)<-[:HAS_VALUE]-() } AS n")
        assert tied_to["n"] == HUB + len(PASSAGES)
    finally:
        cypher(
            knowledge,
            "MATCH (d:Document:Overstory) WHERE d.id STARTS WITH $run DETACH DELETE d",
            run=knowledge.status().corpus.label,
        )


@pytest.mark.parametrize(
    ("type_", "value"), [("text", "toString(n)"), ("number", "n"), ("date", "datetime({year: n})")]
)
def test_examples_of_a_key_with_many_values_are_read_from_an_index(
    open_corpus: OpenCorpus, type_: str, value: str
) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([replace(EINSTEIN, metadata={"k": "v"})])
    label = knowledge.status().corpus.label
    cypher(
        knowledge,
        "UNWIND range(1000, 5999) AS n CREATE (:MetadataValue:Overstory:LABEL "
        f"{{id: $label + n, corpus: $label, key: 'many', {type_}: {value}}})",
        label=label,
    )
    statement_ = f"corpus/metadata_first_{type_}s"
    (row,) = knowledge.graph.run(statement_, label, read=True, keys=["many"], limit=3)
    assert (len(row["first"]), len(row["last"])) == (3, 1)
    assert hits_of(knowledge, statement_, keys=["many"], limit=3) < 100


def hits_of(knowledge: Knowledge, name: str, **parameters: object) -> int:
    """Return the database hits of a statement."""
    label = knowledge.status(sizes=False).corpus.label
    text: LiteralString = "PROFILE " + statement(name, label)  # pyright: ignore[reportAssignmentType] # read from a file
    driver, database = knowledge.graph.native_driver(), knowledge.graph.database
    below = [driver.execute_query(text, {"corpus": label, **parameters}, database_=database).summary.profile]
    total = 0
    while below:
        operator = below.pop()
        assert operator is not None
        total += operator.get("dbHits", 0)
        below += operator.get("children", [])
    return total


def test_a_document_of_a_program_has_only_what_can_be_stored(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    naive: Document = replace(EINSTEIN, metadata={"at": datetime(2024, 2, 29)})  # noqa: DTZ001 # what is refused
    report = knowledge.ingest_documents([naive, CURIE])
    assert report.added == 1
    assert "'at'" in str(report.broken[0])
    assert "time zone" in report.broken[0].remedy
