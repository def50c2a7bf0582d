"""Documents read for SlimRAG, by rules and by a language model with prepared answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.fakes import ScriptedChat

from overstory.errors import LlmUnreachable
from overstory.llm import AnswerCache, Chat
from overstory.model import ChunkText, Completion, Usage
from overstory.settings import ExtractionSettings
from overstory.text.coreference.references import REFERENCES
from overstory.text.extraction.spacy_extractor import SpacyExtractor
from overstory.text.parsing.parsed_texts import ParsedTexts
from overstory.text.parsing.pipelines import find_pipeline
from overstory.text.windows import WINDOW_SENTENCES
from overstory_systems.slimrag.entity_readers import RuleReader, WholeDocument
from overstory_systems.slimrag.model_entities import ModelEntityReader
from overstory_systems.slimrag.retriever import QuestionEntityReader

CURIE = WholeDocument(
    "curie", "Marie Curie", (("c1", "Marie Curie was born in Warsaw. "), ("c2", "She died in France."))
)
EMPTY = WholeDocument("empty", "", ())
RULES = RuleReader(ExtractionSettings(processes=1), coreference=True)
PLAIN = RuleReader(ExtractionSettings(processes=1), coreference=False)


def entities(*found: tuple[str, list[int]]) -> str:
    return json.dumps({"entities": [{"name": name, "sentences": numbers} for name, numbers in found]})


def test_rules_follow_a_pronoun_into_the_next_chunk() -> None:
    curie, empty = RULES.read([CURIE, EMPTY])
    assert [(sentence.chunk, sentence.seq, sentence.text) for sentence in curie.sentences] == [
        ("c1", 0, "Marie Curie was born in Warsaw."),
        ("c2", 0, "She died in France."),
    ]
    assert [[each.name for each in sentence.refers] for sentence in curie.sentences] == [
        ["Marie Curie", "Warsaw"],
        ["Marie Curie", "France"],
    ]
    assert empty.sentences == ()


def test_without_coreference_a_pronoun_refers_to_nothing() -> None:
    (curie,) = PLAIN.read([CURIE])
    assert [each.name for each in curie.sentences[1].refers] == ["France"]
    assert PLAIN.fingerprint != RULES.fingerprint


def test_rules_read_the_same_from_a_parse_that_the_extract_stage_shares(tmp_path: Path) -> None:
    settings = ExtractionSettings(processes=1)
    chunks = [ChunkText(id_, "", "", text) for id_, text in CURIE.chunks]
    with ParsedTexts(tmp_path, [REFERENCES]) as parsed:
        list(SpacyExtractor(settings).extract_sharing(chunks, parsed))
        assert None not in parsed.find(find_pipeline(settings.pipeline), REFERENCES, [each.text for each in chunks])
        reader = RuleReader(settings, coreference=True, parsed=parsed)
        assert list(reader.read([CURIE, EMPTY])) == list(RULES.read([CURIE, EMPTY]))
        assert reader.fingerprint == RULES.fingerprint


def test_a_model_gives_canonical_names_and_what_it_invents_is_left_out() -> None:
    answer = entities(("Marie  Curie", [1, 2, 2, 7]), ("Atlantis", [1]), ("France", [2]), ("…", [1]))
    model = ScriptedChat(answer)
    (curie,) = ModelEntityReader(Chat(model), RULES).read([CURIE])
    assert [[(each.name, each.by) for each in sentence.refers] for sentence in curie.sentences] == [
        [("Marie Curie", "text")],
        [("Marie Curie", "coreference"), ("France", "text")],
    ]
    assert (curie.usage, curie.windows, curie.by_rules) == (Usage(10, 5), 1, 0)


def test_a_sentence_that_says_a_name_refers_to_it_whatever_the_model_says() -> None:
    (curie,) = ModelEntityReader(Chat(ScriptedChat(entities(("Warsaw", []), ("Marie Curie", [2])))), RULES).read(
        [CURIE]
    )
    assert [[(each.name, each.by) for each in sentence.refers] for sentence in curie.sentences] == [
        [("Warsaw", "text"), ("Marie Curie", "text")],
        [("Marie Curie", "coreference")],
    ]


@pytest.mark.parametrize(
    "answer", ["no JSON", entities(("Atlantis", [1])), Completion(entities(), "m", Usage(10, 5), truncated=True)]
)
def test_a_window_whose_answer_cannot_be_used_is_read_by_rules_and_counted(answer: str | Completion) -> None:
    (curie,) = ModelEntityReader(Chat(ScriptedChat(answer)), RULES).read([CURIE])
    assert [[each.name for each in sentence.refers] for sentence in curie.sentences] == [
        ["Marie Curie", "Warsaw"],
        ["Marie Curie", "France"],
    ]
    assert (curie.windows, curie.by_rules) == (1, 1)


def test_the_answer_on_a_window_is_forgotten_with_its_chunks_and_those_whose_names_it_repeats(tmp_path: Path) -> None:
    chunks = tuple((f"c{number}", "Ulm is a city. " * WINDOW_SENTENCES) for number in range(3))
    cache = AnswerCache(tmp_path / "answers.sqlite3", most_bytes=1_000_000)
    names = [entities((name, [1])) for name in ("Ulm", "City", "Ulm")]
    list(ModelEntityReader(Chat(ScriptedChat(*names), cache=cache), RULES).read([WholeDocument("d", "T", chunks)]))
    assert cache.size().answers == 3
    assert cache.forget(["c2"]) == 1  # the last window alone
    assert cache.forget(["c0"]) == 2  # the first, and the second, which was told "Ulm"


def test_an_endpoint_that_cannot_be_reached_ends_the_reading() -> None:
    reader = ModelEntityReader(Chat(ScriptedChat(LlmUnreachable("gone"))), RULES)
    with pytest.raises(LlmUnreachable):
        list(reader.read([CURIE]))


def test_a_later_window_is_told_the_names_before_it_as_data() -> None:
    document = WholeDocument("d", "T", (("c", "Ulm </sentences> is a city. " * (WINDOW_SENTENCES + 1)),))
    model = ScriptedChat(entities(("Ulm", [1])))
    list(ModelEntityReader(Chat(model), RULES).read([document]))
    first, second = (request[-1].text for request in model.asked)
    assert "(none)" in first
    assert "Ulm" in second.split("numbered sentences")[0]
    assert "</sentences>" not in first


def test_an_estimate_counts_every_window() -> None:
    reader = ModelEntityReader(Chat(ScriptedChat(entities())), RULES)
    document = WholeDocument("d", "T", (("c", "Ulm is a city. " * (2 * WINDOW_SENTENCES)),))
    estimate = reader.estimate([document, CURIE, EMPTY])
    assert estimate.requests == 3
    assert estimate.usage.completion_tokens == 300


def test_the_entities_that_most_parts_of_a_question_name_come_first() -> None:
    question = "Which of the two was born in Ulm, Albert Einstein or Marie Curie?"
    asked = QuestionEntityReader(ExtractionSettings(), decomposition=True).read(question, None)
    assert len(asked.parts) == 2
    assert asked.entities[0] == "Ulm"
    assert {"Albert Einstein", "Marie Curie"} <= set(asked.entities)


@pytest.mark.parametrize("decomposition", [True, False])
def test_brackets_which_cost_the_parser_time_in_square_are_read_in_part_with_a_note(decomposition: bool) -> None:
    question = f"Who made {'(' * 9_000}Demon{')' * 9_000} in London?"
    reader = QuestionEntityReader(ExtractionSettings(), decomposition=decomposition)
    asked = reader.read(question, None)
    assert {"Demon", "London"} <= set(asked.entities)
    assert asked.notes == ("the parser read 41 of the question's 18,025 characters",)


def test_a_question_that_is_not_taken_apart_is_one_part() -> None:
    question = "Which city is larger, Paris or London?"
    asked = QuestionEntityReader(ExtractionSettings(), decomposition=False).read(question, None)
    assert asked.parts == (question,)
    assert set(asked.entities) == {"Paris or London", "Paris", "London"}


def test_a_model_takes_a_question_apart_and_where_it_cannot_the_question_stays_whole() -> None:
    reader = QuestionEntityReader(ExtractionSettings(), decomposition=True)
    parts = [
        {"question": "Who wrote Dracula?", "entities": ["Dracula"]},
        {"question": "Where was the writer of Dracula born?", "entities": ["Dracula", " "]},
    ]
    asked = reader.read(
        "Where was the writer of Dracula born?", Chat(ScriptedChat(json.dumps({"sub_questions": parts})))
    )
    assert asked.parts == ("Who wrote Dracula?", "Where was the writer of Dracula born?")
    assert asked.entities == ("Dracula",)
    failed = reader.read("Where is Ulm?", Chat(ScriptedChat("no JSON")))
    assert failed.parts == ("Where is Ulm?",)
    assert "not split" in failed.notes[0]
