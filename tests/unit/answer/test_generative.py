"""Answers of a language model, with prepared outputs."""

from __future__ import annotations

from collections.abc import Generator, Sequence

import pytest
from tests.chat_endpoint import hung, running_chat_endpoint, streaming
from tests.fakes import ScriptedChat

from overstory.answer import Context, Item
from overstory.answer.generative import (
    _LEAST_PASSAGES_TOKENS,
    _LONGEST_PERIOD_LETTERS,
    Found,
    Repetition,
    Written,
    before_repetition,
    is_refusal,
    room_for_passages,
    write,
)
from overstory.errors import AnswerUnusable
from overstory.llm import Chat, make_chat_model
from overstory.model import Completion, Hit, Message, Usage
from overstory.settings import LlmSettings

HIT = Hit("c1", "d1", "test", "", "Ulm", "", "Albert Einstein was born in Ulm.", 1.0)
CONTEXT = Context((Item(1, HIT, HIT.text, (HIT,)), Item(2, HIT, "Ulm is on the Danube.", (HIT,))))


class Streaming(ScriptedChat):
    """Gives its answers letter by letter."""

    def stream(self, messages: Sequence[Message], *, max_tokens: int | None = None) -> Generator[str, None, Completion]:
        completion = self.complete(messages, max_tokens=max_tokens)
        yield from completion.text
        return completion


def written(said: str | Completion, heard: list[str] | None = None) -> Written:
    return write(Chat(Streaming(said)), "Where?", CONTEXT, None if heard is None else heard.append)


def test_passages_and_question_are_sent_as_data_and_question() -> None:
    model = ScriptedChat("Ulm [1].")
    write(Chat(model), "Where was he born?", CONTEXT)
    [system, user] = model.asked[0]
    assert "Not in the evidence." in system.text
    assert 'nr="1">\nUlm\nAlbert Einstein was born in Ulm.\n</passage' in user.text
    assert 'nr="2">\nUlm\nUlm is on the Danube.\n</passage' in user.text
    assert user.text.endswith("Question: Where was he born?")


def test_what_is_heard_is_what_is_written() -> None:
    heard: list[str] = []
    answer = written("\n In Ulm [1][9], on the Danube [2, 3]. \n", heard)
    assert answer.text == "In Ulm [1], on the Danube [2]."
    assert "".join(heard).strip() == answer.text
    assert answer.cited == (1, 2)
    assert answer.notes == ("2 citations of the model matched no passage and were removed.",)
    assert answer.answered


def test_an_answer_that_cites_nothing_says_so() -> None:
    [note] = written("In Ulm.").notes
    assert note.startswith("The model cited no passage, so this answer cannot be checked. Ask with another")


@pytest.mark.parametrize(
    ("said", "none"),
    [
        ("Not in the evidence.", True),
        ('"NOT IN THE EVIDENCE"', True),
        ("**Not in the evidence**: the passages are about rivers.", True),
        ("Not in the evidence. However, Ulm [1].", False),
        ("Not in the evidence of passage 2, but in Ulm [1].", False),
        ("Not", False),
        ("I am sorry, but the answer is not in the evidence.", True),
        ("In Ulm [1]. His mother's name is not in the evidence.", False),
        ("In Ulm.", False),
        ("not in  the\nevidence", True),
    ],
)
def test_not_in_the_evidence_is_understood_however_it_is_said(said: str, *, none: bool) -> None:
    assert is_refusal(said) is none
    assert written(said).answered is not none


@pytest.mark.parametrize(
    ("said", "shown", "cited"),
    [
        ("Not in the evidence. However, Dublin [1].", "However, Dublin [1].", (1,)),
        ("**Not in the evidence** [2]: it is Dublin [1].", "it is Dublin [1].", (1,)),
        ("Not in the evidence [1]. However, Dublin.", "Not in the evidence.", ()),
        ("Not in the evidence. However, Dublin [9].", "Not in the evidence.", ()),
        ("Not in the evidence. [1]", "Not in the evidence.", ()),
        ("Not in the evidence of passage 2, but of [1].", "Not in the evidence of passage 2, but of [1].", (1,)),
        ("Not evident [1].", "Not evident [1].", (1,)),
    ],
)
def test_not_in_the_evidence_stands_alone_or_is_dropped(said: str, shown: str, cited: tuple[int, ...]) -> None:
    heard: list[str] = []
    answer = written(said, heard)
    assert answer.text == "".join(heard) == shown
    assert answer.cited == cited
    assert answer.answered is bool(cited)
    assert any("was dropped" in note for note in answer.notes) is ("Dublin" in said)


