"""How triples stand in a prompt: in words, as triples of numbers, or as a matrix of edges. Pure functions.

Source: AutoPrunedRetriever, Appendix A.4, Figures 8 and 9. The rules stand before the lists, where the paper has them
as the last of these, so that the first line says what the text is. Words are bare in all three forms, as in Figure 8 d,
and in quotes where a comma, a bracket or a quote is in them: so the forms differ in symbols alone, and each can be read
back without loss. A blank line parts the runs of a list: a prompt that is cut ends between two runs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

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
    """The numbers of entities and of relations."""
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
