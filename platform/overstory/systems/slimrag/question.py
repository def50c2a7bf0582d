"""What SlimRAG makes of a question: sub-questions, the entities in them, and how often each is named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from overstory.errors import LlmError
from overstory.llm import Chat
from overstory.settings import ExtractionSettings
from overstory.text.coreference import as_written
from overstory.text.names import entity_key
from overstory.text.pipelines import find_pipeline
from overstory.text.question_names import longest_first, unknown_names
from overstory.text.question_parts import QUESTION_PARTS
from overstory.text.references import REFERENCES
from overstory.text.spacy_parser import SpacyParser

MOST_ENTITIES = 16
"""Entities of one question that are looked for; each costs a search of its own."""


@dataclass(frozen=True, slots=True)
class AskedEntities:
    """What a question names.

    Attributes:
        parts: the sub-questions.
        weights: W_e, the number of sub-questions that name it, of each entity as it was first written.
    """

    parts: tuple[str, ...]
    weights: dict[str, int]
    notes: tuple[str, ...] = ()


class QuestionReader:
    """Takes questions apart. Safe to share between threads."""

    def __init__(self, settings: ExtractionSettings, *, decomposition: bool) -> None:
        """
        Raises:
            ModelError: the spaCy pipeline is not installed.
        """
        pipeline = find_pipeline(settings.pipeline)
        self._references = SpacyParser(pipeline, REFERENCES)
        self._parts = SpacyParser(pipeline, QUESTION_PARTS)
        self._decomposition = decomposition

    def read(self, question: str, chat: Chat | None) -> AskedEntities:
        """Sub-questions by the language model, or by rules where there is none, or it fails, which the notes say."""
        if not self._decomposition:
            return self._asked((question,), {})
        if chat is None:
            return self._asked(self._parts.parse([question])[0], {})
        from overstory.systems.slimrag.model_question import sub_questions  # pydantic, which only a model needs

        try:
            parts = sub_questions(chat, question)
        except LlmError as error:
            asked = self._asked((question,), {})
            return AskedEntities(asked.parts, asked.weights, (f"the question was not taken apart: {error}",))
        return self._asked(tuple(parts), parts)

    def _asked(self, parts: tuple[str, ...], named: dict[str, Sequence[str]]) -> AskedEntities:
        """The entities of each part: those that the model named, and else those that the rules find."""
        counts: Counter[str] = Counter()
        written: dict[str, str] = {}
        for part in parts or ("",):
            names = named.get(part) or self._entities(part)
            keys = {key: name for name in reversed(names) if (key := entity_key(name))}
            counts.update(keys.keys())
            written = keys | written
        common = sorted(written, key=lambda key: -counts[key])[:MOST_ENTITIES]
        return AskedEntities(parts, {written[key]: counts[key] for key in common})

    def _entities(self, part: str) -> list[str]:
        """Names, noun phrases of several words, and other words in capitals: nothing tells films from the words of a
        question but these."""
        found = [resolved.name for sentence in as_written(self._references.parse([part])[0]) for resolved in sentence]
        known = {entity_key(name) for name in found}
        phrases = unknown_names(part, [])
        longest = longest_first(phrases, {phrase.key for phrase in phrases})
        return found + [part[each.start : each.end] for each in longest if each.key not in known]
