"""Selects the context of an answer, which is a numbered list of passages and other parts of the evidence."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from overstory.display import counted
from overstory.model import Evidence, Hit, Part, ShareKind
from overstory.model.passage_text import count_at_most, passage_text
from overstory.text.sentences import sentence_starts

CONTEXT_TOKENS = 2_000
"""Default token limit of the context, enough for about seven Wikipedia passages. Token counts are upper bounds: a count
of 2,000 corresponds to about 1,200 real tokens."""

AROUND = count_at_most('<passage-000000 nr="10">\n\n</passage-000000>\n')
"""Number of tokens in the tags around a passage."""

_LEAST_PASSAGE_TOKENS = 10  # shorter pieces of a passage are not worth reading


_NAMES: dict[ShareKind, tuple[str, str]] = {
    "passage": ("passage", "passages"),
    "entity": ("entity", "entities"),
    "relation": ("relation", "relations"),
    "report": ("report", "reports"),
    "path": ("path", "paths"),
    "subgraph": ("subgraph", "subgraphs"),
    "table": ("table", "tables"),
    "answer": ("remembered answer", "remembered answers"),
}


@dataclass(frozen=True, slots=True)
class Item:
    """A numbered item of the context, which is a passage or another part of the evidence.

    Attributes:
        number: the number of the item in the context, from 1; 0 if the item has no number yet.
        body: the text that is read, without title and headings. It may be cut. For a hit with excerpts, it consists of
            the excerpts.
        passages: the passages that a citation of this item refers to, at least one. For a hit, it is the hit itself.
    """

    number: int
    found: Hit | Part
    body: str
    passages: tuple[Hit, ...]

    @property
    def kind(self) -> str:
        """The kind of the part, or "passage" for a passage."""
        return "passage" if isinstance(self.found, Hit) else self.found.kind

    @property
    def chunks(self) -> tuple[str, ...]:
        """The ids of the passages from which the item was made."""
        return (self.found.chunk_id,) if isinstance(self.found, Hit) else self.found.chunks

    @property
    def title(self) -> str:
        return self.found.title

    @property
    def text(self) -> str:
        """The text for a prompt. For a passage, it includes the title and headings."""
        return _headed(self.found, self.body)


@dataclass(frozen=True, slots=True)
class Context:
    """The items that are read for an answer.

    Attributes:
        items: the items, numbered from 1. They are grouped by kind, in the order of the evidence's shares, and the best
            item of each kind comes first.
        left_out: map from kind to the number of items that did not fit.
        cut: numbers of the items that were shortened.
    """

    items: tuple[Item, ...]
    left_out: Mapping[ShareKind, int] = field(default_factory=dict[ShareKind, int], hash=False)
    cut: tuple[int, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        if self.left_out and not self.items:
            found = " and ".join(counted(number, *_NAMES[kind]) for kind, number in self.left_out.items())
            return (f"{found} found but not read: raise --context-tokens (context_tokens).",)
        notes = [f"{self._name(number)} {number} was only partly read: the rest did not fit." for number in self.cut]
        for kind, number in self.left_out.items():
            were, they = ("was", "it") if number == 1 else ("were", "they")
            notes.append(f"{counted(number, *_NAMES[kind])} of lower rank {were} not read: {they} did not fit.")
        return tuple(notes)

    def _name(self, number: int) -> str:
        return self.items[number - 1].kind.capitalize()


def read_within(tokens: int, evidence: Evidence) -> Context:
    """Return the best items of the evidence that fit into a number of tokens.

    - Each kind of item gets its share of the tokens, as set in the evidence. Without shares, only passages are read.
    - Tokens that one kind does not need are divided among the other kinds, in proportion to their shares.
    - If the last item of a kind does not fit, it is cut at the end of a sentence. If not even the first sentence of the
      best item fits, that sentence is cut.
    - A part that no passage in the evidence supports is left out, because it could not be cited.

    Args:
        tokens: maximum number of tokens. Token counts are upper bounds for any tokenizer.
    """
    shares: Mapping[ShareKind, float] = evidence.shares or {"passage": 1.0}
    queues: _Queues = {kind: list(_readable(evidence, kind)) for kind in shares}
    rooms = _rooms(tokens, shares, queues)
    read: dict[ShareKind, _ReadItems] = {kind: _read(queue, rooms[kind]) for kind, queue in queues.items()}
    spare = tokens - sum(reading.tokens for reading in read.values())
    for kind, queue in queues.items():  # tokens that one kind has left may be enough for an item of the next kind
        if read[kind].incomplete(queue):
            spare += read[kind].tokens
            read[kind] = _read(queue, spare)
            spare -= read[kind].tokens
    if tokens >= AROUND + _LEAST_PASSAGE_TOKENS and not any(reading.items for reading in read.values()):
        for kind, queue in queues.items():
            if queue:
                read[kind] = _ReadItems((replace(queue[0], body=_characters(queue[0].body, tokens)),), cut=True)
                break
    return _numbered(queues, read)


_Queues = Mapping[ShareKind, Sequence[Item]]  # the items of each kind, best first, without numbers


@dataclass(frozen=True, slots=True)
class _ReadItems:
    items: tuple[Item, ...] = ()
    tokens: int = 0
    cut: bool = False

    def incomplete(self, queue: Sequence[Item]) -> bool:
        return self.cut or len(self.items) < len(queue)


def _readable(evidence: Evidence, kind: ShareKind) -> Iterator[Item]:
    if kind == "passage":
        yield from (Item(0, hit, body, (hit,)) for hit, body in _bodies(evidence))
        return
    for part in evidence.parts:
        passages = evidence.passages_of(part) if part.kind == kind else ()
        if passages:
            yield Item(0, part, part.text, passages)


def _bodies(evidence: Evidence) -> Iterator[tuple[Hit, str]]:
    """Yield each hit with the text to read. If the evidence contains excerpts, only hits with excerpts are yielded."""
    if not evidence.excerpts:
        yield from ((hit, hit.content) for hit in evidence.hits)
        return
    hits = {hit.chunk_id: hit for hit in evidence.hits}
    excerpts: dict[str, list[str]] = {}
    for excerpt in evidence.excerpts:
        excerpts.setdefault(excerpt.chunk_id, []).append(excerpt.text.strip())
    for chunk_id, texts in excerpts.items():
        if chunk_id in hits:
            yield hits[chunk_id], "\n".join(dict.fromkeys(texts))


def _rooms(tokens: int, shares: Mapping[ShareKind, float], queues: _Queues) -> dict[ShareKind, int]:
    """Return the maximum number of tokens for each kind of item.

    A kind gets all tokens that it needs if its share allows that. Otherwise, it gets its share of the remaining tokens.
    """
    wanted: dict[ShareKind, int] = {kind: sum(map(_cost, queue)) for kind, queue in queues.items()}
    rooms: dict[ShareKind, int] = {}
    left = tokens
    while len(rooms) < len(shares):
        waiting: list[ShareKind] = [kind for kind in shares if kind not in rooms]
        total = sum(shares[kind] for kind in waiting) or 1.0
        fair: dict[ShareKind, int] = {kind: int(left * shares[kind] / total) for kind in waiting}
        content: list[ShareKind] = [kind for kind in waiting if wanted[kind] <= fair[kind]]
        if not content:
            return rooms | fair
        for kind in content:
            rooms[kind] = wanted[kind]
            left -= wanted[kind]
    return rooms


def _read(queue: Sequence[Item], tokens: int) -> _ReadItems:
    """Return the first items of a queue that fit. If necessary, the last of these items is cut after a sentence."""
    items: list[Item] = []
    used = 0
    for each in queue:
        took = _cost(each)
        if used + took > tokens:
            part = _beginning(each.body, tokens - used - AROUND - count_at_most(_headed(each.found, " ")))
            if not part:
                break
            items.append(replace(each, body=part))
            return _ReadItems(tuple(items), used + _cost(items[-1]), cut=True)
        items.append(each)
        used += took
    return _ReadItems(tuple(items), used)


def _numbered(queues: _Queues, read: Mapping[ShareKind, _ReadItems]) -> Context:
    items: list[Item] = []
    cut: list[int] = []
    for reading in read.values():
        for each in reading.items:
            items.append(replace(each, number=len(items) + 1))
        cut += [len(items)] if reading.cut else []
    left_out: dict[ShareKind, int] = {kind: len(queue) - len(read[kind].items) for kind, queue in queues.items()}
    return Context(tuple(items), {kind: number for kind, number in left_out.items() if number}, tuple(cut))


def _cost(each: Item) -> int:
    return AROUND + count_at_most(each.text)


def _headed(found: Hit | Part, body: str) -> str:
    return passage_text(found.title, found.heading, body) if isinstance(found, Hit) else body


def _beginning(text: str, tokens: int) -> str:
    ends = [*sentence_starts(text)[1:], len(text)]
    fitting = bisect_right(ends, tokens, key=lambda end: count_at_most(text[:end].rstrip()))
    return text[: ends[fitting - 1]].rstrip() if fitting else ""


def _characters(text: str, tokens: int) -> str:
    fitting = bisect_right(range(1, len(text) + 1), tokens, key=lambda end: count_at_most(text[:end]))
    return text[: max(1, fitting)]
