"""Questions with a filter: what is found stands on documents that it lets through, and nothing of these is missed."""

from __future__ import annotations

import json
import random
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from tests.commands import Run
from tests.passages import PASSAGES, OpenCorpus
from tests.sources import pdf_of

from overstory.errors import FilterError, MetadataNotFound
from overstory.filters import Expression, field, read_filter
from overstory.filters import expression as kinds
from overstory.graph import schema
from overstory.knowledge import Knowledge
from overstory.model import Document, Evidence, Metadata
from overstory.model.metadata import typed_values
from overstory.retrieve.matching_documents import NONE_MATCHES

QUESTIONS = (
    "Which city on the Danube was Albert Einstein born in?",
    "Who won the Nobel Prize with Marie Curie?",
    "Is Vienna bigger than Ulm?",
)
RETRIEVERS = ("dense", "lexical", "hybrid", "canopy")
AUTHORS = ("Ada", "Bob", "Eve")


def described(number: int) -> Metadata:
    """Return metadata of several types; each document lacks some of the keys."""
    values: dict[str, object] = {
        "author": AUTHORS[number % 3],
        "number": number if number % 4 else str(number),
        "written": datetime(2020 + number % 5, 3, 1, 12, tzinfo=UTC),
        "tags": [f"t{number % 2}", f"u{number % 5}"],
        "long": "x" * 1_200 + str(number % 2),
    }
    if number % 3 == 0:
        values["checked"] = number % 2 == 0
    return values  # type: ignore[return-value]


def fulfils(metadata: Metadata, where: Expression) -> bool:
    """Return True if metadata match a filter, computed in plain Python."""
    match where:
        case kinds.All(parts):
            return all(fulfils(metadata, part) for part in parts)
        case kinds.Any(parts):
            return any(fulfils(metadata, part) for part in parts)
        case kinds.Not(part):
            return not fulfils(metadata, part)
        case kinds.Exists(key):
            return key in metadata
        case kinds.Comparison(key):
            values = [value.value for value in typed_values(metadata) if value.key == key]
            return bool(values) and any(map(where.fits, values)) != where.rejects
        case _:
            raise AssertionError(where)


def some_filter(draw: random.Random, depth: int = 2) -> Expression:
    """Any filter on the keys of `described`."""
    if depth and draw.random() < 0.6:
        parts = tuple(some_filter(draw, depth - 1) for _ in range(2))
        return draw.choice([kinds.All(parts), kinds.Any(parts), kinds.Not(parts[0])])
    asked = draw.choice(
        [
            "author = 'Ada'", "author != 'Bob'", "author in ('Eve', 'Ada')", "author not in ('Ada')", "author ~ '*e'",
            "number > 5", "number = 8", "number = '8'", "number <= 3.5", "written >= 2022-03-01",
            "written = 2023-03-01", "written < 2022-03-01T12:00Z", "tags = 't1'",
            "tags != 't1'", "tags in ('u1', 'u2')", "checked = true",
            "checked exists", f"long = '{'x' * 1_200}1'",
        ]
    )  # fmt: skip
    return read_filter(asked)


@pytest.fixture(scope="module", params=[False, True], ids=["scanned", "by vector index"])
def described_corpus(
    request: pytest.FixtureRequest, open_module_corpus: OpenCorpus
) -> tuple[Knowledge, dict[str, Metadata]]:
    """A corpus of passages, each four times, with different metadata; with a vector index or not."""
    documents = [
        Document(each.source, f"{each.source_key} {number}", each.text, each.title, described(number))
        for number, each in enumerate([*PASSAGES] * 4)
    ]
    knowledge = open_module_corpus("indexed" if request.param else "corpus")
    with pytest.MonkeyPatch.context() as patched:
        if request.param:
            patched.setattr(schema, "VECTOR_INDEX_FROM", 2)
        knowledge.ingest_documents(documents)
        knowledge.index()
    assert bool(knowledge.status().corpus.vector_index) == request.param
    return knowledge, {each.source_key: each.metadata for each in documents}


def shown_keys(evidence: Evidence) -> set[str]:
    """The documents of all that is shown."""
    passages = [*evidence.hits, *evidence.sources]
    return {each.source_key for each in passages} | {repeat.source_key for each in passages for repeat in each.repeats}


