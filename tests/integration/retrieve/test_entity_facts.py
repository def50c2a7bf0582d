"""Facts about one entity."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.commands import Run
from tests.passages import OpenCorpus, passage

from overstory.errors import CorpusNotFound, EntityNotFound, IndexMissing, MetadataNotFound, QuestionError
from overstory.knowledge import Knowledge
from overstory.model import Document
from overstory.retrieve.entity_facts import _MOST_FACTS_LOOKED_AT


def test_a_name_has_its_facts_with_the_sentences_that_state_them(shared_corpus: Knowledge) -> None:
    found = shared_corpus.entity("albert EINSTEIN")
    assert (found.name, found.type) == ("Albert Einstein", "PERSON")
    assert found.passages >= 2
    married = next(fact for fact in found.facts if "Mileva" in fact.object)
    assert married.sentence == "Albert Einstein married Mileva Marić in 1903."
    assert (married.title, married.source_key, married.passages) == ("Albert Einstein", "einstein", 1)
    documents = {document.id for document in shared_corpus.documents()}
    assert all(fact.document_id in documents for fact in found.facts)
    assert "Mileva" in repr(found)


def test_facts_say_when_they_hold_and_when_they_were_said(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    knowledge = open_corpus()
    first = Document("board2019.txt", "", "Board minutes of 4 March 2019. Ruth Amsel was appointed head of IBM.")
    text = "Board minutes of 12 June 2023. Ruth Amsel was head of IBM from 2019 until May 2023."
    knowledge.ingest_documents([first, Document("board2023.txt", "", text)])
    knowledge.index()
    when = {fact.predicate: fact.when for fact in knowledge.entity("IBM").facts}
    assert when == {
        "be appointed head of": "said 2019-03-04",
        "be head of": "2019 to 2023-05, said 2023-06-12",
    }
    held = next(fact for fact in knowledge.entity("IBM", where="said_at > 2020-01-01").facts)
    assert (held.holds_from, held.holds_to, held.time_words) == ("2019", "2023-05", "from 2019 until May 2023")
    with (tmp_path / "export.jsonl").open("w") as out:
        knowledge.export(out.write)
    restored = open_corpus("restored")
    restored.ingest(tmp_path / "export.jsonl")
    restored.index()
    assert restored.digest() == knowledge.digest()
    assert {fact.predicate: fact.when for fact in restored.entity("IBM").facts} == when

    changed = Document("board2023.txt", "", text.replace("May 2023", "April 2023"))
    knowledge.ingest_documents([first, changed])
    knowledge.index()
    [now] = [fact.when for fact in knowledge.entity("IBM").facts if fact.predicate == "be head of"]
    assert now == "2019 to 2023-04, said 2023-06-12"


def test_as_of_a_day_only_what_had_been_said_and_had_begun_counts(open_corpus: OpenCorpus, overstory: Run) -> None:
    knowledge = open_corpus()
    said = {
        "board2019.txt": "Board minutes of 4 March 2019. Ruth Amsel was appointed head of IBM.",
        "board2023.txt": "Board minutes of 12 June 2023. Ruth Amsel joined IBM from 1 July 2024 and met IBM in Paris.",
        "about.txt": "IBM was founded by Herman Hollerith.",
    }
    knowledge.ingest_documents([Document(name, "", text) for name, text in said.items()])
    knowledge.index()

    def predicates(where: str) -> set[str]:
        return {fact.predicate for fact in knowledge.entity("IBM", where=where).facts}

    assert predicates("as of 2020-12-31") == {"be appointed head of", "be founded by"}
    assert predicates("not said_at exists") == {"be founded by"}
    assert "join" not in predicates("as of 2024-01-01")
    assert predicates("as of 2024-01-01") < predicates("as of 2024-07-01")
    assert "join" in predicates("as of 2024-07-01")
    found = knowledge.search("Who is the head of IBM?", where="as of 2020-12-31")
    assert {hit.source for hit in found.hits} == {"board2019.txt", "about.txt"}
    assert "1 of the 2 documents searched has no date" in found.notes
    [path] = knowledge.paths("Ruth Amsel", "IBM", where="as of 2024-01-01").paths
    assert "join" not in {step.predicate for step in path.steps}
    shown = overstory("entities", "show", "IBM", "--as-of", "2020", "--corpus", knowledge.corpus_name)
    assert "be appointed head of – IBM (said 2019-03-04)" in shown.out
    assert "join" not in shown.out
    asked = ("search", "head of IBM", "--corpus", knowledge.corpus_name, "--as-of", "2020-12", "--json")
    assert {hit["source"] for hit in json.loads(overstory(*asked).out)["hits"]} == {"board2019.txt", "about.txt"}
    refused = overstory("search", "head of IBM", "--as-of", "June", "--corpus", knowledge.corpus_name)
    assert "'June' is no date such as 2019, 2019-03 or 2019-03-04" in refused.err


def test_a_fact_that_more_passages_state_comes_first(shared_corpus: Knowledge) -> None:
    born = shared_corpus.entity("Albert Einstein").facts[0]
    assert (born.object, born.passages) == ("Ulm", 2)


def test_the_names_that_facts_tie_to_it(shared_corpus: Knowledge) -> None:
    related = {each.name: each for each in shared_corpus.entity("Ulm").related}
    assert related["Albert Einstein"].statements == 2
    assert related["Albert Einstein"].type == "PERSON"
    assert "Ulm" not in related


def test_what_is_left_out_is_said(shared_corpus: Knowledge) -> None:
    whole = shared_corpus.entity("Albert Einstein")
    cut = shared_corpus.entity("Albert Einstein", limit=1)
    assert cut.facts == whole.facts[:1]
    assert len(cut.related) == 1
    assert any("more facts" in note for note in cut.notes)
    assert not any("more facts" in note for note in whole.notes)


@pytest.mark.parametrize(("name", "limit"), [("", 5), ("?!", 5), ("Ulm", 0), ("Ulm", 101)])
def test_what_cannot_be_asked(shared_corpus: Knowledge, name: str, limit: int) -> None:
    with pytest.raises(QuestionError):
        shared_corpus.entity(name, limit=limit)


def test_an_unknown_name_is_told_from_one_that_was_never_indexed(
    shared_corpus: Knowledge, open_corpus: OpenCorpus
) -> None:
    with pytest.raises(EntityNotFound) as unknown:
        shared_corpus.entity("Albert Einstien")
    assert "Albert Einstein" in unknown.value.suggestions
    fresh = open_corpus()
    with pytest.raises(CorpusNotFound):
        fresh.entity("Ulm")
    fresh.ingest_documents([passage("a", "Ulm", "Ulm is a city.")])
    with pytest.raises(IndexMissing):
        fresh.entity("Ulm")


def test_a_hidden_name_has_no_facts(open_corpus: OpenCorpus) -> None:
    corpus = open_corpus()
    corpus.ingest_documents([passage("a", "", "Ada Quill met Bob Stone.")])
    corpus.index()
    assert corpus.entity("Ada Quill").facts
    corpus.hide_entities("Ada Quill")
    corpus.index()
    with pytest.raises(EntityNotFound):
        corpus.entity("Ada Quill")


def test_a_name_that_is_everywhere_is_looked_at_in_part(open_corpus: OpenCorpus) -> None:
    corpus = open_corpus()
    text = " ".join(f"Ada Quill met Person{number // 26}{chr(97 + number % 26)} Stone." for number in range(30))
    corpus.ingest_documents([passage("a", "", text)])
    corpus.index()
    (plan,) = corpus.graph.run("retrieve/name_facts", corpus_label(corpus), read=True, **_asked(corpus, looked_at=5))
    assert len(plan["facts"]) <= 5 < plan["held"] < _MOST_FACTS_LOOKED_AT


@pytest.fixture
def two_parts(open_corpus: OpenCorpus) -> Knowledge:
    """Documents of two parts that state facts of one name, one of them the same."""
    corpus = open_corpus()
    told = [
        ("a", "Ada Quill works for Harbour Press. Ada Quill was born in Leith."),
        ("a", "ADA QUILL met Bob Fern."),
        ("b", "Ada Quill was born in Leith. Ada Quill married Cy Stone. Cy Stone met Dot Hale."),
    ]
    corpus.ingest_documents(
        [Document("files", str(number), text, "", {"part": part}) for number, (part, text) in enumerate(told)]
    )
    corpus.index()
    return corpus


def test_a_filter_leaves_the_facts_and_spellings_of_other_documents_out(two_parts: Knowledge) -> None:
    part = two_parts.entity("Ada Quill", where="part = 'b'")
    assert {str(fact) for fact in part.facts} < {str(fact) for fact in two_parts.entity("Ada Quill").facts}
    assert (part.passages, part.aliases) == (1, ())
    assert {fact.source_key for fact in part.facts} == {"2"}
    assert {fact.passages for fact in part.facts} == {1}
    assert "Cy Stone" in {name.name for name in part.related}
    assert "Bob Fern" not in repr(part) + str(part.related)
    assert two_parts.entity("Ada Quill", where="part = 'b'", limit=1).notes
    assert two_parts.entity("ada quill", where="part = 'a'").passages == 2
    with pytest.raises(EntityNotFound):
        two_parts.entity("Dot Hale", where="part = 'a'")
    with pytest.raises(MetadataNotFound):
        two_parts.entity("Ada Quill", where="parts = 'a'")


def test_a_filter_that_all_documents_fulfil_changes_nothing(two_parts: Knowledge) -> None:
    for name in ("Ada Quill", "Leith", "Cy Stone"):
        every, whole = two_parts.entity(name, where="part exists"), two_parts.entity(name)
        assert every.facts == whole.facts
        assert {(each.name, each.statements) for each in every.related} == {
            (each.name, each.statements) for each in whole.related
        }
        assert (every.name, every.type, every.passages) == (whole.name, whole.type, whole.passages)


def test_disabled_documents_state_nothing(two_parts: Knowledge) -> None:
    disabled = next(document.id for document in two_parts.documents() if document.source_key == "2")
    two_parts.disable_documents([disabled])
    found = two_parts.entity("Ada Quill")
    assert {fact.source_key for fact in found.facts} <= {"0", "1"}
    with pytest.raises(EntityNotFound):
        two_parts.entity("Dot Hale")


def corpus_label(corpus: Knowledge) -> str:
    from overstory.graph import read_corpus

    return read_corpus(corpus.graph, corpus.corpus_name).label


def _asked(corpus: Knowledge, *, looked_at: int) -> dict[str, object]:
    from overstory.graph.ids import entity_id

    return {"id": entity_id(corpus_label(corpus), "ada quill"), "looked_at": looked_at, "limit": 20}
