"""The questions of benchmarks/own_questions: the documents say what the files of questions say that they do."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from pathlib import Path

import pytest
from benchmarks.own_questions.run import FOLDERS, HERE, KINDS, Question, judged, normalised, read_questions, says, table

from overstory import Answer, Document, Evidence, sources

QUESTIONS = {name: read_questions(HERE / name, folder) for name, folder in FOLDERS.items()}
ANSWER = Answer(
    "Who leads Otter?",
    "Pike rests. [1]\nAmara Nwosu leads. [2]",
    "",
    "extractive",
    "answered",
    (),
    Evidence("", "", ()),
)


def texts_by_file(folder: Path) -> dict[str, str]:
    """Text of each file, records and vertices joined; titles included."""
    texts: dict[str, str] = defaultdict(str)

    def fail(broken: object) -> None:
        pytest.fail(str(broken))

    for loaded in sources.read_sources([str(folder)], loader=None, on_broken=fail, on_skipped=fail):
        if isinstance(loaded, Document):
            texts[Path(loaded.source).name] += f"\n{loaded.title}\n{loaded.text}"
    return texts


def test_sixty_questions_of_which_twenty_have_no_answer() -> None:
    asked = [question for questions in QUESTIONS.values() for question in questions]
    assert len({question.text for question in asked}) == len(asked) == 60
    assert sum(not question.accepted for question in asked) == 20
    assert all(bool(question.accepted) == bool(question.sources) for question in asked)


@pytest.mark.parametrize("name", FOLDERS)
def test_every_accepted_answer_stands_in_the_last_source_named(name: str) -> None:
    texts = texts_by_file(FOLDERS[name])
    for question in QUESTIONS[name]:
        for accepted in question.accepted:
            assert says(texts[question.sources[-1]], (accepted,)), (question.text, accepted)
            assert not says(question.text, (accepted,)), "the question itself has the answer"


@pytest.mark.parametrize(
    ("accepted", "guess", "outcome"),
    [
        (("Amara Nwosu",), "amara  nwosu", "right at once"),
        (("rests",), "", "right at once"),
        (("Amara Nwosu",), "Pike", "right sentence among others"),
        (("Amara Nwosu",), "", "right sentence among others"),
        (("Wilk",), "", "wrong"),
        ((), "", "wrong"),
    ],
)
def test_outcomes_of_what_was_answered(accepted: tuple[str, ...], guess: str, outcome: str) -> None:
    row = judged(Question(ANSWER.question, KINDS[0], accepted, ()), dataclasses.replace(ANSWER, guess=guess))
    assert row.outcome == outcome
    assert table([row]).splitlines()[-1].startswith("| all | 1 |")


@pytest.mark.parametrize(("accepted", "outcome"), [(("Wilk",), "refused wrongly"), ((), "refused rightly")])
def test_outcomes_of_what_was_refused(accepted: tuple[str, ...], outcome: str) -> None:
    refused = dataclasses.replace(ANSWER, state="not_in_documents")
    assert judged(Question(ANSWER.question, KINDS[0], accepted, ()), refused).outcome == outcome


def test_a_number_is_not_found_in_a_longer_one() -> None:
    assert not says("It goes up to 6,900 euros.", ("900",))
    assert says("After 900 seconds.", ("900",))
    assert normalised("Am 31.\nMärz, 13:00!") == "am 31 märz 13:00"


def test_a_source_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "questions.csv").write_text("question,answer,source\nWho?,Amara,none.md\n", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"none\.md"):
        read_questions(tmp_path / "questions.csv", tmp_path)
