"""Scoring of passages together with their sections.

Whether a passage answers a question is easier to predict from its section than from the passage alone. The similarity
of a passage to a question is therefore a weighted mean of the passage's cosine and the section's cosine. The vector of
a section is the mean of its passages' vectors, weighted by the square roots of the passages' lengths. BM25 is computed
for entire sections.

If a section consists of one passage, like a paragraph of Wikipedia, nothing changes. If the passages of a section are
dissimilar, as in some manuals, the section's cosine gets a lower weight.
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
"""Weight of words in titles and headings. It is added to the weight 1 that they have as words of the section."""

PHRASE_BOOST, QUESTION_PHRASE_BOOST = 1.0, 0.25
"""Weight of a quoted phrase in BM25, added to the weight of its single words. It is lower if the user asks a question,
because a quoted phrase is then usually a title. With weight 1, the title would outweigh the rest of the question, which
costs 0.02 of R@5 on HotpotQA."""

_MOST_SECTION_WEIGHT = 0.5
"""Maximum weight of the section's cosine. The passage's own cosine gets the rest of the weight, up to 1."""

_PASSAGES_A_SECTION = 3
"""If a section is found by words, this many of its passages become candidates: those nearest to the question."""


class FoundSection(NamedTuple):
    """A section that was found by words.

    Attributes:
        chunks: ids of the section's chunks, in the order of the text.
        words: BM25 of the section.
    """

    chunks: Sequence[str]
    document: str
    words: float


def check_sections(corpus: Corpus) -> Corpus:
    """Return the corpus. Raise `IndexMissing` if an earlier version of Overstory indexed its words."""
    if corpus.sectioned_by != FINGERPRINT:
        raise IndexMissing(
            f"The words of corpus {corpus.name!r} were indexed by an earlier version of Overstory.",
            remedy=f"Run `{index_command(corpus.name)}` once, or call Knowledge.index() in Python. This indexes "
            "the words of sections, and keeps all vectors and entities.",
        )
    return corpus


def section_query(question: str, languages: Sequence[str] = ()) -> str:
    """Return the Lucene query that searches the section index for a question; "" if the question contains no words.

    The query matches any word of the question. Quoted phrases increase the score.

    Args:
        languages: languages of the corpus other than English.
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
    """Return the Lucene query that searches the chunk index for a question.

    The words are not stemmed, because the index stems them with its English analyzer.

    Args:
        languages: languages of the corpus other than English.
    """
    phrases = [full_text_query(each) for each in quoted_phrases(question)]
    return " ".join(
        [full_text_query(" ".join(query_terms(question, languages))), *(f'"{each}"' for each in phrases if each)]
    )


def blended_vectors(tx: Transaction, corpus: Corpus, ids: Sequence[str]) -> dict[str, Vectors]:
    """Return the blended vectors of all chunks in the sections of the given chunks, as a map from chunk id to vector.

    A blended vector is the weighted mean of the chunk's vector and its section's vector. Its dot product with a unit
    vector is therefore the weighted mean of both cosines. Chunks without a vector are left out.
    """
    (row,) = tx.run("retrieve/section_vectors", corpus.label, ids=list(ids), property=corpus.embedding_property)
    blended: dict[str, Vectors] = {}
    for section in row["sections"]:
        if section:
            chunks, vectors, tokens = zip(*section, strict=True)
            blended |= zip(chunks, with_section(np.array(vectors, dtype=np.float32), tokens), strict=True)
    return blended


def with_section(passages: Vectors, tokens: Sequence[int]) -> Vectors:
    """Return the vectors of a section's passages, each blended with the mean vector of the section.

    The more similar the passages are to each other, the higher is the weight of the mean.

    Args:
        passages: float32 of shape (passages, d), where each row is a unit vector.
        tokens: number of embedded tokens of each passage; 0 if the embedder does not count tokens.
    """
    weight = min(_MOST_SECTION_WEIGHT, _likeness(passages))
    mean = np.average(passages, axis=0, weights=np.sqrt([max(1, each) for each in tokens])).astype(np.float32)
    return np.asarray((1 - weight) * passages + weight * mean, dtype=np.float32)


def nearest_passages(sections: Iterable[FoundSection], cosines: dict[str, float]) -> Iterator[tuple[str, FoundSection]]:
    """Yield the passages of each section that are nearest to the question, each as (chunk id, section).

    Args:
        cosines: map from chunk id to cosine, for all chunks of the sections.
    """
    for section in sections:
        for id_ in sorted(section.chunks, key=lambda each: -cosines[each])[:_PASSAGES_A_SECTION]:
            yield id_, section


def _likeness(vectors: Vectors) -> float:
    """Return the mean cosine over all pairs of unit vectors, but at least 0; 1 if there is only one vector."""
    count = len(vectors)
    if count == 1:
        return 1.0
    total = vectors.sum(axis=0, dtype=np.float64)
    return max(0.0, (float(total @ total) - count) / (count * (count - 1)))


def _escaped(word: str) -> str:
    return "".join(char if char.isalnum() or char == "_" else f"\\{char}" for char in word)
