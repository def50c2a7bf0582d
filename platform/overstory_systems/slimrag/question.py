"""SlimRAG's reading of a question: sub-questions, and the entities in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from overstory.errors import LlmError
from overstory.llm import Chat
from overstory.retrieve.question import shortened_for_parser
from overstory.settings import ExtractionSettings
from overstory.text.names.keys import entity_key
from overstory.text.parsing.pipelines import find_pipeline
from overstory.text.parsing.spacy_parser import SpacyParser
from overstory.text.questions.mentioned import mentioned
from overstory.text.questions.parts import QUESTION_PARTS, QuestionPart, QuestionParts

_MOST_ASKED_ENTITIES = 16
"""Most entities of a question to search for; each costs a search of its own."""


@dataclass(frozen=True, slots=True)
class AskedEntities:
    """The entities that a question names.

    Attributes:
        parts: the sub-questions.
        entities: each as it was first written, those first that most sub-questions name.
    """

    parts: tuple[str, ...]
    entities: tuple[str, ...]
    notes: tuple[str, ...] = ()


class QuestionEntityReader:
    """Takes questions apart. Safe to share between threads."""

    def __init__(self, settings: ExtractionSettings, *, decomposition: bool) -> None:
        self._parser = SpacyParser(find_pipeline(settings.pipeline), QUESTION_PARTS)
        self._decomposition = decomposition

    def read(self, question: str, chat: Chat | None) -> AskedEntities:
        """Sub-questions by the language model, or by rules where there is none.

        Where a model fails the question stays whole, and a note says so. Another note says if the parser read a
        shorter question.
        """
        text, shorter = shortened_for_parser(question)
        if not self._decomposition:
            return _asked({question: self._names(text)}, shorter)
        if chat is None:
            return _asked(self._names_by_part(text), shorter)
        from overstory_systems.slimrag.model_question import sub_questions  # pydantic, which only a model needs

        try:
            parts = sub_questions(chat, question)
        except LlmError as error:
            notes = (*shorter, f"the question was not taken apart: {error}")
            return _asked({question: self._names(text)}, notes)
        return _asked({part: names or self._names(shortened_for_parser(part)[0]) for part, names in parts.items()})

    def _names(self, text: str) -> list[str]:
        whole = QuestionPart(text, ((0, len(text)),))
        return _named(self._parser.parse([text])[0], whole)

    def _names_by_part(self, question: str) -> dict[str, list[str]]:
        found = self._parser.parse([question])[0]
        return {part.text: _named(found, part) for part in found.parts}


def _named(found: QuestionParts, part: QuestionPart) -> list[str]:
    return mentioned(part.text, found.referred_to(part))


def _asked(names: Mapping[str, Sequence[str]], notes: tuple[str, ...] = ()) -> AskedEntities:
    """The entities of all parts; if there are too many, those that most parts name."""
    counts: Counter[str] = Counter()
    written: dict[str, str] = {}
    for of_part in names.values():
        keys = {key: name for name in reversed(of_part) if (key := entity_key(name))}
        counts.update(keys.keys())
        written = keys | written
    common = sorted(written, key=lambda key: -counts[key])[:_MOST_ASKED_ENTITIES]
    return AskedEntities(tuple(names), tuple(written[key] for key in common), notes)