def test_what_nobody_sees_is_not_shown() -> None:
    hidden = "\u200b\u2060\ufeff\u00ad\U000e0041\U000e007f\u2066"
    assert written(f"In{hidden} Ulm [1{hidden}].").text == "In Ulm [1]."


def test_what_a_terminal_would_obey_is_not_shown() -> None:
    heard: list[str] = []
    answer = written("\x1b]0;owned\x07In\x1b[2J \u202eUlm\x9b31m\r [1].\n\tYes.", heard)
    assert answer.text == "]0;ownedIn[2J Ulm31m [1].\n\tYes."
    assert "".join(heard) == answer.text


def test_thoughts_are_not_shown() -> None:
    heard: list[str] = []
    assert written("<think>Is it Bern? [7]</think>\n\nUlm [1].", heard).text == "".join(heard) == "Ulm [1]."
    assert written("<thin ice> [1]").text == "<thin ice> [1]"


def test_an_answer_of_thoughts_alone_is_none() -> None:
    with pytest.raises(AnswerUnusable, match="contains no text"):
        written("<think>Is it Bern?")


def test_an_answer_that_was_cut_is_shown_with_a_note() -> None:
    answer = written(Completion("In Ulm [1], wh", "m", Usage(10, 100), truncated=True))
    assert answer.text == "In Ulm [1], wh"
    assert answer.model == "scripted"
    [note] = answer.notes
    assert note.startswith("The answer was cut off at 100 tokens. Raise OVERSTORY_LLM_MAX_TOKENS")


@pytest.mark.parametrize(
    ("said", "kept", "note"),
    [
        ("In Ulm [1]. " + "He was born there. " * 40, "In Ulm [1]. He was born there.", "repeated itself"),
        ("A.8. Zali Linux\n" * 60, "A.8. Zali Linux", "repeated itself"),
        ("In Ulm [1]." + "\n" * 1_500, "In Ulm [1].", "produced only white space or symbols"),
    ],
)
def test_an_answer_that_repeats_itself_is_stopped_and_what_came_before_is_kept(said: str, kept: str, note: str) -> None:
    heard: list[str] = []
    answer = written(said, heard)
    assert answer.text == kept
    assert len("".join(heard)) < len(said) * 0.75
    assert answer.notes[0] == f"The model {note} and was stopped. The answer up to that point was kept."
    assert answer.cited == ((1,) if "[1]" in kept else ())


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("<think>" + "Is it Bern? " * 100, "repeated itself"),
        ("\n " * 1_000, "produced only white space or symbols"),
    ],
)
def test_one_that_repeats_thoughts_or_nothing_is_no_answer(said: str, why: str) -> None:
    with pytest.raises(AnswerUnusable, match=why):
        written(said)


def test_a_stream_of_an_endpoint_that_repeats_itself_is_closed() -> None:
    with running_chat_endpoint() as endpoint:
        endpoint.then = streaming(*["A.8. Zali", " Linux\n"] * 50, then=hung)
        settings = LlmSettings("openai", model="m", base_url=endpoint.url, retries=0)
        with Chat(make_chat_model(settings)) as chat:
            answer = write(chat, "Where?", CONTEXT)
            assert endpoint.left.wait(60)
            assert chat.usage.spent.wasted > 0
    assert (answer.text, answer.model) == ("A.8. Zali Linux", "m")
    assert answer.notes[0].startswith("The model repeated itself and was stopped.")


