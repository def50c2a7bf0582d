"""Which sentences are chosen, and what is asked for, without models: words stand for meaning here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tests.fakes import HashingEmbedder

from overstory.answer import Extract, extract, read_within
from overstory.answer.extractive import LONGEST
from overstory.model import ChunkText, Evidence, Extraction, Hit, Mention


class Names:
    """Finds the names that it is told, in every sentence that has them."""

    fingerprint = "names"

    def __init__(self, *names: tuple[str, str], by: str = "ner") -> None:
        self.by = by
        self.read: list[str] = []
        self._names = names

    def extract(self, chunks: Iterable[ChunkText]) -> Iterator[Extraction]:
        for chunk in chunks:
            self.read.append(chunk.text)
            found = (Mention(name, kind, 0, 0, len(name)) for name, kind in self._names if name in chunk.text)
            yield Extraction(chunk.id, (0,), tuple(found), ())


def chosen(question: str, *passages: tuple[str, str], names: Names | None = None) -> Extract:
    hits = tuple(Hit(title, title, "test", "", title, "", text, 1.0) for title, text in passages)
    context = read_within(2_000, Evidence(question, "test", hits))
    return extract(question, context, HashingEmbedder(256), names or Names())


def texts(found: Extract) -> list[str]:
    return [each.text for each in found.sentences]


def test_the_nearest_sentence_comes_first_and_one_that_adds_no_word_is_not_shown() -> None:
    found = chosen(
        "he was born in which old place here .",
        ("A", "Nothing . He was born in a town here . He was born in an old town here . Something else ."),
        ("B", "There are rivers ."),
    )
    assert [(each.passage.number, each.text) for each in found.sentences] == [(1, "He was born in an old town here .")]
    assert (found.short, found.guess) == ("He was born in an old town here .", "")


def test_further_sentences_are_shown_where_they_are_near_to_the_question_too() -> None:
    found = chosen(
        "Where is the mouth of the Danube and where is its source",
        ("A", "The mouth of the Danube is in Romania. Cakes are baked from flour."),
        ("B", "The source of the Danube is in Germany. Bread is made with rye."),
    )
    assert texts(found) == ["The mouth of the Danube is in Romania.", "The source of the Danube is in Germany."]


def test_no_more_than_two_sentences_of_a_passage_and_three_in_all() -> None:
    sentences = [f"The Danube flows through {place}." for place in ("Ulm", "Linz", "Vienna", "Bratislava", "Budapest")]
    passages = [("A", " ".join(sentences[:3])), ("B", " ".join(sentences[3:]))]
    found = chosen("The Danube flows through which cities", *passages)
    assert [each.passage.number for each in found.sentences] == [1, 1, 2]


def test_a_sentence_that_several_passages_have_is_shown_once() -> None:
    found = chosen(
        "Which river flows through Ulm",
        ("A", "The river Danube flows through Ulm. It is long."),
        ("B", "The river Danube flows through Ulm. It is wide."),
        ("C", "Through Ulm flows the river: Danube."),
    )
    assert texts(found) == ["The river Danube flows through Ulm."]


def test_navigation_is_no_answer() -> None:
    names = Names(("Admin", "PERSON"), ("Raphael Hertzog", "PERSON"))
    prev = "Prev The Debian Administrator's Handbook Next"
    passages = [
        ("", prev),
        ("", f"{prev}\n\nThe Handbook was written by Raphael Hertzog for the Debian Administrator."),
    ]
    found = chosen("Who wrote The Debian Administrator's Handbook?", *passages, names=names)
    assert texts(found) == ["The Handbook was written by Raphael Hertzog for the Debian Administrator."]
    assert found.guess == "Raphael Hertzog"
    assert chosen("Who wrote The Debian Administrator's Handbook?", passages[0], names=names).sentences == ()


def test_a_sentence_that_only_repeats_the_question_answers_only_yes_or_no() -> None:
    passage = ("", "Ulm is on the Danube.")
    assert texts(chosen("Is Ulm on the Danube?", passage)) == ["Ulm is on the Danube."]
    assert texts(chosen("Where on the Danube is Ulm?", passage)) == []


def test_passages_that_do_not_answer_leave_no_sentence() -> None:
    passages = [("Ulm", "Ulm lies on the Danube."), ("Bern", "Bern lies on the Aare.")]
    found = chosen("When was the Eiffel tower of Paris painted?", *passages)
    assert (found.sentences, found.short, found.guess) == ((), "", "")
    assert found.fit is not None
    assert (found.fit.names, found.fit.answers) == (0.0, False)


def test_the_short_answer_is_the_name_that_is_asked_for_and_not_one_of_the_question() -> None:
    names = Names(("Ulm", "GPE"), ("Einstein", "PERSON"), ("1879", "DATE"))
    passage = ("", "Einstein was born in Ulm. He lived until 1955.")
    assert chosen("Where was Einstein born?", passage, names=names).short == "Ulm"
    assert chosen("Who was born in Ulm?", passage, names=names).short == "Einstein"
    assert chosen("Where is Ulm?", passage, names=names).guess == ""


def test_a_name_is_a_guess_only_where_it_is_an_answer() -> None:
    said = "In 1805 Ulm, one of the towns on the Danube near Admin1s, fell to the emperor Napoleon2 at last."
    names = Names(
        *(("one", "CARDINAL"), ("at last", "DATE"), ("Admin", "PERSON"), ("Napoleon2", "PERSON"), ("1805", "DATE"))
    )
    guesses = {
        "To whom did Ulm on the Danube fall?": "Napoleon",
        "When did Ulm on the Danube fall?": "1805",
        "How many towns on the Danube fell with Ulm?": "",
        "How did Ulm on the Danube, of which the emperor was fond, fall?": "",
        "Why did Ulm on the Danube fall when the emperor came?": "",
        "What is Ulm on the Danube, which fell to the emperor?": "",
    }
    assert {question: chosen(question, ("", said), names=names).guess for question in guesses} == guesses


def test_a_work_is_no_person() -> None:
    names = Names(("Dracula", "PERSON"))
    passage = ("", "Nosferatu is a film on which the novel Dracula was based by who wrote it.")
    assert chosen("Who wrote the novel that Nosferatu is based on?", passage, names=names).guess == ""
    assert chosen("Who wrote Nosferatu?", ("", "Dracula wrote Nosferatu."), names=names).guess == "Dracula"


def test_the_guess_stands_in_the_first_sentence() -> None:
    names = Names(("Rome", "GPE"))
    found = chosen("Where did the emperor of Ulm die?", ("", "The emperor of Ulm did die at home."), names=names)
    assert (found.guess, found.short) == ("", "The emperor of Ulm did die at home.")


def test_of_two_dates_the_second_is_that_of_a_death() -> None:
    names = Names(("14 March 1879", "DATE"), ("18 April 1955", "DATE"))
    passage = ("", "When Einstein (14 March 1879 – 18 April 1955) was born, and when he did die.")
    assert chosen("When was Einstein born?", passage, names=names).short == "14 March 1879"
    assert chosen("When did Einstein die?", passage, names=names).short == "18 April 1955"


def test_a_passage_that_another_one_leads_to_comes_first() -> None:
    found = chosen(
        "Where was the director of Nosferatu born?",
        ("Nosferatu (film)", "Nosferatu is Murnau's film."),
        ("Other", "The director of another film lives in Rome."),
        ("Murnau", "He grew up in Bielefeld."),
    )
    assert found.sentences[0].text == "He grew up in Bielefeld."


def test_an_extractor_that_may_ask_a_model_is_not_asked() -> None:
    names = Names(("Ulm", "GPE"), by="llm")
    assert chosen("Where was he born?", ("", "He was born in Ulm."), names=names).short == "He was born in Ulm."
    assert names.read == []


def test_references_of_a_passage_are_not_taken_for_ours() -> None:
    found = chosen(
        "Where was Ada Lovelace born?",
        ("", "Ada Lovelace was born in London in 1815.[3] She worked with Charles Babbage.[2][p. 7] Hers it is [7]."),
    )
    assert {each.text for each in found.sentences} <= {
        "Ada Lovelace was born in London in 1815.",
        "She worked with Charles Babbage.",
        "Hers it is.",
    }


def test_headings_do_not_run_into_sentences() -> None:
    names = Names(("Bram Stoker Bram Stoker", "PERSON"), ("Bram Stoker", "PERSON"))
    passage = ("", "# Bram Stoker\nBram Stoker was an Irish author.\n\nLife in Dublin\n\n## Work\nHe wrote Dracula.")
    found = chosen("Who was an Irish author?", passage, names=names)
    assert texts(found) == ["Bram Stoker was an Irish author."]
    assert found.short == "Bram Stoker"


def test_control_characters_line_ends_and_endless_sentences_are_tamed() -> None:
    found = chosen("Where?", ("", "He was\nborn\x1b[31m in Ulm. The list goes " + "on and on " * 500))
    assert {each.text for each in found.sentences} >= {"He was born[31m in Ulm."}
    assert all(len(each.text) <= LONGEST for each in found.sentences)


def test_passages_without_a_word_give_nothing() -> None:
    assert chosen("Where?", ("", "… — !"), ("", "")) == Extract(())
