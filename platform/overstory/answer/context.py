"""The context read from the evidence: numbered passages and other parts within a number of tokens."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from overstory.display import counted
from overstory.model import Evidence, Hit, Part, ShareKind
from overstory.model.passage_text import count_at_most, passage_text
from overstory.text.sentences import sentence_starts

CONTEXT_TOKENS = 2_000
"""Some seven passages of Wikipedia; counted from above, real ones are some 1,200."""

AROUND = count_at_most('<passage-000000 nr="10">\n\n</passage-000000>\n')
"""Tokens of the tags around a passage."""

_LEAST_PASSAGE_TOKENS = 10  # minimum tokens worth reading of a passage


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
    """Something numbered to be read: a passage, or another part of the evidence.

    Attributes:
        found: what it is.
        body: what is read of it, maybe cut: of a hit its excerpts where the retriever found some.
        passages: what a citation of its number leads to, at least one; of a hit the hit itself.
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
        """The ids of all passages that it was taken or made from."""
        return (self.found.chunk_id,) if isinstance(self.found, Hit) else self.found.chunks

    @property
    def title(self) -> str:
        return self.found.title

    @property
    def text(self) -> str:
        """The text for a prompt: for a passage, with its title and the headings above it."""
        return _headed(self.found, self.body)


@dataclass(frozen=True, slots=True)
class Context:
    """The parts that are read, numbered from 1.

    Attributes:
        items: by kind in the order of the shares, the best of a kind first.
        left_out: by kind, how many did not fit.
        cut: the numbers of those that are read in part.
    """

    items: tuple[Item, ...]
    left_out: Mapping[ShareKind, int] = field(default_factory=dict[ShareKind, int], hash=False)
    cut: tuple[int, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        if self.left_out and not self.items:
            found = " and ".join(counted(number, *_NAMES[kind]) for kind, number in self.left_out.items())
            return (f"{found} found, none read: raise --context-tokens (context_tokens).",)
        notes = [f"{self._name(number)} {number} was read in part: the rest did not fit." for number in self.cut]
        for kind, number in self.left_out.items():
            were, they = ("was", "it") if number == 1 else ("were", "they")
            notes.append(f"{counted(number, *_NAMES[kind])} of lower rank {were} not read: {they} did not fit.")
        return tuple(notes)

    def _name(self, number: int) -> str:
        return self.items[number - 1].kind.capitalize()


def read_within(tokens: int, evidence: Evidence) -> Context:
    """The best of the evidence that fits: passages only, unless it has shares for other parts.

    Each kind gets its share of the tokens; what it does not use goes to the others in proportion. The last one read of
    a kind is cut at a sentence where only a part of it fits. Token counts are upper bounds for any tokenizer.
    Something is read if there is any room: where not even the first sentence of the first one fits, as many of its
    characters as do. A part without a passage in the evidence is not read, for nothing could be cited for it.
    """
    shares: Mapping[ShareKind, float] = evidence.shares or {"passage": 1.0}
    queues: _Queues = {kind: list(_readable(evidence, kind)) for kind in shares}
    rooms = _rooms(tokens, shares, queues)
    read: dict[ShareKind, _ReadItems] = {kind: _read(queue, rooms[kind]) for kind, queue in queues.items()}
    spare = tokens - sum(reading.tokens for reading in read.values())
    for kind, queue in queues.items():  # what whole sentences and items leave free is enough for one more, perhaps
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


_Queues = Mapping[ShareKind, Sequence[Item]]  # items without a number yet


@dataclass(frozen=True, slots=True)
class _ReadItems:
    """The parts of one kind that are read; `cut`: the last is read in part; `tokens`: their total."""

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
    """Hits with the text to read of them: one passage per hit, in the order of the excerpts."""
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
    """Tokens for each kind: what it needs, or its share of what kinds that need less leave over."""
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
    """The first of a kind that fit; the last cut at a sentence where only a part of it does."""
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
    """As many whole sentences as fit, "" if not even the first does."""
    ends = [*sentence_starts(text)[1:], len(text)]
    fitting = bisect_right(ends, tokens, key=lambda end: count_at_most(text[:end].rstrip()))
    return text[: ends[fitting - 1]].rstrip() if fitting else ""


def _characters(text: str, tokens: int) -> str:
    fitting = bisect_right(range(1, len(text) + 1), tokens, key=lambda end: count_at_most(text[:end]))
    return text[: max(1, fitting)]
