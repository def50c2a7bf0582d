"""The commands as a user runs them: what they print, where, and how they exit."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.commands import Run, environment
from tests.passages import PASSAGES, OpenCorpus

from overstory.display import index_command
from overstory.knowledge import Knowledge
from overstory.settings import Settings


@pytest.fixture
def corpus(open_corpus: OpenCorpus) -> str:
    return open_corpus().corpus_name


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for document in PASSAGES:
        (tmp_path / f"{document.source_key}.txt").write_text(document.text)
    return tmp_path


def test_from_files_to_evidence(overstory: Run, corpus: str, folder: Path) -> None:
    (folder / ".hidden.txt").write_text("Not read.")
    preview = overstory("ingest", str(folder), "--corpus", corpus, "--dry-run")
    assert "4 would be added" in preview.out
    assert "4 new chunks; indexing takes about " in preview.out
    assert "preview   4 documents read" in preview.err
    assert "1 hidden file or folder skipped." in preview.err
    ingested = overstory("ingest", str(folder), "--corpus", corpus, "-q")
    assert "1 hidden file or folder skipped." in ingested.err
    assert f"Next: {index_command(corpus)}; indexing takes about " in ingested.out
    assert "; indexing takes about " in overstory("status", "--corpus", corpus).out
    assert ingested.code == 0
    assert "4 added" in ingested.out
    indexed = overstory("index", "--corpus", corpus)
    assert "embed, extract, entities, mentions" in indexed.out
    assert "embed" in indexed.err  # progress
    found = overstory("search", "Where was Albert Einstein born?", "-k", "2", "--corpus", corpus)
    assert "Ulm" in found.out
    assert str(folder / "einstein.txt") in found.out
    again = overstory("index", "--corpus", corpus)
    assert "is up to date" in again.out


def test_one_command_ingests_and_indexes(overstory: Run, corpus: str, folder: Path) -> None:
    ingest = ("ingest", str(folder), "--corpus", corpus, "--index")
    done = overstory(*ingest)
    assert done.code == 0
    assert "4 added" in done.out
    assert "is indexed (embed, extract, entities, mentions)" in done.out
    assert "Next: overstory index" not in done.out
    assert "the index is up to date" in overstory("status", "--corpus", corpus).out
    (folder / "einstein.txt").write_text("Albert Einstein was born in Ulm, and died in Princeton.")
    changed = overstory(*ingest, "--json")
    assert changed.json()["changed"] == 1
    assert '"index": {\n    "done": [\n      "embed",\n      "extract",' in changed.out
    assert "is up to date" in overstory(*ingest).out


def test_nothing_is_indexed_where_nothing_was_read(overstory: Run, corpus: str, tmp_path: Path) -> None:
    missing = overstory("ingest", str(tmp_path / "gone.txt"), "--corpus", corpus, "--index")
    assert missing.code == 8
    assert "There is no corpus" not in missing.err
    assert overstory("ingest", str(tmp_path), "--index", "--dry-run").code == 2


def test_json_is_all_there_is_on_standard_output(overstory: Run, corpus: str, folder: Path) -> None:
    assert overstory("ingest", str(folder), "--corpus", corpus, "--json").json()["added"] == 4
    assert overstory("index", "--corpus", corpus, "--json").json()["done"] == [
        "embed",
        "extract",
        "entities",
        "mentions",
    ]
    evidence = overstory("search", "Who discovered polonium?", "--corpus", corpus, "--json").json()
    assert evidence["retriever"] == "canopy"
    assert overstory("status", "--digest", "--corpus", corpus, "--json").json()["digest"]
    documents = overstory("documents", "--corpus", corpus, "--json").out.splitlines()
    assert len(documents) == 4
    assert all(json.loads(line)["source"] for line in documents)
    assert corpus in overstory("corpora", "--json").out


def test_a_broken_file_gives_exit_code_8_after_the_rest_went_in(overstory: Run, corpus: str, folder: Path) -> None:
    (folder / "broken.txt").write_bytes(b"\xff\xfe\x00broken")
    ran = overstory("ingest", str(folder), "--corpus", corpus)
    assert ran.code == 8
    assert "4 added" in ran.out
    assert "broken.txt" in ran.err
    assert overstory("ingest", str(folder), "--corpus", corpus, "--strict").code == 8


@pytest.mark.slow
def test_exporting_and_reading_back_and_deleting(overstory: Run, corpus: str, folder: Path, tmp_path: Path) -> None:
    overstory("ingest", str(folder), "--corpus", corpus)
    overstory("index", "--corpus", corpus)
    digest = overstory("status", "--digest", "--corpus", corpus, "--json").json()["digest"]
    file = tmp_path / "out.jsonl"
    assert str(digest) in overstory("export", str(file), "--corpus", corpus).out
    refused = overstory("export", str(file), "--corpus", corpus)
    assert refused.code == 3
    assert "--force" in refused.err
    id_ = overstory("documents", "--corpus", corpus).out.split()[0]
    assert "Deleted 1 document." in overstory("delete", id_, "--corpus", corpus).out
    restored = overstory("ingest", str(file), "--corpus", corpus).out
    assert "1 added" in restored
    assert restored.endswith("The index is up to date.\n")
    overstory("index", "--corpus", corpus)
    assert overstory("status", "--digest", "--corpus", corpus, "--json").json()["digest"] == digest
    curie = ("delete", "--source", str(folder / "c*.txt"), "--yes", "--corpus", corpus)
    assert "Deleted 1 document." in overstory(*curie).out
    again = overstory(*curie)
    assert again.code == 7
    assert str(folder / "ulm.txt") in overstory("delete", "--source", str(folder / "um.txt"), "--corpus", corpus).err
    listed = overstory("documents", "--source", str(folder / "um.txt"), "--source", str(folder), "--corpus", corpus)
    assert listed.out == overstory("documents", "--corpus", corpus).out
    assert listed.err.startswith("Note: No document has the source ")
    assert str(folder / "ulm.txt") in listed.err


def test_a_corpus_follows_a_folder_with_sync(overstory: Run, corpus: str, folder: Path) -> None:
    ingest = ("ingest", str(folder), "--corpus", corpus)
    overstory(*ingest)
    (folder / "new").mkdir()
    (folder / "ulm.txt").rename(folder / "new" / "ulm.txt")
    (folder / "curie.txt").write_text("Marie Curie discovered radium.")
    (folder / "danube.txt").unlink()
    (folder / "line\nfeed\x1b[31m.txt").write_text("A strange name.")
    plain = overstory(*ingest, "--dry-run").out.splitlines()
    assert f"added    {folder}/new/ulm.txt" in plain
    assert "2 documents of this path no longer have a file or record: --sync removes them." in plain
    would = (
        "Read 4 documents: 1 would be added, 1 would be changed, 1 would be moved, 1 unchanged. "
        f"1 document would be removed. Corpus {corpus!r} would have 4 documents."
    )
    *listed, chunks = overstory(*ingest, "--sync", "--dry-run").out.splitlines()
    assert chunks.startswith("2 new chunks; indexing takes about ")  # what moved keeps its own
    assert listed == [
        f"added    {folder}/line\\nfeed\\x1b[31m.txt",
        f"changed  {folder}/curie.txt",
        f"moved    {folder}/ulm.txt → {folder}/new/ulm.txt",
        f"removed  {folder}/danube.txt",
        would,
    ]
    changes = overstory(*ingest, "--sync", "--dry-run", "--json").json()["changes"]
    assert isinstance(changes, list)
    assert [change["kind"] for change in changes] == ["added", "changed", "moved", "removed"]
    done = overstory(*ingest, "--sync").out
    assert "Read 4 documents: 1 added, 1 changed, 1 moved, 1 unchanged. 1 document was removed. " in done
    assert f"Corpus {corpus!r} has 4 documents." in done
    some = overstory("documents", "--limit", "2", "--corpus", corpus)
    assert [line.split("[", 1)[1] for line in some.out.splitlines()] == [
        f"{folder}/curie.txt]",
        f"{folder}/einstein.txt]",
    ]
    assert "There are more than 2 documents." in some.err

    shutil.rmtree(folder)
    refused = overstory(*ingest, "--sync", "--dry-run")
    assert refused.code == 8
    assert "4 documents" in refused.err
    asked = overstory(*ingest, "--sync", answer="n")
    assert asked.code == 1
    assert "Nothing was changed." in asked.err
    assert "4 documents were removed." in overstory(*ingest, "--sync", "--yes").out


@pytest.mark.changes_schema
def test_a_corpus_is_deleted_with_all_that_is_in_it(overstory: Run, corpus: str, folder: Path) -> None:
    overstory("ingest", str(folder), "--corpus", corpus)
    deleted = overstory("delete", "--all", "--corpus", corpus, "--yes")
    assert deleted.code == 0
    assert corpus not in overstory("corpora").out
    assert overstory("documents", "--corpus", corpus).code == 7


def test_a_path_is_shown_with_its_sentences_and_sources(overstory: Run, shared_corpus: Knowledge) -> None:
    shown = overstory("path", "albert einstein", "Danube", "--corpus", "shared", "-k", "1").out.splitlines()
    assert shown[0].startswith(" 1. Albert Einstein → Ulm → Danube  (2 steps, cost ")
    assert "[tests/passages#danube]" in shown[-2]
    assert shown[-1].strip() == "The Danube flows through Ulm, Vienna, Budapest and Belgrade."
    path = json.loads(overstory("path", "albert einstein", "Danube", "--corpus", "shared", "--json").out)["paths"][0]
    assert path["names"] == ["Albert Einstein", "Ulm", "Danube"]
    assert [step["source_key"] for step in path["steps"]][1] == "danube"
    nothing = overstory("path", "Marie Curie", "Danube", "--corpus", "shared", "--steps", "1")
    assert (nothing.code, nothing.out) == (0, "No path connects 'Marie Curie' and 'Danube' in one step.\n")


def test_a_tree_is_shown_with_its_communities_and_their_passages(overstory: Run, shared_corpus: Knowledge) -> None:
    tree = shared_corpus.tree(depth=2, tree="serag")
    serag = ("--corpus", "shared", "--tree", "serag")
    shown = overstory("tree", *serag).out
    assert shown.startswith("Corpus 'shared', tree serag: 4 passages in ")
    for community in tree.community.communities:
        assert f"\n{community.short_id}  {community.figures}\n" in shown
        assert f"    {community.names[0].name} ({community.names[0].passages})" in shown
        assert f"    “{community.sentences[0]}”" in shown
    upper = tree.community.communities[0]
    lower = overstory("tree", upper.communities[0].short_id, *serag).out
    assert f"\nin {upper.short_id}\n" in lower
    assert "  [tests/passages#" in lower
    assert "  … 1 more community\n" in overstory("tree", "--depth", "2", "--limit", "1", *serag).out
    printed = overstory("tree", upper.id, *serag, "--json").json()
    assert (printed["corpus"], printed["tree"], printed["size"]) == ("shared", "serag", 4)
    assert isinstance(printed["community"], dict)
    assert printed["community"]["id"] == upper.id
    assert {"names", "sentences", "communities", "passages", "inside"} <= set(printed["community"])


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["search", "", "--corpus", "shared"], 10, "empty"),
        (["search", "x", "--corpus", "nobody made this"], 7, "overstory ingest"),
        (["search", "x", "--corpus", "shared", "--retriever", "magic"], 3, "canopy, dense, hirag, hybrid, lexical"),
        (["search", "x", "--corpus", "shared", "--retriever", "dense:exact"], 3, "no option"),
        (["search", "x", "--corpus", " padded "], 7, "printable"),
        (["path", "Albert Einstien", "Ulm", "--corpus", "shared"], 10, "Did you mean 'Albert Einstein'"),
        (["path", "Ulm", "ULM", "--corpus", "shared"], 10, "are the same entity"),
        (["path", "Ulm", "Danube", "--steps", "9"], 2, "--steps"),
        (["tree", "0000000", "--corpus", "shared"], 10, "overstory tree --corpus shared"),
        (["tree", "--tree", "serag-semantic", "--corpus", "shared"], 6, "--system serag:semantic"),
        (["tree", "--limit", "0"], 2, "--limit"),
        (["documents", "--source", "\udcff", "--corpus", "shared"], 3, "UTF-8"),
        (["export", "/dev/null", "--force", "--corpus", "shared"], 3, "not a file"),
        (["export", "/proc/x.jsonl"], 3, "/proc/x.jsonl cannot be written: No such file or directory."),
        (["serch", "x"], 2, "Did you mean search?"),
        (["export", "-", "--json", "--corpus", "shared"], 2, "--json"),
        (["ingest", "no/such/file.txt", "--corpus", "never-made"], 8, "no/such/file.txt"),
        (["ingest", "x", "--loader", "magic", "--corpus", "never-made"], 8, "magic"),
        (["delete", "--corpus", "shared"], 2, "--all"),
        (["index", "--corpus", "nobody made this"], 7, "overstory ingest"),
        (["frobnicate"], 2, "frobnicate"),
        (["search", "x", "-k", "0"], 2, "-k"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_a_mistake_is_answered_with_a_remedy_and_a_code(
    overstory: Run, shared_corpus: Knowledge, arguments: list[str], code: int, says: str
) -> None:
    ran = overstory(*arguments)
    assert ran.code == code
    assert says in ran.err
    assert "Traceback" not in ran.err


def test_a_document_that_is_not_there_is_counted_and_gives_code_7(overstory: Run, shared_corpus: Knowledge) -> None:
    ran = overstory("delete", "0" * 32, "--corpus", "shared")
    assert (ran.code, ran.out) == (7, "Deleted 0 documents; 1 not found.\n")


def test_saying_no_changes_nothing(overstory: Run, shared_corpus: Knowledge) -> None:
    before = shared_corpus.digest()
    ran = overstory("delete", "--all", "--corpus", "shared", answer="n")
    assert ran.code == 1
    assert "Nothing was changed." in ran.err
    assert shared_corpus.digest() == before


def test_a_reader_that_goes_away_is_no_error(settings: Settings, shared_corpus: Knowledge) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "overstory", "documents", "--corpus", "shared"],
        stdout=subprocess.PIPE,
        env=environment(settings),
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait() == 0


@pytest.mark.slow
def test_a_search_loads_no_parser_and_no_compiler(settings: Settings, shared_corpus: Knowledge) -> None:
    ask = "run(['search', 'Where was Albert Einstein born?', '--corpus', 'shared'])"
    unused = {"spacy", "numba", "rich", "openai", "httpx", "jgo", "graphdatascience", "overstory_loaders"}
    script = f"import sys; from overstory_cli.main import run; assert {ask} == 0; print({unused!r} & set(sys.modules))"
    ran = subprocess.run(
        [sys.executable, "-c", script], env=environment(settings), capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert "Ulm" in ran.stdout
    assert ran.stdout.splitlines()[-1] == "set()"


def test_an_export_goes_through_a_link(overstory: Run, shared_corpus: Knowledge, tmp_path: Path) -> None:
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "real.jsonl")
    assert overstory("export", str(tmp_path / "link.jsonl"), "--corpus", "shared").code == 0
    assert (tmp_path / "link.jsonl").is_symlink()
    assert (tmp_path / "real.jsonl").read_text().startswith('{"overstory_export"')


def test_a_failed_ingest_makes_no_corpus(overstory: Run) -> None:
    overstory("ingest", "no/such/file.txt", "--corpus", "never-made")
    assert "never-made" not in overstory("corpora").out


@pytest.mark.parametrize(
    ("variables", "code", "says"),
    [
        ({"OVERSTORY_NEO4J_URI": "bolt://127.0.0.1:9", "OVERSTORY_NEO4J_PASSWORD": "x"}, 5, "OVERSTORY_NEO4J_URI"),
        ({"OVERSTORY_NEO4J_URI": "nonsense"}, 3, "bolt://localhost:7687"),
        ({"OVERSTORY_QUERY_SECONDS": "soon"}, 3, "OVERSTORY_QUERY_SECONDS"),
        ({"OVERSTORY_EMBEDDER": "magic"}, 9, "minilm"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, dict) else None,
)
def test_a_wrong_setting_is_answered_with_a_remedy(
    overstory: Run,
    shared_corpus: Knowledge,
    monkeypatch: pytest.MonkeyPatch,
    variables: dict[str, str],
    code: int,
    says: str,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    ran = overstory("search", "Where was Einstein born?", "--corpus", "shared")
    assert ran.code == code
    assert says in ran.err


def test_a_wrong_password_is_told_apart_from_a_missing_server(
    overstory: Run, shared_corpus: Knowledge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OVERSTORY_NEO4J_URI", shared_corpus.graph.uri)
    monkeypatch.setenv("OVERSTORY_NEO4J_PASSWORD", "wrong")
    ran = overstory("corpora")
    assert ran.code == 5
    assert "OVERSTORY_NEO4J_PASSWORD" in ran.err
    assert "wrong" not in ran.err


@pytest.mark.gds
def test_doctor_finds_nothing_wrong_with_a_good_set_up(overstory: Run, shared_corpus: Knowledge) -> None:
    ran = overstory("doctor")
    assert ran.code == 0, ran.out
    assert "FAIL" not in ran.out


def test_doctor_names_what_is_wrong(overstory: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OVERSTORY_SPACY_PIPELINE", "no_such_pipeline")
    ran = overstory("doctor")
    assert ran.code == 1
    assert "FAIL extractor" in ran.out
