"""How triples stand in a prompt: in words, as triples of numbers, or as a matrix of edges; how many tokens it has, and
the parts of evidence that prompts become.

Source: AutoPrunedRetriever, Appendix A.4, Figures 8 and 9. The rules stand before the lists, where the paper has them
as the last of these, so that the first line says what the text is. Words are bare in all three forms, as in Figure 8 d,
and in quotes where a comma, a bracket or a quote is in them: so the forms differ in symbols alone, and each can be read
back without loss. A blank line parts the runs of a list: a prompt that is cut ends between two runs.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from overstory.display import counted
from overstory.errors import LlmError
from overstory.llm import Chat
from overstory.model import Part, ShareKind
from overstory.model.parts import PartKind
from overstory.protocols import Embedder

Form = Literal["words", "ids", "matrix"]

Words = tuple[str, str, str]
"""Head, relation, tail."""

Runs = Sequence[Sequence[Words]]

TITLE = "---Knowledge Base---\n[JSON format]"
_SYMBOLS = "- e: list of entities (e[i] = entity string)\n- r: list of relations (r[j] = relation string)\n"
_RULES: Mapping[Form, str] = {
    "words": "",
    "ids": f"{_SYMBOLS}- [e,r,e]: triple [head_e_idx, r_idx, tail_e_idx]\n",
    "matrix": f"{_SYMBOLS}- edge_matrix: [[head_e_idx, r_idx, tail_e_idx]]\n"
    "  * NOTE: edges[i] is just shorthand for edge_matrix[i]\n",
}
_OF_LIST: Mapping[Form, str] = {"words": "(words)", "ids": "([e,r,e], ...)", "matrix": "(edges[i])"}
_MEANINGS: Mapping[str, tuple[str, str]] = {
    "questions": ("question triples", "questions linked by edge i"),
    "given knowledge": ("prior answer triples", "prior answers linked by edge i"),
    "facts": ("fact triples", "facts linked by edge i"),
}

_QUOTED = re.compile(r'[\[\],"\\\x00-\x1f\x7f-\x9f\u2028\u2029]|^\s|\s$|^$')
"""What a bare word cannot have, or be."""


@dataclass(frozen=True, slots=True)
class Channels:
    """The triples of a prompt: of each list its runs, in the order in which they are read."""

    questions: Runs = ()
    knowledge: Runs = ()
    facts: Runs = ()

    @property
    def named(self) -> Iterator[tuple[str, Runs]]:
        """The lists that have triples, by the names that they have in prompts."""
        for name, runs in zip(_MEANINGS, (self.questions, self.knowledge, self.facts), strict=True):
            if any(runs):
                yield name, [run for run in runs if run]


def encode(channels: Channels, form: Form) -> str:
    """Rules and lists of the channels that have triples; "" where none has. O(triples).

    Symbols are numbered from 0 in the order in which they come; equal words are one.
    """
    lists = dict(channels.named)
    if not lists:
        return ""
    rules = "".join(f"- {name}{_OF_LIST[form]}: {_MEANINGS[name][form == 'matrix']}\n" for name in lists)
    body = {"words": _in_words, "ids": _in_ids, "matrix": _in_matrix}[form](lists)
    return f"{TITLE}\n{_RULES[form]}{rules}{{\n" + ",\n".join(body) + "\n}"


def _in_words(lists: Mapping[str, Runs]) -> Iterator[str]:
    for name, runs in lists.items():
        yield _list(f"{name}{_OF_LIST['words']}", runs, _triple)


def _in_ids(lists: Mapping[str, Runs]) -> Iterator[str]:
    entities, relations = _symbols(lists)
    yield from _codebook(entities, relations)
    for name, runs in lists.items():
        yield _list(f"{name}{_OF_LIST['ids']}", runs, lambda words: _numbers(words, entities, relations))


def _in_matrix(lists: Mapping[str, Runs]) -> Iterator[str]:
    entities, relations = _symbols(lists)
    yield from _codebook(entities, relations)
    edges = {words: at for at, words in enumerate(dict.fromkeys(_triples(lists)))}
    yield _list("edge_matrix", [list(edges)], lambda words: _numbers(words, entities, relations))
    for name, runs in lists.items():
        yield _list(f"{name}{_OF_LIST['matrix']}", runs, lambda words: str(edges[words]))


def _symbols(lists: Mapping[str, Runs]) -> tuple[dict[str, int], dict[str, int]]:
    entities: dict[str, int] = {}
    relations: dict[str, int] = {}
    for head, relation, tail in _triples(lists):
        entities.setdefault(head, len(entities))
        relations.setdefault(relation, len(relations))
        entities.setdefault(tail, len(entities))
    return entities, relations


def _triples(lists: Mapping[str, Runs]) -> Iterator[Words]:
    for runs in lists.values():
        for run in runs:
            yield from run


def _codebook(entities: Iterable[str], relations: Iterable[str]) -> Iterator[str]:
    for name, words in (("e", entities), ("r", relations)):
        yield f'"{name}": [{", ".join(map(_bare, words))}]'


def _list(name: str, runs: Runs, written: Callable[[Words], str]) -> str:
    return f'"{name}": [' + ",\n\n".join(",".join(map(written, run)) for run in runs) + "]"


def _triple(words: Words) -> str:
    return f"[{', '.join(map(_bare, words))}]"


def _numbers(words: Words, entities: Mapping[str, int], relations: Mapping[str, int]) -> str:
    head, relation, tail = words
    return f"[{entities[head]},{relations[relation]},{entities[tail]}]"


def _bare(word: str) -> str:
    return json.dumps(word, ensure_ascii=False) if _QUOTED.search(word) else word


_log = logging.getLogger(__name__)


class TokenCounts(NamedTuple):
    """
    Attributes:
        tokens: of each text, with those that the tokenizer adds to any text.
        tokenizer: whose they are, for people.
    """

    tokens: list[int]
    tokenizer: str


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """Counts by the language model's own tokenizer, where it offers one, else by the embedder's.

    Attributes:
        chat: None where no language model reads the prompt.
    """

    embedder: Embedder
    chat: Chat | None = None

    def count(self, texts: Sequence[str]) -> TokenCounts:
        """The first call may load the language model. One that cannot be run does not count, either: then the
        embedder's tokenizer does."""
        model = None if self.chat is None else self.chat.model
        count: Callable[[Sequence[str]], list[int]] | None = getattr(model, "count_tokens", None)
        if model is not None and count is not None:
            try:
                return TokenCounts(count(texts), _name(model.fingerprint))
            except LlmError as error:
                _log.warning("The language model cannot count tokens. %s", error)
        return TokenCounts(self.embedder.count_tokens(texts), f"{_name(self.embedder.fingerprint)}, the embedder's")


def _name(fingerprint: str) -> str:
    """What stands before its digits."""
    return fingerprint.rpartition(":")[0] or fingerprint


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
