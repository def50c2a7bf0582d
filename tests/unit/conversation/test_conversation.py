"""Questions that go on from each other, with a model that says what the test wants, and without one."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Unpack

import pytest
from tests.fakes import ScriptedChat

from overstory.answer import Answer, Citation, CitedPassage
from overstory.conversation import MOST_TURNS, AskOptions, Conversation, KeptConversation
from overstory.conversation.conversation import _CHOSEN_READING_SHARE
from overstory.errors import LlmUnreachable, ModelError, QuestionError
from overstory.llm import Chat
from overstory.model import ChunkText, Evidence, Extraction, Hit, Mention
from overstory.protocols import Extractor
from overstory.settings import DatabaseSettings, Places, Settings
from overstory.text.questions.antecedents import Named, Turn

TYPES = {"Bram Stoker": "PERSON", "Florence Balcombe": "PERSON", "Dracula": "WORK_OF_ART", "Dublin": "GPE"}
STOKER = Hit("c1", "d1", "s", "k", "Bram Stoker", "", "He was born in Dublin. His wife was Florence.", 1.0)
BALCOMBE = Hit("c2", "d1", "s", "k", "Florence Balcombe", "", "She was born in 1858. Her husband was Bram Stoker.", 1.0)


class KnownNames:
    """Finds the names of a table."""

    fingerprint = "known:1"
    by = "ner"

    def extract(self, chunks: Iterable[ChunkText]) -> Iterator[Extraction]:
        for chunk in chunks:
            found = [
                Mention(name, type_, 0, match.start(), match.end())
                for name, type_ in TYPES.items()
                for match in re.finditer(name, chunk.text)
            ]
            yield Extraction(chunk.id, (0,), tuple(found), ())


@dataclass
class FakeKnowledge:
    """Answers from a table, and records what it was asked."""

    answers: dict[str, str] = field(default_factory=dict[str, str])
    model: ScriptedChat | None = None
    pipeline: Extractor | None = field(default_factory=KnownNames)
    asked: list[tuple[str, int, AskOptions]] = field(default_factory=list[tuple[str, int, AskOptions]])

    def ask(self, question: str, k: int = 5, **options: Unpack[AskOptions]) -> Answer:
        self.asked.append((question, k, options))
        guess = self.answers.get(question, "")
        passage = CitedPassage("c1", "d1", "s", "k", "")
        citation = Citation(1, "c1", "d1", "s", "k", "", "", passages=(passage,))
        evidence = Evidence(question, "test", (STOKER, BALCOMBE))
        return Answer(
            question,
            f"It is {guess}. [1]",
            guess,
            "extractive",
            "answered",
            (citation,),
            evidence,
            guess=guess,
            confidence=0.8,
        )

    def chat(self) -> Chat | None:
        return None if self.model is None else Chat(self.model)

    @property
    def extractor(self) -> Extractor:
        if self.pipeline is None:
            raise ModelError("there is none")
        return self.pipeline

    def questions(self) -> list[str]:
        return [question for question, _, _ in self.asked]


ANSWERS = {
    "Who wrote Dracula?": "Bram Stoker",
    "Where was Bram Stoker born?": "Dublin",
    "Who was the wife of Bram Stoker?": "Florence Balcombe",
}


def test_a_follow_up_is_asked_with_the_names_of_the_turns_before() -> None:
    knowledge = FakeKnowledge(ANSWERS)
    conversation = Conversation(knowledge)
    heard: list[str] = []
    first = conversation.ask("Who wrote Dracula?", on_question=heard.append)
    second = conversation.ask("Where was he born?", 3, retriever="dense", on_question=heard.append)
    third = conversation.ask("And its population?")
    assert knowledge.questions() == [first.question, "Where was Bram Stoker born?", "What is Dublin's population?"]
    assert knowledge.asked[1][1:] == (3, {"retriever": "dense"})
    assert heard == ["Where was Bram Stoker born?"]
    assert (first.follow_up, second.follow_up, third.follow_up) == ("", "Where was he born?", "And its population?")
    assert second.question == "Where was Bram Stoker born?"
    assert [turn.answer for turn in conversation.turns] == ["Bram Stoker", "Dublin", ""]


def test_who_he_and_she_are_is_known_from_the_passages() -> None:
    conversation = Conversation(FakeKnowledge(ANSWERS))
    conversation.ask("Who was the wife of Bram Stoker?")
    assert conversation.turns[0].named == (Named("Bram Stoker", "PERSON", "he"),)
    assert conversation.turns[0].answered_with == (Named("Florence Balcombe", "PERSON", "she"),)
    answer = conversation.ask("When did he die?")
    assert (answer.question, answer.notes) == ("When did Bram Stoker die?", ())


def test_a_choice_between_names_is_noted() -> None:
    conversation = Conversation(FakeKnowledge({"Did Dracula come before Dublin?": ""}))
    conversation.ask("Did Dracula come before Dublin?")
    [turn] = conversation.turns
    assert [each.name for each in turn.named] == ["Dracula", "Dublin"]
    answer = conversation.ask("Was it old?")
    assert answer.notes == ("'it' was read as Dracula; it may also be Dublin.",)
    assert answer.confidence == pytest.approx(0.8 * _CHOSEN_READING_SHARE)
    assert conversation.ask("And when did Dracula come?").confidence == 0.8


def test_they_are_all_people_that_were_named() -> None:
    conversation = Conversation(FakeKnowledge({"Did Bram Stoker meet Florence Balcombe?": ""}))
    conversation.ask("Did Bram Stoker meet Florence Balcombe?")
    answer = conversation.ask("Did they marry?")
    assert (answer.question, answer.notes) == ("Did Bram Stoker and Florence Balcombe marry?", ())


def test_a_question_that_stands_alone_is_asked_as_it_is_and_no_model_is_asked_for_it() -> None:
    model = ScriptedChat('{"question": "x"}')
    knowledge = FakeKnowledge(ANSWERS, model)
    conversation = Conversation(knowledge)
    conversation.ask("Who wrote Dracula?")
    answer = conversation.ask("Where was  Bram Stoker born?")
    assert answer.question == "Where was  Bram Stoker born?"
    assert answer.follow_up == ""
    assert model.asked == []


def test_a_model_completes_a_question_from_the_conversation() -> None:
    model = ScriptedChat('{"question": "Wo wurde Bram Stoker geboren?"}')
    conversation = Conversation(FakeKnowledge(ANSWERS, model))
    conversation.ask("Who wrote Dracula?")
    answer = conversation.ask("Wo wurde er geboren?")
    assert (answer.question, answer.follow_up) == ("Wo wurde Bram Stoker geboren?", "Wo wurde er geboren?")
    assert answer.usage.requests == 1
    [_, user] = model.asked[0]
    assert "Question: Who wrote Dracula?\nAnswer: Bram Stoker\n</turn" in user.text
    assert "Wo wurde er geboren?" in user.text


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (LlmUnreachable("nothing answers"), "nothing answers"),
        ('{"question": "Where was Henry Irving born in 1838?"}', "that were not mentioned before: Henry Irving, 1838"),
        ('{"question": "Who wrote Dracula?"}', "changed the question to another one: Who wrote Dracula?"),
        ('{"question": "\\u0007"}', "The model's question is empty"),
        ("no JSON", "not the requested JSON"),
    ],
)
def test_where_the_model_fails_rules_complete_the_question_and_a_note_says_so(
    said: str | LlmUnreachable, why: str
) -> None:
    conversation = Conversation(FakeKnowledge(ANSWERS, ScriptedChat(said)))
    conversation.ask("Who wrote Dracula?")
    answer = conversation.ask("Where was he born?")
    assert answer.question == "Where was Bram Stoker born?"
    assert answer.notes[0].startswith("The question was completed by rules, without the language model: ")
    assert why in answer.notes[0]


def test_a_model_that_fails_is_raised_where_that_is_asked_for() -> None:
    conversation = Conversation(FakeKnowledge(ANSWERS, ScriptedChat(LlmUnreachable("gone"))))
    conversation.ask("Who wrote Dracula?")
    with pytest.raises(LlmUnreachable):
        conversation.ask("Where was he born?", strict=True)
    assert len(conversation.turns) == 1


def test_without_a_pipeline_names_have_no_types() -> None:
    knowledge = FakeKnowledge(ANSWERS, pipeline=None)
    conversation = Conversation(knowledge)
    conversation.ask("Who wrote Dracula?")
    conversation.ask("Where was he born?")
    assert knowledge.questions()[-1] == "Where was Bram Stoker born?"


def test_few_turns_are_kept_and_another_conversation_goes_on_from_them() -> None:
    conversation = Conversation(FakeKnowledge())
    for number in range(MOST_TURNS + 2):
        conversation.ask(f"Who wrote Volume {number}?")
    assert conversation.turns[0].question == "Who wrote Volume 2?"
    assert len(conversation.turns) == MOST_TURNS
    other = Conversation(FakeKnowledge(), conversation.turns)
    assert other.turns == conversation.turns


def test_an_empty_question_is_refused() -> None:
    conversation = Conversation(FakeKnowledge())
    with pytest.raises(QuestionError):
        conversation.ask(" ")
    assert conversation.turns == ()


TURN = Turn("Where was \ud800 Bram?", "Dublin", (Named("Bram", "PERSON", "he"),), (Named("Dublin", "GPE"),), ("c1",))


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(Places(tmp_path / "data", tmp_path / "cache"))


def test_turns_are_read_as_they_were_written_and_only_their_user_can(settings: Settings) -> None:
    kept = KeptConversation(settings, "Corpus_1")
    assert kept.read() == []
    kept.write([TURN])
    assert kept.read() == [TURN]
    assert stat.S_IMODE(kept.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.path.parent.stat().st_mode) == 0o700


def test_the_last_turns_are_kept_of_each_corpus_and_database(settings: Settings) -> None:
    kept = KeptConversation(settings, "Corpus_1")
    kept.write(Turn(str(number)) for number in range(MOST_TURNS + 3))
    assert kept.read()[0].question == "3"
    assert KeptConversation(settings, "Corpus_2").read() == []
    elsewhere = replace(settings, database=DatabaseSettings(uri="bolt://localhost:7687"))
    assert KeptConversation(elsewhere, "Corpus_1").read() == []


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"version": 0, "turns": []}', '{"version": 1, "turns": [{}]}', '{"version": 1, "turns": 7}'],
)
def test_a_file_that_is_broken_counts_as_none(settings: Settings, text: str) -> None:
    kept = KeptConversation(settings, "Corpus_1")
    kept.write([TURN])
    kept.path.write_text(text, encoding="utf-8")
    assert kept.read() == []


def test_turns_are_forgotten_with_a_passage_that_an_answer_cites(settings: Settings) -> None:
    kept = KeptConversation(settings, "Corpus_1")
    kept.forget_passages(["c1"])
    kept.write([TURN])
    kept.forget_passages(["c2"])
    assert kept.read() == [TURN]
    kept.forget_passages(["c2", "c1"])
    assert not kept.path.exists()
    kept.forget()


def test_a_file_that_cannot_be_deleted_is_logged(settings: Settings, caplog: pytest.LogCaptureFixture) -> None:
    kept = KeptConversation(settings, "Corpus_1")
    kept.path.mkdir(parents=True)
    kept.forget()
    assert "Delete the file" in caplog.text
