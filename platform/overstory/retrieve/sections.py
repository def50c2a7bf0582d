"""Scoring of passages together with their sections.

The section of a passage predicts better than the passage alone whether it answers a question. So the similarity of a
passage is a weighted mean of two cosines: that of the passage, and that of its section. The vector of a section is the
mean of its passages, weighted by the square roots of their lengths. BM25 is computed for whole sections.

If a section is a single passage (a paragraph of Wikipedia), nothing changes. If the passages of a section are unlike
each other (in some manuals, or in documents of random paragraphs), the cosine of the section counts less.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from overstory.display import index_command
from overstory.errors import IndexMissing
from overstory.graph import Corpus, Transaction
from overstory.index.sections import FINGERPRINT
from overstory.protocols import Vectors
from overstory.retrieve.question import full_text_query
from overstory.text.questions.kinds import form_of
from overstory.text.questions.names import quoted_phrases
from overstory.text.words import MOST_QUERY_WORDS, asked_words, phrase_words, query_terms

_TITLE_BOOST = 0.5
"""Weight of BM25 over titles and headings, added to BM25 over the section (which contains these words, too)."""

PHRASE_BOOST, QUESTION_PHRASE_BOOST = 1.0, 0.25
"""Weight of quoted phrases in BM25, added to the weight of their single words. In a question, a quoted phrase is mostly
a title. With full weight, it outranks the rest of the question: .02 of HotpotQA's R@5."""

_MOST_SECTION_WEIGHT = 0.5
"""Maximum weight of the section's cosine; the weight of the passage's own cosine is the remainder to 1."""

_PASSAGES_A_SECTION = 3
"""Passages of a section found by words that become candidates: those nearest to the question."""


class FoundSection(NamedTuple):
    """A section that was found by words.

    Attributes:
        chunks: ids of its chunks, in order.
        document: id of its document.
        words: BM25 of the section.
    """

    chunks: Sequence[str]
    document: str
    words: float


def check_sections(corpus: Corpus) -> Corpus:
    """Return the corpus, or raise `IndexMissing` if an earlier version indexed its words."""
    if corpus.sectioned_by != FINGERPRINT:
        raise IndexMissing(
            f"The words of corpus {corpus.name!r} were indexed by an earlier version of Overstory.",
            remedy=f"Run once: {index_command(corpus.name)}, or Knowledge.index() in Python. This indexes the words of "
            "sections, and keeps all vectors and entities.",
        )
    return corpus


def section_query(question: str, languages: Sequence[str] = ()) -> str:
    """Return the Lucene query of a question for the index of sections: any word, and the quoted phrases; or "".

    Args:
        languages: languages of the corpus in addition to English.
    """
    words = " ".join(_escaped(word) for word in asked_words(question, languages)[:MOST_QUERY_WORDS])
    weight = PHRASE_BOOST if form_of(question) == "phrase" else QUESTION_PHRASE_BOOST
    quoted = [
        " ".join(map(_escaped, phrase_words(each, language)))
        for each in quoted_phrases(question)
        for language in ("", *languages)
    ]
    phrases = [f'section_words:"{each}"^{weight}' for each in dict.fromkeys(quoted)]
    return " ".join([f"section_words:({words}) title_words:({words})^{_TITLE_BOOST}", *phrases]) if words else ""


def chunk_query(question: str, languages: Sequence[str] = ()) -> str:
    """Return the Lucene query of a question for the index of chunks, whose English analyzer stems the words itself."""
    phrases = [full_text_query(each) for each in quoted_phrases(question)]
    return " ".join(
        [full_text_query(" ".join(query_terms(question, languages))), *(f'"{each}"' for each in phrases if each)]
    )


def blended_vectors(tx: Transaction, corpus: Corpus, ids: Sequence[str]) -> dict[str, Vectors]:
    """Return the vectors of all chunks in the sections of these chunks, each blended with the mean of its section.

    The dot product of a blended vector with a unit vector is the weighted mean of both cosines. Chunks without a vector
    are left out.
    """
    (row,) = tx.run("retrieve/section_vectors", corpus.label, ids=list(ids), property=corpus.embedding_property)
    blended: dict[str, Vectors] = {}
    for section in row["sections"]:
        if section:
            chunks, vectors, tokens = zip(*section, strict=True)
            blended |= zip(chunks, with_section(np.array(vectors, dtype=np.float32), tokens), strict=True)
    return blended


def with_section(passages: Vectors, tokens: Sequence[int]) -> Vectors:
    """Blend each passage of a section with the mean of all; the mean counts more if the passages are similar.

    Args:
        passages: unit vectors, one row per passage.
        tokens: embedded tokens of each passage; 0 if the embedder does not count tokens.
    """
    weight = min(_MOST_SECTION_WEIGHT, _likeness(passages))
    mean = np.average(passages, axis=0, weights=np.sqrt([max(1, each) for each in tokens])).astype(np.float32)
    return np.asarray((1 - weight) * passages + weight * mean, dtype=np.float32)


def nearest_passages(sections: Iterable[FoundSection], cosines: dict[str, float]) -> Iterator[tuple[str, FoundSection]]:
    """Yield the ids of the passages of each section that are nearest to the question, with their section.

    Args:
        cosines: chunk id -> cosine, for all chunks of the sections.
    """
    for section in sections:
        for id_ in sorted(section.chunks, key=lambda each: -cosines[each])[:_PASSAGES_A_SECTION]:
            yield id_, section


def _likeness(vectors: Vectors) -> float:
    """Return the mean cosine of two distinct unit vectors, at least 0; 1 if there is only one vector."""
    count = len(vectors)
    if count == 1:
        return 1.0
    total = vectors.sum(axis=0, dtype=np.float64)
    return max(0.0, (float(total @ total) - count) / (count * (count - 1)))


def _escaped(word: str) -> str:
    """Escape all characters of a word except letters, digits and "_", for Lucene."""
    return "".join(char if char.isalnum() or char == "_" else f"\\{char}" for char in word)
