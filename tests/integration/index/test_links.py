"""Links between documents: written with the documents they start from, kept while their targets are missing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from tests.kills import open_killable
from tests.passages import OpenCorpus

from overstory.errors import BrokenSource
from overstory.graph import GraphClient, Transaction, read_corpus, writing
from overstory.index.changes import LoadTarget
from overstory.index.links import _LINKS_A_COMMIT, ReadLinks, store_links
from overstory.knowledge import Knowledge
from overstory.model import Document, Link, Loaded
from overstory.protocols import Silence
from overstory.settings import Settings
from overstory.transfer.export import sealed, unsealed

A, B, C = (Document("graph", key, f"The vertex {key} of a graph.") for key in ("a", "b", "c"))
T = TypeVar("T")
Stored = set[tuple[str, str, str, str, float]]


def link(start: str, end: str, type_: str = "KNOWS", text: str = "", weight: float = 1.0) -> Link:
    return Link("graph", start, end, type=type_, text=text, weight=weight)


def stored(knowledge: Knowledge, kind: str = "Document") -> Stored:
    """Return the links to nodes of a kind, read with Cypher of the test's own."""
    label = knowledge.status().corpus.label
    key = "source_key" if kind == "Document" else "target_key"
    records, _, _ = knowledge.graph.native_driver().execute_query(
        "MATCH (d:Document {corpus: $label})-[l:LINKS]->(t) WHERE $kind IN labels(t) "
        "RETURN d.source_key, t[$key], l.type, l.text, l.weight",
        label=label,
        kind=kind,
        key=key,
        database_=knowledge.graph.database,
    )
    assert len(records) == len({tuple(record.values()) for record in records})
    return {tuple(record.values()) for record in records}


def missing(knowledge: Knowledge) -> Stored:
    return stored(knowledge, "MissingDocument")


