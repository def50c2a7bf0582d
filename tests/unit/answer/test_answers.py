"""Which answer there is: a language model's, or sentences where there is none or it fails."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from tests.fakes import ScriptedChat

from overstory.answer import Answer, AnswerStyle, CitedPassage, Context, Extract, answer
from overstory.answer.reader import Sentence
from overstory.errors import BudgetExhausted, LlmCancelled, LlmError, LlmRefused, LlmUnreachable
from overstory.llm import AnswerCache, Chat, UsageMeter
from overstory.model import Evidence, Hit, Part

EVIDENCE = Evidence(
    "Where was he born?",
    "test",
    (
        Hit("c1", "d1", "notes", "k1", "Albert \x1b[1mEinstein", "", "He was born in Ulm.", 1.0),
        Hit("c2", "d2", "notes", "", "", "", "Ulm is on the Danube.", 0.5),
    ),
    notes=("the index is old",),
)


def first_sentences(question: str, context: Context) -> Extract:
    """A stand-in for what is chosen: the whole of each passage."""
    sentences = tuple(Sentence(each, each.body) for each in context.items)
    return Extract(sentences, sentences[0], "Ulm")


def no_sentence(question: str, context: Context) -> Extract:
    return Extract(())


def answered(
    *said: str | LlmError, evidence: Evidence = EVIDENCE, strict: bool = False, budget: int | None = None
) -> Answer:
    chat = Chat(ScriptedChat(*said), usage=UsageMeter(budget_tokens=budget)) if said else None
    return answer(evidence, chat=chat, extracting=first_sentences, strict=strict)


def test_a_language_model_s_answer_has_the_passages_that_it_cites() -> None:
    found = answered("Ulm [1].")
    assert (found.kind, found.text, found.short, found.model) == ("llm", "Ulm [1].", "Ulm.", "scripted")
    [citation] = found.citations
    assert (citation.number, citation.chunk_id, citation.document_id) == (1, "c1", "d1")
    assert (citation.title, citation.text, citation.origin) == ("Albert [1mEinstein", "He was born in Ulm.", "notes#k1")
    assert found.evidence is EVIDENCE
    assert found.notes == ("the index is old",)


REPORT = Part(
    kind="report", text="Physicists\nHe was born in Ulm.", score=0.4, chunks=("c9", "c1"), documents=("d9", "d1")
)
SOURCE = Hit("c9", "d9", "a.pdf", "", "Lives", "", "Einstein, born in Ulm, …", 0.0, start=40, end=64, page=3)
REPORTED = dataclasses.replace(EVIDENCE, parts=(REPORT,), sources=(SOURCE,), shares={"passage": 0.6, "report": 0.4})


@pytest.mark.parametrize("passage", ["c1", "c9"])
def test_an_answer_is_forgotten_with_a_passage_it_was_read_from_or_a_part_stands_on(
    passage: str, tmp_path: Path
) -> None:
    cache = AnswerCache(tmp_path / "answers.sqlite3", most_bytes=1_000_000)
    alone = dataclasses.replace(REPORTED, hits=REPORTED.hits[1:])
    answer(alone, chat=Chat(ScriptedChat("Ulm [2]."), cache=cache), extracting=first_sentences)
    assert cache.forget([passage]) == 1


def test_a_cited_part_leads_to_its_passages_also_to_those_that_are_no_hits() -> None:
    found = answered("Ulm [3][4].", evidence=REPORTED)
    [citation] = found.citations
    assert found.text == "Ulm [3]."
    assert (citation.number, citation.kind, citation.title, citation.text) == (3, "report", "Physicists", REPORT.text)
    assert (citation.chunk_id, citation.page) == ("c9", 3)
    assert [each.chunk_id for each in citation.passages] == ["c9", "c1"]
    assert citation.passages[0] == CitedPassage("c9", "d9", "a.pdf", "", "Lives", page=3, start=40, end=64)
    assert "1 citation of the model matched no passage and was removed." in found.notes
    assert repr(found).splitlines()[2] == "[3] Physicists [a.pdf, page 3, notes#k1]"
    assert repr(citation).startswith("<Citation [3] report 'Physicists' [a.pdf, page 3, notes#k1]")


def test_a_cited_passage_leads_to_itself() -> None:
    [citation] = answered("Ulm [1].", evidence=REPORTED).citations
    assert citation.kind == "passage"
    assert [each.chunk_id for each in citation.passages] == ["c1"]


def test_a_part_that_was_not_read_cannot_be_cited() -> None:
    found = answered("Ulm [3].", evidence=dataclasses.replace(REPORTED, shares={}))
    assert (found.text, found.citations, found.state) == ("Ulm.", (), "uncited")


def test_sentences_are_quoted_of_passages_alone() -> None:
    found = answered(evidence=REPORTED)
    assert [each.kind for each in found.citations] == ["passage", "passage"]
    assert found.text == "He was born in Ulm. [1]\nUlm is on the Danube. [2]"


def test_without_a_language_model_the_answer_is_sentences_with_their_passages() -> None:
    found = answered()
    assert (found.kind, found.short, found.state, found.model) == ("extractive", "Ulm", "answered", "")
    assert (found.guess, found.answered) == ("Ulm", True)
    assert found.text == "He was born in Ulm. [1]\nUlm is on the Danube. [2]"
    assert [each.text for each in found.citations] == ["He was born in Ulm.", "Ulm is on the Danube."]


def quoting(*lines: tuple[int, str]) -> Answer:
    def extracting(_: str, context: Context) -> Extract:
        chosen = tuple(Sentence(context.items[place], text) for place, text in lines)
        return Extract(chosen, chosen[0])

    return answer(EVIDENCE, chat=None, extracting=extracting)


def test_sources_are_numbered_in_the_order_of_their_citation() -> None:
    found = quoting((1, "Ulm is on the Danube."), (0, "He was born in Ulm."), (1, "It has a minster."))
    assert found.text == "Ulm is on the Danube. [1]\nHe was born in Ulm. [2]\nIt has a minster. [1]"
    assert [(each.number, each.chunk_id) for each in found.citations] == [(1, "c2"), (2, "c1")]


def test_a_line_on_time_cites_the_sources_of_its_sentences() -> None:
    def second_alone(question: str, context: Context) -> Extract:
        found = first_sentences(question, context)
        return dataclasses.replace(found, sentences=found.sentences[1:], first_line="Since 2020")

    found = answer(EVIDENCE, chat=None, extracting=second_alone)
    assert found.text == "Since 2020 [1]\nUlm is on the Danube. [1]"


def test_a_sentence_is_quoted_once() -> None:
    old, minster = "Ulm is old.", "It has a minster."
    found = quoting((0, old), (1, f"{old} {minster}"), (1, minster), (0, "Ulm"), (0, "Ulm"))
    assert found.text == "Ulm is old. [1]\nIt has a minster. [2]\nUlm [1]"
    assert [each.text for each in found.citations] == ["Ulm is old.\nUlm", minster]


def test_an_answer_that_cites_nothing_is_shown_and_not_answered() -> None:
    found = answered("In Ulm.")
    assert (found.state, found.answered, found.text, found.short) == ("uncited", False, "In Ulm.", "In Ulm.")
    assert (found.citations, found.unsupported) == ((), ())
    assert "cited no passage" in found.notes[-1]


def test_names_and_numbers_that_stand_in_no_cited_passage_are_marked() -> None:
    found = answered("Ulm, in Bavaria, on the Danube, in 1879 [1].")
    assert found.unsupported == ("Bavaria", "Danube", "1879")
    assert found.notes[-1] == "3 names or numbers appear in no cited passage: Bavaria, Danube, 1879."
    assert answered("Ulm, on the Danube [1][2].").unsupported == ()


def test_a_note_names_the_first_of_many() -> None:
    found = answered(f"In {', '.join(f'190{year}' for year in range(10))} [1].")
    assert len(found.unsupported) == 10
    assert found.notes[-1].endswith("1906, 1907, and 2 more.")


def test_of_an_uncited_answer_what_nothing_that_was_read_says_is_marked() -> None:
    found = answered("Ulm on the Danube, or Bern.")
    assert found.unsupported == ("Bern",)
    assert found.notes[-1] == "1 name or number appears in no passage that was read: Bern."


def test_what_a_cited_part_says_is_supported() -> None:
    evidence = dataclasses.replace(REPORTED, parts=(dataclasses.replace(REPORT, text="Physicists\nIn Bern."),))
    assert answered("In Bern [3].", evidence=evidence).unsupported == ()
    assert answered("In Bern [1].", evidence=evidence).unsupported == ("Bern",)


def test_an_extractive_answer_and_none_have_nothing_unsupported() -> None:
    assert answered().unsupported == answered("Not in the evidence.").unsupported == ()


def test_what_is_not_in_the_evidence_is_no_answer() -> None:
    found = answered("Not in the evidence. [1]")
    assert found.state == "not_in_documents"
    assert (found.citations, found.short) == ((), "")


def test_passages_that_do_not_answer_are_said_not_to() -> None:
    heard: list[str] = []
    found = answer(EVIDENCE, chat=None, extracting=no_sentence, on_text=heard.append)
    assert heard == [found.text] == ["The documents found do not answer this."]
    assert (found.state, found.answered, found.short, found.guess) == ("not_in_documents", False, "", "")
    assert (found.kind, found.citations, found.evidence, found.notes) == ("extractive", (), EVIDENCE, EVIDENCE.notes)


def test_without_evidence_nobody_is_asked() -> None:
    model = ScriptedChat("Ulm [1].")
    found = answer(Evidence("Where?", "test", ()), chat=Chat(model), extracting=first_sentences)
    assert (found.text, found.state, found.citations) == ("Nothing was found.", "nothing_found", ())
    assert not found.answered
    assert model.asked == []


def test_where_nothing_fits_nobody_is_asked_and_it_says_what_to_raise() -> None:
    model = ScriptedChat("Ulm [1].")
    found = answer(EVIDENCE, chat=Chat(model), extracting=first_sentences, tokens=1)
    assert found.text == "Nothing was read: the token limit is too low for any passage."
    assert (found.state, found.citations) == ("nothing_read", ())
    assert "raise --context-tokens" in found.notes[-1]
    assert model.asked == []


def test_an_answer_of_sentences_is_heard_once_and_whole() -> None:
    heard: list[str] = []
    found = answer(EVIDENCE, chat=None, extracting=first_sentences, on_text=heard.append)
    assert heard == [found.text]
    heard.clear()
    answer(Evidence("Where?", "test", ()), chat=None, extracting=first_sentences, on_text=heard.append)
    assert heard == ["Nothing was found."]


@pytest.mark.parametrize("error", [LlmUnreachable("It is gone", remedy="Start it."), LlmRefused("No.", remedy="Pay.")])
def test_a_model_that_fails_leaves_sentences_and_a_note_on_why(error: LlmError) -> None:
    found = answered(error)
    assert found.kind == "extractive"
    why = "It is gone." if "gone" in str(error) else "No."
    assert found.notes == ("the index is old", f"The language model did not answer: {why} {error.remedy}")


def test_a_budget_that_is_used_up_does_too() -> None:
    found = answered("Ulm [1].", budget=10)
    assert found.kind == "extractive"
    assert "The budget of 10 tokens" in found.notes[1]
    assert "higher --budget-tokens" in found.notes[1]


@pytest.mark.parametrize(
    ("question", "style", "report"),
    [
        ("Where was he born?", None, False),
        ("Where was he born?", "report", True),
        ("What are the main themes of these documents?", None, True),
        ("What are the main themes of these documents?", "short", False),
    ],
)
def test_a_report_is_written_where_it_is_asked_for_and_on_all_documents(
    question: str, style: AnswerStyle | None, report: bool
) -> None:
    model = ScriptedChat("## His birth\nHe was born in Ulm [1].\n\n## The place\nUlm is on the Danube [2][7].")
    evidence = dataclasses.replace(EVIDENCE, question=question)
    found = answer(evidence, chat=Chat(model), extracting=first_sentences, style=style)
    assert ("You write reports" in model.asked[0][0].text) == report
    assert found.text == "## His birth\nHe was born in Ulm [1].\n\n## The place\nUlm is on the Danube [2]."
    assert [each.number for each in found.citations] == [1, 2]
    assert found.unsupported == ()


def test_without_a_model_a_report_is_sentences_and_a_note() -> None:
    found = answer(EVIDENCE, chat=None, extracting=first_sentences, style="report")
    assert found.kind == "extractive"
    assert any("Writing a report needs a language model" in note for note in found.notes)


def test_where_figures_depend_on_it_a_failure_is_an_error() -> None:
    with pytest.raises(LlmUnreachable):
        answered(LlmUnreachable("gone"), strict=True)
    with pytest.raises(BudgetExhausted):
        answered("Ulm", strict=True, budget=10)


def test_an_answer_that_somebody_ended_is_none() -> None:
    with pytest.raises(LlmCancelled):
        answered(LlmCancelled("ended"))


def test_it_shows_itself_in_a_repl_and_in_a_notebook() -> None:
    found = answered("Ulm [1]. <b>")
    assert repr(found).splitlines() == [
        "<Answer (llm by scripted) to 'Where was he born?': Ulm. <b>>",
        "Ulm [1]. <b>",
        "[1] Albert [1mEinstein [notes#k1]",
        "Note: the index is old",
    ]
    assert str(found) == "Ulm [1]. <b>"
    assert repr(found.citations[0]) == "<Citation [1] 'Albert [1mEinstein' [notes#k1]: He was born in Ulm.>"
    assert "<b>" not in found._repr_html_()  # pyright: ignore[reportPrivateUsage]
