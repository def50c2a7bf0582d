"""What is read of the evidence: numbered passages within a number of tokens."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from overstory.display import counted
from overstory.llm.budget import count_at_most
from overstory.model import Evidence, Hit
from overstory.model.passage_text import passage_text
from overstory.text.sentences import sentence_starts

CONTEXT_TOKENS = 2_000
"""Some seven passages of Wikipedia; counted from above, real ones are some 1,200."""

AROUND = count_at_most('<passage-000000 nr="10">\n\n</passage-000000>\n')
"""What the tags around a passage take."""

LEAST_READ = 10
"""Tokens of a passage, less of which say nothing."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A numbered passage.

    Attributes:
        body: what is read of the hit: its excerpts where the retriever found some, maybe cut.
    """

    number: int
    hit: Hit
    body: str

    @property
    def text(self) -> str:
        """With its title and the headings above it."""
        return passage_text(self.hit.title, self.hit.heading, self.body)


@dataclass(frozen=True, slots=True)
class Context:
    """Passages, best first, and what did not fit: how many were left out, and whether the last one was cut."""

    passages: tuple[Passage, ...]
    left_out: int = 0
    cut: bool = False

    @property
    def notes(self) -> tuple[str, ...]:
        if self.left_out and not self.passages:
            return (f"{counted(self.left_out, 'passage')} found, none read: raise --context-tokens (context_tokens).",)
        notes: list[str] = []
        if self.cut:
            notes.append(f"Passage {len(self.passages)} was read in part: the rest did not fit.")
        if self.left_out:
            were = "was" if self.left_out == 1 else "were"
            they = "it" if self.left_out == 1 else "they"
            notes.append(f"{counted(self.left_out, 'passage')} of lower rank {were} not read: {they} did not fit.")
        return tuple(notes)


def read_within(tokens: int, evidence: Evidence) -> Context:
    """The best passages that fit; the last one is cut at a sentence where only a part of it does.

    Tokens are counted from above, whatever the tokenizer. Of the best passage something is read if there is any
    room: where not even its first sentence fits, as many characters as do.
    """
    bodies = list(_bodies(evidence))
    passages: list[Passage] = []
    left = tokens
    for hit, body in bodies:
        passage = Passage(len(passages) + 1, hit, body)
        took = AROUND + count_at_most(passage.text)
        if took > left:
            part = _beginning(body, left - AROUND - count_at_most(passage_text(hit.title, hit.heading, " ")))
            if not part and not passages and left >= AROUND + LEAST_READ:
                part = _characters(body, left)
            passages += [Passage(passage.number, hit, part)] if part else []
            return Context(tuple(passages), left_out=len(bodies) - len(passages), cut=bool(part))
        passages.append(passage)
        left -= took
    return Context(tuple(passages))


def _bodies(evidence: Evidence) -> Iterator[tuple[Hit, str]]:
    """Hits with what is to be read of them: one passage a hit, in the order in which the excerpts come to it."""
    if not evidence.excerpts:
        yield from ((hit, hit.text) for hit in evidence.hits)
        return
    hits = {hit.chunk_id: hit for hit in evidence.hits}
    excerpts: dict[str, list[str]] = {}
    for excerpt in evidence.excerpts:
        excerpts.setdefault(excerpt.chunk_id, []).append(excerpt.text.strip())
    for chunk_id, texts in excerpts.items():
        if chunk_id in hits:
            yield hits[chunk_id], "\n".join(dict.fromkeys(texts))


def _beginning(text: str, tokens: int) -> str:
    """As many whole sentences as fit, "" if not even the first does."""
    ends = [*sentence_starts(text)[1:], len(text)]
    fitting = bisect_right(ends, tokens, key=lambda end: count_at_most(text[:end].rstrip()))
    return text[: ends[fitting - 1]].rstrip() if fitting else ""


def _characters(text: str, tokens: int) -> str:
    """As many characters as fit, and at least one."""
    fitting = bisect_right(range(1, len(text) + 1), tokens, key=lambda end: count_at_most(text[:end]))
    return text[: max(1, fitting)]
