"""Parts of speech and lemmas, remembered by word.

spaCy's rules match each text against some two hundred patterns. All but a few are about one word: what they give
depends on the word, its tag and its dependency. Texts in which a pattern of several words matches ("gonna", "there
is") are read by the rules themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple, cast

import numpy as np
from spacy.lang.en.lemmatizer import EnglishLemmatizer
from spacy.language import Language
from spacy.matcher import Matcher
from spacy.pipeline import AttributeRuler
from spacy.tokens import Doc
from spacy.vocab import Vocab

NAME = "overstory_attributes"
REMEMBERED = 100_000
"""Words; some 30 MB."""

_TOKEN = frozenset({"TAG", "DEP", "ORTH", "TEXT", "LOWER", "IS_SPACE"})
"""What of a word a pattern may look at."""


class _Rule(NamedTuple):
    """Gives attributes to the word at `place` of what one of the patterns matches, each a description of some words."""

    words: list[list[dict[str, Any]]]
    attributes: dict[str, Any]
    place: int


def _rules(ruler: AttributeRuler) -> list[_Rule]:
    patterns: Any = ruler.patterns
    return [_Rule(each["patterns"], each["attrs"], each["index"]) for each in patterns]


class _Attributes(NamedTuple):
    """Of a word.

    Attributes:
        begins: whether a pattern of several words may begin with it.
    """

    begins: bool
    tag: int
    dep: int
    pos: int
    morph: int
    lemma: str


def takes_over(language: Language) -> bool:
    """Whether `FasterAttributes` gives the results of this pipeline's rules for attributes and lemmas."""
    names = language.pipe_names
    if "attribute_ruler" not in names or names[names.index("attribute_ruler") + 1 :][:1] != ["lemmatizer"]:
        return False
    ruler: Any = language.get_pipe("attribute_ruler")
    lemmatizer: Any = language.get_pipe("lemmatizer")
    return (
        type(ruler) is AttributeRuler
        and type(lemmatizer) is EnglishLemmatizer
        and lemmatizer.mode == "rule"
        and all(token.keys() <= _TOKEN for each in _rules(ruler) for words in each.words for token in words)
    )


@Language.factory(NAME)  # pyright: ignore[reportUntypedFunctionDecorator] # spaCy's
def make(nlp: Language, name: str) -> FasterAttributes:  # noqa: ARG001 # spaCy's signature
    """In the place of the pipeline's rules."""
    ruler, lemmatizer = nlp.get_pipe("attribute_ruler"), nlp.get_pipe("lemmatizer")
    assert isinstance(ruler, AttributeRuler)  # noqa: S101 # for mypy
    assert isinstance(lemmatizer, EnglishLemmatizer)  # noqa: S101
    return FasterAttributes(ruler, lemmatizer)


class FasterAttributes:
    """A component with the results of rules that `takes_over` names."""

    def __init__(self, ruler: AttributeRuler, lemmatizer: EnglishLemmatizer) -> None:
        self._ruler, self._lemmatizer = ruler, lemmatizer
        self._of_one = AttributeRuler(ruler.vocab)
        for each in _rules(ruler):
            of_one = [words for words in each.words if len(words) == 1]
            if of_one:
                self._of_one.add(cast("Any", of_one), each.attributes, each.place)
        several = [words for each in _rules(ruler) for words in each.words if len(words) > 1]
        self._several = _matcher(ruler.vocab, several)
        self._first_of_several = _matcher(ruler.vocab, [words[:1] for words in several])
        self._known: dict[tuple[int, ...], _Attributes] = {}

    def __call__(self, doc: Doc) -> Doc:
        """One text."""
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 64) -> Iterator[Doc]:
        """Many texts, in order."""
        remaining = iter(stream)
        while batch := list(islice(remaining, batch_size)):
            if len(self._known) > REMEMBERED:
                self._known.clear()
            for doc in batch:
                if len(doc):
                    self._set(doc)
            yield from batch

    def _set(self, doc: Doc) -> None:
        keys = list(map(tuple, doc.to_array(["ORTH", "TAG", "DEP"]).tolist()))
        new = list(dict.fromkeys(key for key in keys if key not in self._known))
        if new:
            self._learn(doc, [keys.index(key) for key in new], new)
        found = [self._known[key] for key in keys]
        if any(each.begins for each in found) and self._several(doc, allow_missing=True):
            self._lemmatizer(self._ruler(doc))
            return
        add = doc.vocab.strings.add  # the strings of the batch before may be gone
        rows = [(each.tag, each.dep, each.pos, each.morph, add(each.lemma)) for each in found]
        doc.from_array(["TAG", "DEP", "POS", "MORPH", "LEMMA"], _columns(rows))

    def _learn(self, doc: Doc, places: list[int], keys: list[tuple[int, ...]]) -> None:
        words = [doc[place] for place in places]
        alone = Doc(doc.vocab, words=[word.text for word in words], spaces=[True] * len(words))
        alone.from_array(["TAG", "DEP"], _columns([key[1:] for key in keys]))
        begin = {first for _, first, _ in self._first_of_several(alone, allow_missing=True)}
        for key, word in zip(keys, self._lemmatizer(self._of_one(alone)), strict=True):
            self._known[key] = _Attributes(
                word.i in begin,
                word.tag,
                word.dep,
                word.pos,
                word.morph.key,  # type: ignore[attr-defined] # it has one
                word.lemma_,
            )


def _columns(rows: Sequence[Sequence[int]]) -> Any:  # spaCy's types say int32, which holds no hash
    return np.array(rows, dtype=np.uint64)


def _matcher(vocabulary: Vocab, patterns: list[list[dict[str, Any]]]) -> Matcher:
    matcher = Matcher(vocabulary)
    if patterns:
        matcher.add(NAME, patterns)
    return matcher
