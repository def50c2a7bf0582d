"""overstory metadata, and metadata on the command line."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.commands import Run
from tests.passages import CURIE, DANUBE, EINSTEIN, ULM, OpenCorpus
from tests.sources import write

from overstory.errors import MetadataNotFound, QuestionError, SettingsError, SourceError
from overstory.knowledge import Knowledge
from overstory.model import Metadata

MOMENT = datetime(2024, 2, 29, 12, tzinfo=UTC)
DESCRIBED = (
    replace(EINSTEIN, metadata={"author": "Ada", "year": 1905, "at": MOMENT, "draft": True}),
    replace(CURIE, metadata={"author": "Ada", "year": 1903.5, "at": MOMENT.replace(hour=0)}),
    replace(ULM, metadata={"author": ["Ben", "Cora", "Dan"], "year": "unknown"}),
    replace(DANUBE, metadata={"note": "long " * 1_000}),
)


@pytest.fixture
def described(open_corpus: OpenCorpus) -> Knowledge:
    knowledge = open_corpus()
    knowledge.ingest_documents(DESCRIBED)
    return knowledge


def test_keys_are_listed_with_types_counts_and_examples(overstory: Run, described: Knowledge) -> None:
    listed = overstory("metadata", "--corpus", described.corpus_name)
    assert listed.code == 0
    assert listed.out.splitlines()[:4] == [
        "at  date  2 documents, 2 values: 2024-02-29 … 2024-02-29T12:00:00+00:00",
        "author  text  3 documents, 4 values: Ada, Ben, Cora, …",
        "draft  boolean  1 document, 1 value: true",
        f"note  text  1 document, 1 value: {('long ' * 10)[:38].rstrip()} …",
    ]
    assert listed.out.splitlines()[4:] == [
        "year  number  2 documents, 2 values: 1903.5 … 1905",
        "year  text  1 document, 1 value: unknown",
    ]
    assert listed.err.startswith("Note: year has values of 2 types: number in 2 documents, text in 1 document.")
    as_json = json.loads(overstory("metadata", "--corpus", described.corpus_name, "--json").out)
    assert as_json["keys"][0] == {
        "key": "at",
        "type": "date",
        "documents": 2,
        "values": 2,
        "examples": ["2024-02-29T00:00:00+00:00", "2024-02-29T12:00:00+00:00"],
    }


def test_values_of_a_key_are_listed_by_frequency(overstory: Run, described: Knowledge) -> None:
    name = described.corpus_name
    listed = overstory("metadata", "author", "--corpus", name, "--limit", "2")
    assert listed.out.splitlines() == ["      2  Ada", "      1  Ben"]
    assert "2 more values not shown" in listed.err
    both = overstory("metadata", "year", "--corpus", name)
    assert [line.split() for line in both.out.splitlines()] == [
        ["1", "number", "1903.5"],
        ["1", "number", "1905"],
        ["1", "text", "unknown"],
    ]
    assert "2 types" in both.err
    cut = overstory("metadata", "note", "--corpus", name)
    assert "1,000 characters" in cut.err
    values = json.loads(overstory("metadata", "draft", "--corpus", name, "--json").out)["values"]
    assert values == [{"value": True, "type": "boolean", "documents": 1, "is_cut": False}]


def test_an_unknown_key_names_the_nearest(overstory: Run, described: Knowledge) -> None:
    wrong = overstory("metadata", "Auther", "--corpus", described.corpus_name)
    assert wrong.code == QuestionError.exit_code
    assert "Did you mean author?" in wrong.err
    with pytest.raises(MetadataNotFound) as raised:
        described.metadata_values("Auther")
    assert raised.value.nearest == ("author",)
    with pytest.raises(QuestionError):
        described.metadata_values("author", limit=0)
    assert overstory("metadata", "--limit", "3", "--corpus", described.corpus_name).code == 2


def test_a_corpus_of_an_earlier_version_has_a_note(overstory: Run, described: Knowledge) -> None:
    label = described.status().corpus.label
    described.graph.native_driver().execute_query(
        "MATCH (c:Corpus {corpus: $label}) REMOVE c.metadata_by", label=label, database_=described.graph.database
    )
    assert "earlier version" in overstory("metadata", "--corpus", described.corpus_name).err
    assert described.index().done[0] == "metadata"
    assert "earlier version" not in overstory("metadata", "--corpus", described.corpus_name).err


def test_metadata_is_given_at_ingestion(overstory: Run, open_corpus: OpenCorpus, tmp_path: Path) -> None:
    knowledge = open_corpus()
    path = write(tmp_path / "a.md", "---\nteam: theirs\nauthor: Ada\n---\n\nA text.")
    chosen = (
        "--set",
        "team=ours",
        "--set",
        "since = 2024-02-29",
        "--set",
        "n=7",
        "--set",
        'id_="007"',
        "--set",
        "x=false",
    )
    preview = overstory("ingest", path, "--corpus", knowledge.corpus_name, "--dry-run", *chosen)
    assert "1 would be added" in preview.out
    assert overstory("ingest", path, "--corpus", knowledge.corpus_name, *chosen).code == 0
    (document,) = knowledge.documents()
    own = {
        key: value for key, value in document.metadata.items() if key not in ("file_name", "folder", "size", "modified")
    }
    expected: Metadata = {
        "team": "ours",
        "author": "Ada",
        "since": datetime(2024, 2, 29, tzinfo=UTC),
        "n": 7,
        "id_": "007",
        "x": False,
    }
    assert own == expected
    again = overstory("ingest", path, "--corpus", knowledge.corpus_name)
    assert "Only the metadata of 1 document was updated." in again.out
    (document,) = knowledge.documents()
    assert document.metadata["team"] == "theirs"


@pytest.mark.parametrize(
    ("chosen", "code", "message"),
    [
        (("author",), 2, "key=value"),
        (("=x",), 2, "key=value"),
        (("author=",), 2, "no value"),
        (("a=1", "a=2"), 2, "twice"),
        (("title=x",), SettingsError.exit_code, "'title' cannot be used as a metadata key"),
        (("folder=x",), SettingsError.exit_code, "'folder' cannot be used as a metadata key"),
    ],
)
def test_what_cannot_be_given_is_refused(
    overstory: Run, open_corpus: OpenCorpus, tmp_path: Path, chosen: tuple[str, ...], code: int, message: str
) -> None:
    path = write(tmp_path / "a.txt", "A text.")
    given = [part for each in chosen for part in ("--set", each)]
    refused = overstory("ingest", path, "--corpus", open_corpus().corpus_name, *given)
    assert refused.code == code
    assert message in refused.err


def test_an_export_takes_no_metadata(described: Knowledge, tmp_path: Path) -> None:
    with (tmp_path / "export.jsonl").open("w") as out:
        described.export(out.write)
    with pytest.raises(SourceError, match="export"):
        described.ingest(tmp_path / "export.jsonl", metadata={"team": "ours"})
    wrong: Metadata = {"at": datetime(2024, 2, 29)}  # noqa: DTZ001 # what is refused
    with pytest.raises(SettingsError, match="'at'"):
        described.ingest_documents([EINSTEIN], metadata=wrong)


def test_listing_and_deleting_say_that_a_filter_compares_with_another_type(
    overstory: Run, described: Knowledge
) -> None:
    chosen = ("--corpus", described.corpus_name, "--where", "at = 7")
    before = described.count_documents()
    for command in (("documents", *chosen), ("delete", *chosen, "--yes")):
        said = overstory(*command)
        assert "the values of at have another type" in said.err + said.out, command
    assert described.count_documents() == before


def test_dates_are_iso_8601_where_programs_read_them(overstory: Run, described: Knowledge) -> None:
    described.index()
    documents = [
        json.loads(line)
        for line in overstory("documents", "--corpus", described.corpus_name, "--json").out.splitlines()
    ]
    assert {each["metadata"].get("at") for each in documents} == {
        None,
        "2024-02-29T00:00:00+00:00",
        "2024-02-29T12:00:00+00:00",
    }
    found = json.loads(overstory("search", "Einstein Ulm", "--corpus", described.corpus_name, "--json").out)
    (hit,) = (hit for hit in found["hits"] if hit["source_key"] == "einstein")
    assert hit["metadata"]["at"] == "2024-02-29T12:00:00+00:00"


def test_a_list_is_given_as_json(overstory: Run, open_corpus: OpenCorpus, tmp_path: Path) -> None:
    corpus, file = open_corpus().corpus_name, write(tmp_path / "a.txt", "Salt.")
    lists = ('tags=["a", "b, c"]', "years=[1905, 1906]", 'on=["2024-02-29"]', 'x="[a]"')
    given = [each for one in lists for each in ("--set", one)]
    assert overstory("ingest", file, *given, "--corpus", corpus).code == 0
    listed = json.loads(overstory("documents", "--corpus", corpus, "--json", "--where", "tags = 'b, c'").out)
    metadata = listed["metadata"]
    assert (metadata["tags"], metadata["years"], metadata["x"]) == (["a", "b, c"], [1905, 1906], "[a]")
    assert metadata["on"] == ["2024-02-29T00:00:00+00:00"]
    for wrong in ("tags=[a, b]", "tags=[]", 'tags=["a", 1]', "tags=[null]", "tags=[[1]]"):
        refused = overstory("ingest", file, "--set", wrong, "--corpus", corpus)
        assert refused.code == 2
        assert "--set tags" in refused.err
