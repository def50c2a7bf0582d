"""Follow-up questions, completed from the turns before by rules."""

from __future__ import annotations

import pytest

from overstory.text.questions.antecedents import Named, Turn
from overstory.text.questions.follow_up import complete

STOKER = Named("Bram Stoker", "PERSON")
DRACULA = Named("Dracula", "WORK_OF_ART")
NOSFERATU = Named("Nosferatu", "WORK_OF_ART")
DUBLIN = Named("Dublin", "GPE")
WROTE = Turn("Who wrote Dracula?", "Bram Stoker", (DRACULA,), (STOKER,))
BORN = Turn("Where was Bram Stoker born?", "Dublin", (STOKER,), (DUBLIN,))
NOTICE = Turn("What is the notice period?", "three months")

DRUMMER = Turn(
    "Who is the drummer of Metallica?",
    "Lars Ulrich",
    (Named("Metallica", "ORG"),),
    (Named("Lars Ulrich", "PERSON"),),
    mentioned=(Named("American", "NORP"), Named("Los Angeles", "GPE")),
)
FOUNDED = Turn(
    "Who founded the Bass Brewery?",
    "William Bass",
    (Named("Bass Brewery", "ORG"),),
    (Named("William Bass", "PERSON"),),
    mentioned=(Named("Burton", "GPE"), Named("Henry Hart", "PERSON")),
)
PAIR = Turn("Who founded it?", "", (), (Named("Ada Quill", "PERSON"), Named("Tim Ross", "PERSON")))
MENTIONED = Turn("What did he do?", "He wrote Culture.", mentioned=(Named("1984", "DATE"), Named("Culture", "PRODUCT")))


def completed(question: str, *turns: Turn, own: tuple[Named, ...] = ()) -> str:
    found = complete(question, own, turns)
    return question if found is None else found.question


@pytest.mark.parametrize(
    ("turns", "question", "complete_one"),
    [
        ([WROTE], "Where was he born?", "Where was Bram Stoker born?"),
        ([WROTE], "And when did he die?", "When did Bram Stoker die?"),
        ([WROTE], "When did he write his first novel?", "When did Bram Stoker write his first novel?"),
        ([WROTE], "When was it published?", "When was Dracula published?"),
        ([WROTE], "who filmed it", "Who filmed Dracula"),
        ([BORN], "And its population?", "What is Dublin's population?"),
        ([BORN], "What is its population?", "What is Dublin's population?"),
        ([BORN], "When did he die?", "When did Bram Stoker die?"),
        ([BORN], "Who married him?", "Who married Bram Stoker?"),
        ([BORN], "And his wife?", "What is Bram Stoker's wife?"),
        ([BORN], "What about his wife?", "What about Bram Stoker's wife?"),
        ([BORN], "What else happened there?", "What else happened in Dublin?"),
        ([BORN], "Which river flows through the city?", "Which river flows through Dublin?"),
        ([BORN], "And when?", "When was Bram Stoker born?"),
        ([BORN], "When exactly?", "When exactly? Where was Bram Stoker born?"),
        ([WROTE], "When?", "When? Who wrote Dracula?"),
        ([WROTE], "When was that?", "When was that? Who wrote Dracula?"),
        ([WROTE], "Why did all of this happen?", "Who wrote Dracula? Why did all of this happen?"),
        ([WROTE], "And who filmed the story?", "Who filmed the story (Dracula, Bram Stoker)?"),
        ([WROTE, BORN], "When was it published?", "When was Dracula published?"),
        ([WROTE, BORN], "Is it large?", "Is Dublin large?"),
        ([DRUMMER], "When was it formed?", "When was Metallica formed?"),
        ([DRUMMER], "Is it famous?", "Is Metallica famous?"),
        ([DRUMMER], "When did they meet?", "When did Metallica meet?"),
        ([DRUMMER], "Where was he born?", "Where was Lars Ulrich born?"),
        ([FOUNDED], "Where was he born?", "Where was William Bass born?"),
        ([FOUNDED], "What happened there?", "What happened in Burton?"),
        ([PAIR], "Where did they meet?", "Where did Ada Quill and Tim Ross meet?"),
        ([MENTIONED], "When was it published?", "When was Culture published?"),
        ([WROTE, NOTICE], "Where was he born?", "Where was Bram Stoker born?"),
        ([NOTICE], "And for managers?", "What is the notice period for managers?"),
        ([NOTICE], "What about managers?", "What is the notice period? What about managers?"),
        ([NOTICE], "Is it the same for all?", "Is it the same for all? What is the notice period?"),
        ([BORN], "What about the salary?", "What about the salary of Bram Stoker?"),
    ],
)
def test_what_a_question_leaves_out_comes_from_the_turns_before(
    turns: list[Turn], question: str, complete_one: str
) -> None:
    assert completed(question, *turns) == complete_one