def test_a_stream_of_an_endpoint_without_a_word_is_no_answer() -> None:
    with running_chat_endpoint() as endpoint:
        settings = LlmSettings("openai", model="m", base_url=endpoint.url, retries=0)
        with Chat(make_chat_model(settings)) as chat:
            endpoint.then = streaming()
            with pytest.raises(AnswerUnusable, match="is empty"):
                write(chat, "Where?", CONTEXT)
            endpoint.then = streaming(*["\n" * 100] * 20, then=hung)
            with pytest.raises(AnswerUnusable, match="only white space"):
                write(chat, "Where?", CONTEXT)


def test_a_small_context_leaves_room_for_the_answer() -> None:
    model = ScriptedChat("x", max_tokens=100)
    chat = Chat(model)
    assert room_for_passages(chat, "Where?") is None
    model.context = 1_000  # type: ignore[attr-defined] # what models with an end have
    room = room_for_passages(chat, "Where?")
    assert room is not None
    assert 500 < room < 900
    model.context = 10  # type: ignore[attr-defined] # as above
    assert room_for_passages(chat, "Where?") == _LEAST_PASSAGES_TOKENS


LINE = "A.8. Zali Linux\n"
TEXT = (
    "The Danube rises in the Black Forest and flows through ten countries. It passes Ulm, where Einstein was born in"
    " 1879, and Vienna, where he never lived long. Budapest lies on both of its banks, Belgrade where the Sava joins"
    " it. Ships go from Kelheim to the Black Sea, and by a canal to the Main and to the Rhine."
)


@pytest.mark.parametrize(
    ("text", "found", "kept"),
    [
        (LINE * 50, "repeated", "A.8. Zali Linux"),
        ("It is Ulm [1].\n" + "1. Bern\n2. Bern\n3. Bern\n" * 60, "repeated", "It is Ulm [1].\n1. Bern"),
        (f"{TEXT} " * 4, "repeated", TEXT),
        ("I say Ulm. " + "He was born in Ulm. " * 30, "repeated", "I say Ulm. He was born in Ulm."),
        ("no " * 200, "repeated", "no"),
        ("烏爾姆在多瑙河畔。" * 40, "repeated", "烏爾姆在多瑙河畔。"),
        ("In Ulm. " + "0 1 " * 200, "repeated", "In Ulm. 0 1"),
        ("In Ulm." + "\n" * 2_000, "blank", "In Ulm."),
        ("\n " * 1_000, "blank", ""),
    ],
)
def test_a_repetition_is_found_and_what_came_before_is_kept(text: str, found: Found, kept: str) -> None:
    assert Repetition().take(text) == found
    assert before_repetition(text) == kept


@pytest.mark.parametrize(
    "text",
    [
        "",
        TEXT,
        f"{TEXT}\n\n{TEXT}",
        LINE * 10,
        "| --- | --- |\n" * 40,
        "".join(f"- {name} was born in Ulm [1].\n" for name in ("Ada", "Bert", "Cleo", "Dora", "Emil", "Fritz")),
        "".join(
            f"Chapter {number} was written in {1900 + number * 7} by {'ABCDEFGHIJ'[number]}. " for number in range(9)
        ),
    ],
)
def test_other_texts_are_none(text: str) -> None:
    assert Repetition().take(text) is None
    assert before_repetition(text) == text


def test_it_is_the_same_in_pieces_and_whole() -> None:
    text = f"{TEXT} " + LINE * 40
    pieces, whole = Repetition(), Repetition()
    whole.take(text)
    for at in range(0, len(text), 3):
        pieces.take(text[at : at + 3])
    assert (pieces.found, pieces.end) == (whole.found, whole.end) == ("repeated", text.index(LINE, len(TEXT) + 2))


def test_what_it_remembers_does_not_grow_with_the_text() -> None:
    repetition = Repetition()
    for number in range(20_000):
        repetition.take(f"{hash((number, 7)):x}".translate({digit: chr(97 + digit % 26) for digit in range(48, 58)}))
    loop = repetition._letters  # pyright: ignore[reportPrivateUsage]
    assert repetition.found is None
    assert len(loop._recent) + len(loop._older) <= 2 * _LONGEST_PERIOD_LETTERS  # pyright: ignore[reportPrivateUsage]