@pytest.mark.slow
@pytest.mark.changes_schema
def test_what_is_found_stands_on_documents_that_fulfil_the_filter(
    described_corpus: tuple[Knowledge, dict[str, Metadata]],
) -> None:
    knowledge, metadata = described_corpus
    draw = random.Random(3)  # noqa: S311 # the same filters every time
    found_some = 0
    for number in range(40):
        where = some_filter(draw)
        allowed = {key for key, of in metadata.items() if fulfils(of, where)}
        question = QUESTIONS[number % len(QUESTIONS)]
        for retriever in RETRIEVERS:
            evidence = knowledge.search(question, 3, retriever=retriever, where=where)
            assert shown_keys(evidence) <= allowed, (str(where), retriever)
            assert all(part_chunks_known(evidence)), (str(where), retriever)
            for hit in evidence.hits:
                assert hit.repeated <= len(allowed) - 1
                assert len(hit.repeats) == hit.repeated
            every = knowledge.retriever(retriever, repeats=True, where=where).retrieve(question, 3)
            assert {hit.source_key for hit in every.hits} <= allowed, (str(where), retriever)
            if retriever == "dense":
                texts = {PASSAGES[place % len(PASSAGES)].text for place, key in enumerate(metadata) if key in allowed}
                assert len(evidence.hits) == min(3, len(texts)), str(where)
            found_some += bool(evidence.hits)
    assert found_some > 100


def part_chunks_known(evidence: Evidence) -> Iterator[bool]:
    known = {each.chunk_id for each in (*evidence.hits, *evidence.sources)}
    return (chunk in known for part in evidence.parts for chunk in part.chunks)


@pytest.mark.changes_schema
@pytest.mark.parametrize("retriever", RETRIEVERS)
def test_a_filter_that_lets_all_documents_through_changes_nothing(
    described_corpus: tuple[Knowledge, dict[str, Metadata]], retriever: str
) -> None:
    knowledge, _ = described_corpus
    for question in QUESTIONS:
        plain = knowledge.search(question, 5, retriever=retriever)
        filtered = knowledge.search(question, 5, retriever=retriever, where="author exists")
        assert [(hit.text, round(hit.score, 5)) for hit in filtered.hits] == [
            (hit.text, round(hit.score, 5)) for hit in plain.hits
        ]
        assert filtered.notes == plain.notes
        assert [hit.repeated for hit in filtered.hits] == [hit.repeated for hit in plain.hits]


@pytest.mark.changes_schema
def test_filters_in_all_three_forms_find_the_same(
    described_corpus: tuple[Knowledge, dict[str, Metadata]],
) -> None:
    knowledge, _ = described_corpus
    found = [
        [hit.chunk_id for hit in knowledge.search(QUESTIONS[0], 3, where=where).hits]
        for where in (
            "author = 'Ada' and written >= 2022-01-01",
            (field("author") == "Ada") & (field("written") >= date(2022, 1, 1)),
            {"author": "Ada", "written": {"$gte": "2022-01-01"}},
        )
    ]
    assert found[0]
    assert found[0] == found[1] == found[2]