@pytest.mark.parametrize(
    ("turns", "question", "own", "complete_one"),
    [
        ([WROTE], "What about Nosferatu?", NOSFERATU, "Who wrote Nosferatu?"),
        ([WROTE], "How about Nosferatu?", Named("Nosferatu"), "Who wrote Nosferatu?"),
        ([WROTE], "And Nosferatu?", NOSFERATU, "Who wrote Nosferatu?"),
        ([BORN], "And Mary Shelley?", Named("Mary Shelley", "PERSON"), "Where was Mary Shelley born?"),
        ([BORN], "And in Cork?", Named("Cork", "GPE"), "Where was Bram Stoker born in Cork?"),
        ([NOTICE], "And in Cork?", Named("Cork", "GPE"), "What is the notice period in Cork?"),
        ([WROTE], "Did he know Henry Irving?", Named("Henry Irving", "PERSON"), "Did Bram Stoker know Henry Irving?"),
    ],
)
def test_a_name_takes_the_place_of_the_one_before(
    turns: list[Turn], question: str, own: Named, complete_one: str
) -> None:
    assert completed(question, *turns, own=(own,)) == complete_one


@pytest.mark.parametrize(
    ("question", "own"),
    [
        ("Who wrote Frankenstein?", Named("Frankenstein", "WORK_OF_ART")),
        ("Did Mary Shelley finish her novel?", Named("Mary Shelley", "PERSON")),
        ("Was Frankenstein a success after its release?", Named("Frankenstein", "PERSON")),
        ("And who wrote Frankenstein?", Named("Frankenstein", "WORK_OF_ART")),
        ("Who directed the film Nosferatu?", NOSFERATU),
        ("What is the notice period?", None),
        ("Is it true that ghosts exist?", None),
        ("How many teams are there?", None),
        ("Who directed They Flew Alone?", Named("Flew Alone", "WORK_OF_ART")),
        ("When he died, where did Oscar Wilde live?", Named("Oscar Wilde", "PERSON")),
        ("In its first year, how many people visited Alcatraz?", Named("Alcatraz", "FAC")),
        ("Is it safe to return a reference to local data?", None),
        ("Who is the author of the report?", None),
        ("", None),
    ],
)
def test_a_question_that_stands_alone_is_not_changed(question: str, own: Named | None) -> None:
    assert complete(question, (own,) if own else (), [BORN, WROTE]) is None


def test_without_turns_nothing_is_completed() -> None:
    assert complete("Where was he born?", (), []) is None


def test_where_two_names_fit_the_answer_is_taken_and_the_other_said() -> None:
    turn = Turn(
        "Who was the wife of Bram Stoker?", "Florence Balcombe", (STOKER,), (Named("Florence Balcombe", "PERSON"),)
    )
    found = complete("When did she die?", (), [turn])
    assert found is not None
    assert found.question == "When did Florence Balcombe die?"
    assert found.notes == ("'she' was read as Florence Balcombe; it may also be Bram Stoker.",)


def test_a_known_gender_decides() -> None:
    named = (Named("Bram Stoker", "PERSON", "he"),)
    turn = Turn("Who was his wife?", "Florence Balcombe", named, (Named("Florence Balcombe", "PERSON", "she"),))
    found = complete("When did he die?", (), [turn])
    assert found is not None
    assert (found.question, found.notes) == ("When did Bram Stoker die?", ())


def test_a_type_that_was_taken_wrongly_does_not_leave_a_pronoun_alone() -> None:
    turn = Turn("Who wrote Dracula?", "Bram Stoker", (Named("Dracula", "PERSON"),), (STOKER,))
    assert completed("When was it published?", turn) == "When was Dracula published?"
    assert completed("Where was he born?", turn) == "Where was Bram Stoker born?"


def test_a_pronoun_without_any_name_before_is_said() -> None:
    found = complete("Where was he born?", (), [NOTICE])
    assert found is not None
    assert found.notes == ("It is unclear what 'he' refers to, so the last question was added.",)
