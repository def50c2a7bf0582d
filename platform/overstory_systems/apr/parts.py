"""What AutoPrunedRetriever gives to a reader beside passages: facts as a prompt, and remembered answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from overstory.display import counted
from overstory.model import Part, ShareKind
from overstory.model.parts import PartKind
from overstory_systems.apr.encodings import Form, Words

SHARES: Mapping[ShareKind, float] = {"relation": 1.0}
"""Of a context. Of remembered answers the facts are read, which passages state, never the words: what a model once got
wrong is not told to it again."""
SHARES_WITH_TEXTS: Mapping[ShareKind, float] = {"relation": 0.6, "passage": 0.4}
"""The same where passages are read, too: these take all that is left."""


@dataclass(frozen=True, slots=True)
class PromptFact:
    """A fact of a prompt, in words, with the passage that states it."""

    edge: str
    chunk: str
    head: str
    relation: str
    tail: str

    @property
    def words(self) -> Words:
        return self.head, self.relation, self.tail


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class KnowledgePart(Part):
    """The facts found, as a prompt: its text is what a language model reads.

    Attributes:
        encoding: the form that the text has.
        tokens_by_encoding: how many tokens each form takes, by `tokenizer`.
        prompt_tokens: those of `encoding`.
        question: its triples, with "?" for what it asks for.
        related: those of related questions.
        knowledge: the facts that remembered answers cite, each once.
        facts: those found for the question, the best run first, without those of `knowledge`.
    """

    kind: PartKind = field(default="relation", init=False)
    encoding: Form
    tokenizer: str
    tokens_by_encoding: Mapping[Form, int] = field(hash=False)
    prompt_tokens: int
    question: tuple[Words, ...]
    related: tuple[Words, ...]
    knowledge: tuple[PromptFact, ...]
    facts: tuple[PromptFact, ...]

    @property
    def for_people(self) -> str:
        """The facts, one a line, whatever the form of the prompt."""
        facts = [*self.knowledge, *self.facts]
        return "\n".join(
            [f"{counted(len(facts), 'fact')} in a prompt", *(f"- {' '.join(each.words)}" for each in facts)]
        )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RememberedAnswer(Part):
    """An answer that was given before, for people, with the passages that it stands on; `score` is the cosine of the
    questions.

    Attributes:
        id: of the remembered answer.
        question: to which it was given.
        short: the answer alone.
        by: "llm" or "extractive".
        model: that gave it, "" for an extractive answer.
        asked: when it was given, ISO 8601.
        facts: that it cites, in its order.
    """

    kind: PartKind = field(default="answer", init=False)
    id: str
    question: str
    short: str
    by: str
    model: str
    asked: str
    facts: tuple[PromptFact, ...]

    @property
    def standing(self) -> Mapping[str, str]:
        return {"systems/stands_on": self.id}