def test_a_filter_that_nothing_fulfils_and_one_that_cannot_be_asked_say_so(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(
        [Document("s", str(n), f"Ulm is city {n}.", "", {"author": "Ada", "year": "1905"}) for n in range(3)]
    )
    knowledge.index()
    nobody = knowledge.search("Ulm", 2, where="author = 'Zoe'")
    assert (nobody.hits, nobody.notes) == ((), (NONE_MATCHES,))
    (note, _) = knowledge.search("Ulm", 2, where="year = 1905").notes
    assert note == "year = 1905 matches no document, because the values of year have another type: text"
    others = knowledge.search("Ulm", 2, where="year != 1905")
    assert len(others.hits) == 2
    assert others.notes[0] == "year != 1905 excludes no document, because the values of year have another type: text"
    with pytest.raises(MetadataNotFound, match="'autor'") as unknown:
        knowledge.search("Ulm", 2, where="autor = 'Ada'")
    assert unknown.value.nearest == ("author",)
    knowledge.disable_documents(knowledge.document_id("s", "0"))
    disabled, typed, _ = knowledge.search("Ulm", 2, where="year = 1905").notes
    assert (disabled, typed) == ("1 document is disabled, so results exclude it", note)
    with pytest.raises(MetadataNotFound, match="'autor'") as unknown:
        knowledge.search("Ulm", 2, where="autor = 'Ada'")
    assert unknown.value.nearest == ("author",)
    with pytest.raises(FilterError, match="character 8"):
        knowledge.search("Ulm", 2, where="author Ada")


@pytest.fixture(scope="module")
def corpus_of_systems(open_module_corpus: OpenCorpus, systems: list[str]) -> Knowledge:
    """`PASSAGES` by kind, indexed for all systems."""
    kinds_of = {"einstein": "person", "curie": "person", "ulm": "place", "danube": "place"}
    knowledge = open_module_corpus("systems")
    knowledge.ingest_documents([replace(each, metadata={"kind": kinds_of[each.source_key]}) for each in PASSAGES])
    knowledge.index(systems=systems)
    return knowledge


@pytest.mark.slow
def test_of_a_system_there_are_passages_of_matching_documents(corpus_of_systems: Knowledge, systems: list[str]) -> None:
    for system in systems:
        for kind, allowed in (("person", {"einstein", "curie"}), ("place", {"ulm", "danube"})):
            evidence = corpus_of_systems.search(QUESTIONS[0], 4, retriever=system, where=field("kind") == kind)
            assert {hit.source_key for hit in evidence.hits} == allowed, system
            assert shown_keys(evidence) == allowed
            assert all(part_chunks_known(evidence))
            assert [hit.score for hit in evidence.hits] == sorted((hit.score for hit in evidence.hits), reverse=True)
            assert corpus_of_systems.ask(QUESTIONS[0], retriever=system, where={"kind": kind}).text


@pytest.mark.slow
def test_of_a_system_what_stands_on_matching_documents_alone_is_kept(
    corpus_of_systems: Knowledge, systems: list[str]
) -> None:
    kept = 0
    for system in systems:
        for question in QUESTIONS:
            whole = corpus_of_systems.search(question, 100, retriever=system)
            made = [part for part in whole.other_parts if part.standing is not None]
            every = corpus_of_systems.search(question, 100, retriever=system, where="kind exists")
            assert [part.text for part in every.other_parts] == [part.text for part in made], system
            for kind in ("person", "place"):
                found = corpus_of_systems.search(question, 100, retriever=system, where=field("kind") == kind)
                own = {each.id for each in corpus_of_systems.documents(where=field("kind") == kind)}
                assert all(own.issuperset(part.documents) for part in found.parts)
                assert set(found.other_parts) <= set(every.other_parts)
                assert all(part_chunks_known(found))
                if len(found.other_parts) < len(whole.other_parts):
                    assert any("because they also use other documents" in note for note in found.notes)
                kept += len(found.other_parts)
    assert kept


def test_an_answer_with_a_filter_cites_documents_that_fulfil_it_and_changes_are_seen(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    born = [
        Document("s", "1", "Ada Moran was born in Ulm.", "", {"author": "Ada"}),
        Document("s", "2", "Ada Moran was born in Bern.", "", {"author": "Bob"}),
    ]
    knowledge.ingest_documents(born)
    knowledge.index()
    assert "Bern" in knowledge.ask("Where was Ada Moran born?", where="author = 'Bob'").text
    assert "Bern" not in knowledge.ask("Where was Ada Moran born?", where={"author": "Ada"}).text
    knowledge.ingest_documents([Document("s", "2", "Ada Moran was born in Bern.", "", {"author": "Ada"})])
    assert [hit.source_key for hit in knowledge.search("Who was born in Bern?", 1, where="author = 'Ada'").hits] == [
        "2"
    ]
    assert not knowledge.search("Who was born in Bern?", 1, where="author != 'Ada'").hits


def test_documents_are_listed_counted_and_deleted_by_a_filter(open_corpus: OpenCorpus, overstory: Run) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(
        [
            Document(source, str(number), f"Ulm is city {number}.", "", {"author": AUTHORS[number % 3]})
            for number, source in enumerate(["s", "s", "s", "t", "t", "t"])
        ]
    )
    name = knowledge.corpus_name
    assert [each.source_key for each in knowledge.documents(where="author = 'Ada'")] == ["0", "3"]
    assert [each.source_key for each in knowledge.documents(source="t", where="author != 'Ada'")] == ["4", "5"]
    assert knowledge.count_documents(where={"author": "Bob"}) == 2
    assert knowledge.count_documents(source="s", where={"author": "Bob"}) == 1
    listed = overstory("documents", "--corpus", name, "--where", "author = 'Eve'", "--json")
    assert [json.loads(line)["source_key"] for line in listed.out.splitlines()] == ["2", "5"]
    assert overstory("delete", "--corpus", name, "--where", "author == 'Eve'", "--yes").code == FilterError.exit_code
    assert overstory("delete", "1", "--corpus", name, "--where", "author = 'Eve'").code == 2
    assert overstory("delete", "--corpus", name, "--source", "t", "--where", "author = 'Eve'", "--yes").code == 0
    assert knowledge.delete_documents(where="author = 'Zoe'") == 0
    assert knowledge.delete_documents(where="author = 'Ada'") == 2
    assert [each.source_key for each in knowledge.documents()] == ["1", "2", "4"]


def test_a_date_in_quotation_marks_is_said_to_be_text_where_documents_have_both(
    open_corpus: OpenCorpus, overstory: Run
) -> None:
    knowledge = open_corpus()
    values: tuple[str | datetime, ...] = (
        "circa 1990",
        datetime(2019, 5, 1, tzinfo=UTC),
        datetime(2024, 5, 1, tzinfo=UTC),
    )
    knowledge.ingest_documents([Document("s", str(n), f"It is {n}.", "", {"at": at}) for n, at in enumerate(values)])
    asked = ("--corpus", knowledge.corpus_name, "--where", "at < '2020-01-01'")
    said = "compares '2020-01-01' as text, but some values of at are dates: to compare dates, leave out the quotation"
    assert said in overstory("documents", *asked).err
    assert said in overstory("delete", *asked, "--yes").err
    assert [each.source_key for each in knowledge.documents(where="at < 2020-01-01")] == ["1"]
    assert [each.source_key for each in knowledge.documents(where={"at": {"$lt": "2020-01-01"}})] == ["1"]
    assert knowledge.filter_notes({"at": "2020-01-01"}) == (NONE_MATCHES,)


def test_names_of_files_and_values_are_found_however_their_accents_are_written(
    open_corpus: OpenCorpus, overstory: Run, tmp_path: Path
) -> None:
    knowledge = open_corpus()
    composed, decomposed = (unicodedata.normalize(form, "Übersicht") for form in ("NFC", "NFD"))
    folder = tmp_path / decomposed
    folder.mkdir()
    (folder / f"{decomposed}.txt").write_text("This is an overview.")
    knowledge.ingest(tmp_path)
    knowledge.ingest_documents(Document("s", "1", "This is another.", metadata={decomposed: [decomposed, "b"]}))
    for form in (composed, decomposed):
        for where in (f"file_name = '{form}.txt'", f"folder ~ '{form}/*'", {"file_name": {"$like": f"{form}*"}}):
            (found,) = knowledge.documents(where=where)
            assert found.metadata["file_name"] == f"{composed}.txt"
        (found,) = knowledge.documents(where=f"`{form}` = '{form}'")
        assert found.metadata[composed] == [composed, "b"]
        named = (str(tmp_path / form / f"{form}.txt"), "--corpus", knowledge.corpus_name)
        assert overstory("documents", "--disable", *named).out.startswith("Disabled 1 document.")
        assert overstory("documents", "--enable", *named).out.startswith("Enabled 1 document.")
    assert knowledge.ingest(tmp_path).unchanged == 1


@pytest.mark.slow
def test_page_and_section_narrow_what_is_found(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    knowledge = open_corpus()
    (tmp_path / "guide.md").write_text(
        "# Keys\n\n## Rotation\n\nKeys are rotated monthly.\n\n## Loss\n\nLost keys are replaced.\n", encoding="utf-8"
    )
    pages = [
        "\n".join([f"Keys of page {number} are kept in safe {number} of the bank."] * 30) for number in range(1, 5)
    ]
    (tmp_path / "safes.pdf").write_bytes(pdf_of(pages))
    knowledge.ingest(tmp_path)
    knowledge.index()
    for retriever in RETRIEVERS:
        found = knowledge.search("Where are keys kept?", 5, retriever=retriever, where="section = 'Rotation'")
        assert [hit.heading for hit in found.hits] == ["Keys › Rotation"], retriever
        found = knowledge.search(
            "Where are keys kept?", 5, retriever=retriever, where="page >= 2 and file_name ~ '*.pdf'"
        )
        assert {hit.page for hit in found.hits} == {2, 3, 4}, retriever
    either = knowledge.search("keys", 9, where="page = 1 or section ~ '*Loss'")
    assert {hit.page or hit.heading for hit in either.hits} == {1, "Keys › Loss"}
    assert not knowledge.search("keys", 9, where="page = 1 and folder = 'nowhere'").hits
    with pytest.raises(FilterError, match="belong to passages"):
        list(knowledge.documents(where="page = 1"))
    with pytest.raises(FilterError, match="belong to passages"):
        knowledge.restricted_to("page = 1")
    part = knowledge.restricted_to("file_name ~ '*.md'")
    found = part.search("keys", 9, where="section exists and page != 1 or section = 'Loss'")
    assert [hit.heading for hit in found.hits] == ["Keys › Loss"]
