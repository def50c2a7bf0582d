"""Encodings of triples for prompts, their token counts, and the parts of evidence that contain them.

Triples are encoded as words, as triples of numbers, or as a matrix of edges. Unlike in the paper, the rules come before
the lists; therefore, the first line already explains the text. Words are unquoted (Figure 8 d) unless they contain a
comma, bracket or quote; therefore, every form can be decoded without loss. A blank line separates the runs in a list,
so that a prompt can be cut between two runs.

Source: AutoPrunedRetriever paper, Appendix A.4, Figures 8 and 9.
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
"""Head, relation and tail of a triple."""

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
"""Matches words that must be quoted."""


@dataclass(frozen=True, slots=True)
class Channels:
    """The triples of a prompt: a list of runs for each channel."""

    questions: Runs = ()
    knowledge: Runs = ()
    facts: Runs = ()

    @property
    def named(self) -> Iterator[tuple[str, Runs]]:
        """The non-empty channels, each with its name in prompts."""
        for name, runs in zip(_MEANINGS, (self.questions, self.knowledge, self.facts), strict=True):
            if any(runs):
                yield name, [run for run in runs if run]


def encode(channels: Channels, form: Form) -> str:
    """Encode the non-empty channels as rules and lists, in linear time. Returns "" if all channels are empty.

    Symbols are numbered from 0 in order of appearance. Equal words share a number.
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
    """Token counts of texts.

    Attributes:
        tokens: Token count of each text, including the tokens that the tokenizer adds to every text.
        tokenizer: Display name of the tokenizer.
    """

    tokens: list[int]
    tokenizer: str


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """Counts tokens with the language model's tokenizer if available, otherwise with the embedder's."""

    embedder: Embedder
    chat: Chat | None = None

    def count(self, texts: Sequence[str]) -> TokenCounts:
        """Count the tokens in each text. The first call may load the language model.

        If the language model cannot run, the embedder's tokenizer is used instead.
        """
        model = None if self.chat is None else self.chat.model
        count: Callable[[Sequence[str]], list[int]] | None = getattr(model, "count_tokens", None)
        if model is not None and count is not None:
            try:
                return TokenCounts(count(texts), _name(model.fingerprint))
            except LlmError as error:
                _log.warning("The language model cannot count tokens. %s", error)
        return TokenCounts(self.embedder.count_tokens(texts), f"{_name(self.embedder.fingerprint)}, the embedder's")


def _name(fingerprint: str) -> str:
    """Remove the digest from a fingerprint: "smollm2:1a2b" becomes "smollm2"."""
    return fingerprint.rpartition(":")[0] or fingerprint


SHARES: Mapping[ShareKind, float] = {"relation": 1.0}
"""Fractions of the context by kind of part. Texts of remembered answers are never used, only their facts: a model must
not be shown its own mistakes again."""
SHARES_WITH_TEXTS: Mapping[ShareKind, float] = {"relation": 0.6, "passage": 0.4}
"""Fractions of the context if passages are read, too. Passages use all remaining room."""


@dataclass(frozen=True, slots=True)
class PromptFact:
    """A fact in a prompt, in words, with the passage that states it."""

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
    """The facts found, as a prompt; `text` is what the language model reads.

    Attributes:
        encoding: Form of `text`.
        tokens_by_encoding: Number of tokens in each form, counted by `tokenizer`.
        prompt_tokens: Number of tokens in `text`.
        question: Triples of the question. Words that the question asks for are "?".
        related: Triples of related questions.
        knowledge: Distinct facts that remembered answers cite.
        facts: Facts found for the question, the best run first. Facts in `knowledge` are not repeated.
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
        """The facts as readable text, one per line, whatever the form of the prompt."""
        facts = [*self.knowledge, *self.facts]
        return "\n".join(
            [f"{counted(len(facts), 'fact')} in a prompt", *(f"- {' '.join(each.words)}" for each in facts)]
        )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RememberedAnswer(Part):
    """An earlier answer, for display, with the passages that it cites. `score` is the cosine between the questions.

    Attributes:
        question: The question that was answered.
        by: "llm" or "extractive".
        model: The model that wrote the answer, "" for an extractive answer.
        asked: Time when the answer was given, ISO 8601.
        facts: The facts that the answer cites, in the order of the answer.
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
