"""Names by the words that they have, found by the indexes of passages and of names."""

from __future__ import annotations

from overstory.graph import Corpus, GraphClient
from overstory.graph.index_sets import text_index
from overstory.index import ListedName, listed_names
from overstory.retrieve.question import full_text_query
from overstory.text.names.keys import key_words
from overstory.text.words import telling_words

_MOST_PASSAGES_OF_WORDS = 1_000
"""In which names with some words are looked for; likewise names that begin, and that end with these words."""
_LEAST_LETTERS_OF_A_BEGINNING = 3
"""A word that is shorter may begin too many others; names are compared with it once they are found."""


def names_with_words(
    graph: GraphClient, corpus: Corpus, words: str, *, limit: int, type_: str = ""
) -> list[ListedName]:
    """The names that have a word which begins with each of these, those that begin so first. What this takes does not
    grow with the corpus."""
    keys = key_words(words)
    start = " ".join(keys)
    rows = graph.run(
        "corpus/names_with_words",
        corpus.label,
        read=True,
        index=text_index(corpus.index_set),
        query=_query(words),
        depth=_MOST_PASSAGES_OF_WORDS,
        start=start,
        end=f"{start[::-1]} ",
        words=keys,
        type=type_,
        limit=limit,
    )
    return listed_names(rows)


def _query(words: str) -> str:
    """A Lucene query for passages that have all of these words, or others that begin so; of words that are short, if
    there are longer ones, nothing is asked."""
    asked = full_text_query(" ".join(telling_words(words))).split()
    long = [f"+({word} {word}*)" for word in asked if len(word) >= _LEAST_LETTERS_OF_A_BEGINNING]
    return " ".join(long or asked)