def test_links_are_written_once_for_each_pair_type_and_text(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    given: list[Loaded] = [
        link("b", "a"),
        A,
        link("a", "b"),
        B,
        link("a", "b"),
        link("a", "b", text="well"),
        link("a", "a"),
    ]
    report = knowledge.ingest_documents(given)
    assert (report.added, report.links, report.relinked, report.broken) == (2, 5, 2, [])
    expected = {
        ("b", "a", "KNOWS", "", 1.0),
        ("a", "b", "KNOWS", "", 2.0),
        ("a", "b", "KNOWS", "well", 1.0),
        ("a", "a", "KNOWS", "", 1.0),
    }
    assert stored(knowledge) == expected
    assert knowledge.status().counts["links"] == 4
    assert {document.source_key: document.links for document in knowledge.documents()} == {"a": 3, "b": 1}
    version, digest = knowledge.status().corpus.version, knowledge.digest()
    again = knowledge.ingest_documents(given)
    assert (again.unchanged, again.relinked) == (2, 0)
    assert knowledge.digest() == digest
    assert stored(knowledge) == expected
    assert knowledge.status().corpus.version == version


def test_links_of_a_document_are_replaced_when_it_is_read_again(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([A, B, C, link("a", "b"), link("a", "c"), link("b", "c")])
    digest = knowledge.digest()
    report = knowledge.ingest_documents([A, link("a", "c", weight=0.5), link("a", "b", "LIKES")])
    assert (report.unchanged, report.relinked) == (1, 1)
    assert stored(knowledge) == {
        ("a", "c", "KNOWS", "", 0.5),
        ("a", "b", "LIKES", "", 1.0),
        ("b", "c", "KNOWS", "", 1.0),
    }
    assert knowledge.digest() != digest
    assert knowledge.ingest_documents([A]).relinked == 1
    assert stored(knowledge) == {("b", "c", "KNOWS", "", 1.0)}
    knowledge.ingest_documents([A, link("a", "b"), link("a", "c")])
    assert knowledge.digest() == digest


def test_a_link_waits_for_its_target_and_outlives_it(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    report = knowledge.ingest_documents([A, link("a", "b"), link("a", "c")])
    assert report.unresolved == 2
    assert (stored(knowledge), len(missing(knowledge))) == (set(), 2)
    assert knowledge.status().counts["unresolved_links"] == 2
    touched = _touched(knowledge, "a")
    assert knowledge.ingest_documents([B, C, link("b", "c")]).unresolved == 0
    expected = {("a", "b", "KNOWS", "", 1.0), ("a", "c", "KNOWS", "", 1.0), ("b", "c", "KNOWS", "", 1.0)}
    assert (stored(knowledge), missing(knowledge)) == (expected, set())
    assert _touched(knowledge, "a") > touched
    digest = knowledge.digest()
    touched = _touched(knowledge, "a")
    knowledge.delete_documents([_id(knowledge, "b"), _id(knowledge, "c")])
    assert stored(knowledge) == set()
    assert missing(knowledge) == {("a", "b", "KNOWS", "", 1.0), ("a", "c", "KNOWS", "", 1.0)}
    assert _touched(knowledge, "a") > touched
    knowledge.ingest_documents([B, C, link("b", "c")])
    assert (stored(knowledge), missing(knowledge), knowledge.digest()) == (expected, set(), digest)


def test_deleting_a_document_deletes_its_links_and_what_they_waited_for(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([A, B, link("a", "x"), link("b", "x"), link("a", "y"), link("a", "b")])
    knowledge.delete_documents([_id(knowledge, "a")])
    assert (stored(knowledge), missing(knowledge)) == (set(), {("b", "x", "KNOWS", "", 1.0)})
    assert _nodes(knowledge, "MissingDocument") == 1
    knowledge.ingest_documents([B])
    assert _nodes(knowledge, "MissingDocument") == 0


def test_links_that_begin_nowhere_are_reported_and_broken_ones_left_out(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    report = knowledge.ingest_documents([A, link("z", "a"), link("z", "b"), link("a", "a", weight=0.0)])
    assert sorted(map(str, report.broken)) == [
        "graph: a link from 'a' to 'a' has the invalid weight 0.0.",
        "graph: no document has the key 'z', at which 2 links start.",
    ]
    assert (stored(knowledge), missing(knowledge)) == (set(), set())


@pytest.mark.slow
def test_links_in_several_transactions_go_on_after_an_interruption(open_corpus: OpenCorpus) -> None:
    """The first transaction is committed, the second never comes; then the former links are wanted again."""
    knowledge = open_killable(open_corpus)
    before: list[Loaded] = [A, *(link("a", f"old {number}") for number in range(3))]
    knowledge.ingest_documents(before)
    digest = knowledge.digest()
    after: list[Loaded] = [A, *(link("a", f"new {number}") for number in range(_LINKS_A_COMMIT))]
    with knowledge.graph.killed_at(2, of="links"):
        knowledge.ingest_documents(after)
    assert len(missing(knowledge)) == _LINKS_A_COMMIT - 3  # the three old ones deleted
    assert knowledge.ingest_documents(before).relinked == 1
    assert knowledge.digest() == digest
    assert knowledge.ingest_documents(after).relinked == 1
    assert {end for _, end, *_ in missing(knowledge)} == {f"new {number}" for number in range(_LINKS_A_COMMIT)}


def test_links_travel_in_an_export(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    knowledge = open_corpus("exported")
    knowledge.ingest_documents([A, B, link("a", "b", text="well"), link("b", "a", weight=0.25), link("a", "gone")])
    digest = knowledge.digest()
    file = tmp_path / "export.jsonl"
    with file.open("w") as out:
        knowledge.export(out.write)
    restored = open_corpus("restored")
    report = restored.ingest([file])
    assert (report.links, report.relinked, report.unresolved) == (3, 2, 1)
    assert restored.digest() == digest
    assert (stored(restored), missing(restored)) == (stored(knowledge), missing(knowledge))
    lines = [line for _, line in unsealed(file.read_bytes().splitlines(), "export")]
    assert restored.ingest([file]).relinked == 0
    restored.ingest_documents([A, link("a", "gone")])
    assert restored.ingest([file]).relinked == 1
    assert restored.digest() == digest
    records = [json.loads(line) for line in lines]
    records[1]["links"][0]["weight"] = -1
    file.write_text("\n".join(sealed(map(json.dumps, records))))
    assert "has the invalid weight -1.0" in str(open_corpus("broken").ingest([file]).broken[0])


def test_hyperlinks_of_files_follow_a_folder(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    knowledge = open_corpus()
    (tmp_path / "a.md").write_text("# A\n\nSee [B](b.html) and [C](c.md).\n")
    (tmp_path / "b.html").write_text("<title>B</title><p>Back to <a href='a.md#top'>A</a>.")
    report = knowledge.ingest([tmp_path])
    assert (report.added, report.links, report.relinked, report.unresolved) == (2, 3, 2, 1)
    assert {(type_, text) for _, _, type_, text, _ in stored(knowledge)} == {("HYPERLINK", "B"), ("HYPERLINK", "A")}
    (tmp_path / "b.html").rename(tmp_path / "c.md")
    report = knowledge.ingest([tmp_path], sync=True)
    assert (report.moved, report.unresolved) == (0, 1)  # "C" is there now, "B" is gone
    assert {text for *_, text, _ in stored(knowledge)} == {"C"}
    assert {text for *_, text, _ in missing(knowledge)} == {"B"}


def test_links_that_a_broken_file_hides_stay(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    knowledge = open_corpus()
    (tmp_path / "nodes.csv").write_text("id,name\na,A\nb,B\n")
    edges = tmp_path / "edges.csv"

    def ingest(rows: str) -> tuple[int, int]:
        edges.write_text(f"source,target,type\n{rows}")
        would, done = knowledge.preview([tmp_path]), knowledge.ingest([tmp_path])
        assert would.relinked == done.relinked
        return done.relinked, len(stored(knowledge))

    assert ingest("a,b,KNOWS\na,a,LIKES\n") == (1, 2)
    assert ingest("a,b,KNOWS\na,a\n") == (0, 2)
    assert ingest("a,b,TEACHES\na,a\n") == (1, 3)
    assert ingest("a,b,TEACHES\n") == (1, 1)


def _id(knowledge: Knowledge, key: str) -> str:
    (found,) = (document.id for document in knowledge.documents() if document.source_key == key)
    return found


def _touched(knowledge: Knowledge, key: str) -> int:
    rows, _, _ = knowledge.graph.native_driver().execute_query(
        "MATCH (d:Document {id: $id}) RETURN d.touched", id=_id(knowledge, key), database_=knowledge.graph.database
    )
    return int(rows[0][0])


def _nodes(knowledge: Knowledge, kind: str) -> int:
    rows, _, _ = knowledge.graph.native_driver().execute_query(
        "MATCH (n:Overstory {corpus: $label}) WHERE $kind IN labels(n) RETURN count(n)",
        label=knowledge.status().corpus.label,
        kind=kind,
        database_=knowledge.graph.database,
    )
    return int(rows[0][0])


class TwiceCommitting(GraphClient):
    """Commits each transaction twice, as where the driver does not learn that the first attempt was committed."""

    def transaction(self, doing: str, work: Callable[[Transaction], T]) -> T:
        super().transaction(doing, work)
        return super().transaction(doing, work)


def refuse(error: BrokenSource) -> None:
    raise error


def parallel(number: int, weight: float = 1.0) -> list[Link]:
    """Links between the same two documents, and to one that is not stored."""
    return [link("a", end, "KNOWS", f"the {n}th", weight) for n in range(number) for end in ("b", "nowhere")]


def test_parallel_links_are_written_changed_and_deleted_one_by_one(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([A, B, *parallel(60)])
    assert stored(knowledge) == {("a", "b", "KNOWS", f"the {n}th", 1.0) for n in range(60)}
    assert missing(knowledge) == {("a", "nowhere", "KNOWS", f"the {n}th", 1.0) for n in range(60)}
    knowledge.ingest_documents([A, *parallel(80)[:-40], *parallel(20, weight=0.5)])
    assert stored(knowledge) == {("a", "b", "KNOWS", f"the {n}th", 1.5 if n < 20 else 1.0) for n in range(60)}
    knowledge.ingest_documents([A, *parallel(90)[100:]])
    assert stored(knowledge) == {("a", "b", "KNOWS", f"the {n}th", 1.0) for n in range(50, 90)}
    assert missing(knowledge) == {("a", "nowhere", "KNOWS", f"the {n}th", 1.0) for n in range(50, 90)}
    knowledge.ingest_documents([A])
    assert stored(knowledge) == missing(knowledge) == set()


def test_links_that_were_committed_before_the_connection_was_lost_are_not_written_again(
    open_corpus: OpenCorpus, settings: Settings
) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([A, B, link("a", "b"), link("a", "b", text="old")])
    with (
        ReadLinks(knowledge.status().corpus.label) as found,
        TwiceCommitting.open(settings) as graph,
        writing(graph, read_corpus(graph, knowledge.corpus_name), "links") as writer,
    ):
        for each in [*parallel(3), link("a", "b", weight=3.0)]:
            found.add(each)
        store_links(LoadTarget.of(writer), found, is_partly_read=lambda _: False, on_broken=refuse, progress=Silence())
    assert stored(knowledge) == {
        ("a", "b", "KNOWS", "", 3.0),
        *(("a", "b", "KNOWS", f"the {n}th", 1.0) for n in range(3)),
    }
    assert missing(knowledge) == {("a", "nowhere", "KNOWS", f"the {n}th", 1.0) for n in range(3)}
