"""Blocks that most documents of a folder repeat: found and forgotten again by the documents that are there."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.commands import Run
from tests.passages import OpenCorpus

from overstory.knowledge import Knowledge
from overstory.model import Document, Heading

FRAME = "This handbook was written by Homer Simpson.\nNext page"
PAGES = {
    "knoppix": "Knoppix was made by Klaus Knopper in Germany, and runs from a disk that nothing is installed from.",
    "grml": "Grml is a live system by Michael Prokop in Austria for those who look after many machines at once.",
    "tails": "Tails keeps its users anonymous by means of Tor, and leaves nothing on the machine that it runs on.",
    "ubuntu": "Ubuntu is made by Canonical in London, and comes out twice a year with a desktop of its own.",
}
KALI = "Kali Linux is maintained by Offensive Security for those who look for holes in networks, with leave.\n\n"
END = "Colophon"
LONG = "a page that has so much to say of its own that what frames it is less than half, whatever it may be. " * 2
RETRIEVERS = ("dense", "lexical", "hybrid", "canopy")


def page(name: str, text: str, folder: str = "/docs/pages", headings: tuple[Heading, ...] = ()) -> Document:
    return Document(f"{folder}/{name}.html", "", text, name.capitalize(), headings=headings)


FRAMED = [page(name, f"{FRAME}\n\n{text}") for name, text in PAGES.items()]
LAST = page("kali", f"{KALI}{END}\n\n{FRAME}", headings=(Heading(len(KALI), 1, END),))
ELSEWHERE = page("elsewhere", f"{FRAME}\n\nThe handbook has one author.", "/docs/about")
BEFORE = [*FRAMED, ELSEWHERE]


def lacking(knowledge: Knowledge) -> dict[str, int]:
    pending = knowledge.status().pending
    return {stage: pending[stage] for stage in ("embed", "extract") if pending[stage]}


def mentioning(knowledge: Knowledge, name: str) -> set[str]:
    rows = knowledge.graph.run("export/dictionary_mentions", knowledge.status().corpus.label, read=True)
    return {Path(str(row["document"]).strip()).stem for row in rows if row["name"] == name}


@pytest.mark.slow
def test_the_chunks_of_a_block_are_read_again_when_it_becomes_boilerplate_and_when_it_no_longer_is(
    open_corpus: OpenCorpus, overstory: Run, tmp_path: Path
) -> None:
    grown, once, restored = open_corpus("grown"), open_corpus("once"), open_corpus("restored")
    grown.ingest_documents(BEFORE)
    grown.index()
    assert mentioning(grown, "Homer Simpson") == {*PAGES, "elsewhere"}
    assert grown.status().boilerplate == {"only": 0, "some": 0}
    before = grown.digest()

    grown.ingest_documents(LAST)  # in two passages, the second of which is the frame
    assert grown.status().boilerplate == {"only": 1, "some": 4}
    assert lacking(grown) == {"embed": 5, "extract": 6}  # neither the frame, nor what is elsewhere
    grown.index()
    assert lacking(grown) == {}
    assert mentioning(grown, "Homer Simpson") == {"elsewhere"}
    assert mentioning(grown, END) == set()
    for retriever in RETRIEVERS:
        hits = grown.search("Which page of the handbook was written by Homer Simpson?", 10, retriever=retriever).hits
        assert hits
        assert all(hit.content for hit in hits)
        assert {hit.source for hit in hits if "Homer" in hit.content} <= {ELSEWHERE.source}
    grown.delete_documents(grown.document_id(ELSEWHERE.source))
    grown.index()
    assert "Homer" not in grown.ask("Who wrote the handbook, Homer Simpson?", 10).text

    blocks = overstory("documents", "--boilerplate", "--corpus", grown.corpus_name)
    assert blocks.out == "/docs/pages\n  5 of 5 documents: This handbook was written by Homer Simpson. Next page\n"
    assert "1 passage is boilerplate only, 4 hold some" in overstory("status", "--corpus", grown.corpus_name).out

    once.ingest_documents([LAST, *reversed(FRAMED)])
    once.index()
    assert once.digest() == grown.digest()

    export = tmp_path / "export.jsonl"
    with export.open("w", encoding="utf-8") as file:
        grown.export(file.write)
    restored.ingest(export)
    assert lacking(restored) == {}
    assert restored.digest() == grown.digest()
    assert restored.boilerplate() == grown.boilerplate()
    assert restored.status().boilerplate == grown.status().boilerplate

    grown.ingest_documents(ELSEWHERE)
    grown.delete_documents(grown.document_id(LAST.source))
    assert grown.boilerplate() == []
    assert lacking(grown) == {"embed": 5, "extract": 5}  # with the page that came
    grown.index()
    assert mentioning(grown, "Homer Simpson") == {*PAGES, "elsewhere"}
    assert grown.digest() == before


def test_a_corpus_that_keeps_boilerplate_treats_it_as_any_text(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    for name, text in {**PAGES, "kali": KALI}.items():
        (tmp_path / f"{name}.txt").write_text(f"{text.strip()}\n\n{FRAME}", encoding="utf-8")
    knowledge = open_corpus()
    knowledge.ingest(tmp_path)
    knowledge.index()
    assert [block.documents for block in knowledge.boilerplate()] == [5]
    knowledge.ingest(tmp_path, keep_boilerplate=True)
    assert knowledge.boilerplate() == []
    assert lacking(knowledge) == {"embed": 5, "extract": 5}
    knowledge.ingest(tmp_path)
    assert knowledge.boilerplate() == []
    knowledge.ingest(tmp_path, keep_boilerplate=False)
    assert [block.documents for block in knowledge.boilerplate()] == [5]


def test_documents_that_an_earlier_version_loaded_are_counted(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([*FRAMED, LAST])
    counted = knowledge.boilerplate()
    assert counted
    label = knowledge.status().corpus.label
    driver, database = knowledge.graph.native_driver(), knowledge.graph.database
    for statement in (
        f"MATCH (n:{label}) WHERE n:Folder OR n:Block DETACH DELETE n",
        f"MATCH (c:Corpus:{label}) REMOVE c.boilerplate_by",
        f"MATCH (c:{label}_Chunk) REMOVE c.boilerplate, c:{label}_Boilerplate:{label}_BoilerplateOnly:BoilerplateOnly",
    ):
        driver.execute_query(statement, database_=database)  # pyright: ignore[reportArgumentType, reportCallIssue]
    assert knowledge.status().pending["boilerplate"] == 5
    knowledge.index()
    assert knowledge.status().pending["boilerplate"] == 0
    assert knowledge.boilerplate() == counted
    assert knowledge.status().boilerplate == {"only": 1, "some": 4}


def counts(knowledge: Knowledge) -> list[tuple[str, int, int | None, int | None, bool | None]]:
    """Folders and their blocks with the numbers of documents."""
    label = knowledge.status().corpus.label
    statement = (
        f"MATCH (f:Folder:{label}) OPTIONAL MATCH (f)<-[:REPEATED_IN]-(b) "
        "RETURN f.path AS path, f.documents AS of, b.hash AS hash, b.documents AS documents, "
        "b.boilerplate AS boilerplate "
        f"UNION ALL MATCH (b:Block:{label}) "
        "RETURN '' AS path, 0 AS of, b.hash AS hash, b.documents AS documents, b.boilerplate AS boilerplate"
    )
    driver, database = knowledge.graph.native_driver(), knowledge.graph.database
    found = driver.execute_query(statement, database_=database)  # pyright: ignore[reportArgumentType, reportCallIssue]
    return sorted((tuple(record.values()) for record in found.records), key=str)


@pytest.mark.slow
def test_counts_and_marks_follow_from_the_documents_that_are_there(open_corpus: OpenCorpus) -> None:
    chance = random.Random(7)  # noqa: S311 # nothing secret
    frames = [FRAME, "Copyright by nobody.", "Generated by a machine."]
    names = [f"page{number}" for number in range(9)]
    grown, fresh = open_corpus("grown"), open_corpus("fresh")
    there: dict[str, Document] = {}
    marked = 0
    for _ in range(12):
        some = [
            page(name, "\n\n".join([*chance.sample(frames, chance.randint(0, 3)), f"{name}: {LONG}"]))
            for name in chance.sample(names, 4)
        ]
        gone = chance.sample(sorted(there), min(2, len(there)))
        if gone:
            grown.delete_documents([grown.document_id(there.pop(name).source) for name in gone])
        grown.ingest_documents(some)
        there |= {Path(each.source).stem: each for each in some}
        marked += grown.status().boilerplate["some"]
    assert marked
    fresh.ingest_documents(there.values())
    assert counts(grown) == counts(fresh)
    assert grown.digest() == fresh.digest()
    assert grown.status().boilerplate == fresh.status().boilerplate
    grown.delete_documents([each.id for each in grown.documents()])
    assert counts(grown) == []
