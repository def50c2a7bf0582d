"""The context of an answer: numbered passages and other parts of the evidence, up to a token limit."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from overstory.display import counted
from overstory.model import Evidence, Hit, Part, ShareKind
from overstory.model.passage_text import count_at_most, passage_text
from overstory.text.sentences import sentence_starts

CONTEXT_TOKENS = 2_000
"""About seven Wikipedia passages. Counts are upper bounds: 2,000 are about 1,200 real tokens."""

AROUND = count_at_most('<passage-000000 nr="10">\n\n</passage-000000>\n')
"""Tokens used by the tags around a passage."""

_LEAST_PASSAGE_TOKENS = 10  # a shorter piece of a passage is not worth reading


_NAMES: dict[ShareKind, tuple[str, str]] = {
    "passage": ("passage", "passages"),
    "entity": ("entity", "entities"),
    "relation": ("relation", "relations"),
    "report": ("report", "reports"),
    "path": ("path", "paths"),
    "subgraph": ("subgraph", "subgraphs"),
    "answer": ("remembered answer", "remembered answers"),
}


@dataclass(frozen=True, slots=True)
class Item:
    """A numbered item of the context: a passage, or another part of the evidence.

    Attributes:
        found: the passage or part.
        body: the text that is read, which may be cut; for a hit with excerpts, these excerpts.
        passages: the passages that a citation of this item stands for, at least one; for a hit, the hit itself.
    """

    number: int
    found: Hit | Part
    body: str
    passages: tuple[Hit, ...]

    @property
    def kind(self) -> str:
        """ "passage", or the kind of the part."""
        return "passage" if isinstance(self.found, Hit) else self.found.kind

    @property
    def chunks(self) -> tuple[str, ...]:
        """The ids of the passages that the item comes from."""
        return (self.found.chunk_id,) if isinstance(self.found, Hit) else self.found.chunks

    @property
    def title(self) -> str:
        return self.found.title

    @property
    def text(self) -> str:
        """The text for a prompt; for a passage, including its title and headings."""
        return _headed(self.found, self.body)


@dataclass(frozen=True, slots=True)
class Context:
    """The items that are read, numbered from 1.

    Attributes:
        items: the items, grouped by kind in the order of the shares, the best of each kind first.
        left_out: kind -> number of items that did not fit.
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
    """Return the best items of the evidence that fit: passages only, unless other kinds of parts have a share.

    Each kind of item gets its share of the tokens. Tokens that a kind does not use go to the other kinds in proportion.
    The last item of a kind is cut at the end of a sentence if it does not fit. If not even the first sentence of the
    best item fits, that sentence is cut. A part is left out if no passage in the evidence supports it, because it could
    not be cited. Token counts are upper bounds for any tokenizer.
    """
    shares: Mapping[ShareKind, float] = evidence.shares or {"passage": 1.0}
    queues: _Queues = {kind: list(_readable(evidence, kind)) for kind in shares}
    rooms = _rooms(tokens, shares, queues)
    read: dict[ShareKind, _ReadItems] = {kind: _read(queue, rooms[kind]) for kind, queue in queues.items()}
    spare = tokens - sum(reading.tokens for reading in read.values())
    for kind, queue in queues.items():  # tokens left over by one kind may fit another item of the next kind
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


_Queues = Mapping[ShareKind, Sequence[Item]]  # items that have no number yet


@dataclass(frozen=True, slots=True)
class _ReadItems:
    """The items of one kind that are read. `tokens` is their total; if `cut`, the last item was shortened."""

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
    """Yield each hit with the text to read: its excerpts if the evidence has any, else its content."""
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
    """Return the tokens of each kind: all that it needs if its share allows that, else its share of the remainder."""
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
    """Return the first items of a queue that fit; the last is cut at the end of a sentence if necessary."""
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
