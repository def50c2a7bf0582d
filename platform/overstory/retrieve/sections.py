"""Passages with their sections: the section is the evidence, and a passage what is shown of it.

Its section says better than a passage alone whether it answers. So its likeness to a question is the mean of its
own cosine and of that of its section, which is the mean over the section's passages, weighed by the square roots of
their lengths; and BM25 is that of sections. Where passages are sections themselves, as paragraphs of Wikipedia are,
this changes nothing. Where the passages of a section are unlike each other, as in paragraphs that were put into one
document at random and in some manuals, the section says little of each, and its cosine counts less.
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
"""What BM25 of titles and headings adds to that of the section, which has their words, too."""

PHRASE_BOOST, QUESTION_PHRASE_BOOST = 1.0, 0.25
"""What BM25 of words in quotation marks adds, which count by themselves, too. In a question they are mostly a title,
and counted in full it outranks what else is asked for: .02 of HotpotQA's R@5."""

_MOST_SECTION_WEIGHT = 0.5
"""What the cosine of the section counts at most beside the passage's own, whose weight is the rest of 1."""

_PASSAGES_A_SECTION = 3
"""How many passages of a section found by words are candidates: those nearest to the question."""


class FoundSection(NamedTuple):
    """A section that was found by words.

    Attributes:
        chunks: ids, in order.
        document: its id.
        words: BM25.
    """

    chunks: Sequence[str]
    document: str
    words: float


def check_sections(corpus: Corpus) -> Corpus:
    """The corpus, if it can be searched by words."""
    if corpus.sectioned_by != FINGERPRINT:
        raise IndexMissing(
            f"The words of corpus {corpus.name!r} were indexed by an earlier version of Overstory.",
            remedy=f"Run once: {index_command(corpus.name)}, or Knowledge.index() in Python. It adds the words of "
            "sections, and keeps all vectors and names.",
        )
    return corpus


def section_query(question: str, languages: Sequence[str] = ()) -> str:
    """A Lucene query for the words of a question, any of them, and for what it has in quotation marks; "" if it has no
    words.

    Args:
        languages: of the corpus, besides English.
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
    """The same words for Lucene's own analyzer of English, which makes stems of them itself."""
    phrases = [full_text_query(each) for each in quoted_phrases(question)]
    return " ".join(
        [full_text_query(" ".join(query_terms(question, languages))), *(f'"{each}"' for each in phrases if each)]
    )


def blended_vectors(tx: Transaction, corpus: Corpus, ids: Sequence[str]) -> dict[str, Vectors]:
    """The vector of each of these chunks and the mean of its section, both weighed, so that their dot product with a
    unit vector is the weighed mean of both cosines; of the other chunks of these sections, too. Those without a vector
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
    """Each passage of a section blended with the mean of all, which counts as much as they are like each other.

    Args:
        passages: their unit vectors.
        tokens: how many were embedded of each; an embedder may count none.
    """
    weight = min(_MOST_SECTION_WEIGHT, _likeness(passages))
    mean = np.average(passages, axis=0, weights=np.sqrt([max(1, each) for each in tokens])).astype(np.float32)
    return np.asarray((1 - weight) * passages + weight * mean, dtype=np.float32)


def nearest_passages(sections: Iterable[FoundSection], cosines: dict[str, float]) -> Iterator[tuple[str, FoundSection]]:
    """Of each section the passages nearest to the question, ids with their sections.

    Args:
        cosines: of all chunks of the sections.
    """
    for section in sections:
        for id_ in sorted(section.chunks, key=lambda each: -cosines[each])[:_PASSAGES_A_SECTION]:
            yield id_, section


def _likeness(vectors: Vectors) -> float:
    """The mean cosine of two different ones of these unit vectors, at least 0; 1 of a single one."""
    count = len(vectors)
    if count == 1:
        return 1.0
    total = vectors.sum(axis=0, dtype=np.float64)
    return max(0.0, (float(total @ total) - count) / (count * (count - 1)))


def _escaped(word: str) -> str:
    """A word for Lucene, of whose syntax all but letters, digits and "_" may be."""
    return "".join(char if char.isalnum() or char == "_" else f"\\{char}" for char in word)
