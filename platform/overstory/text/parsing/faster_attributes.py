"""A pipeline component that caches the parts of speech and lemmas of words.

spaCy matches each text against about two hundred patterns. Most patterns consist of one word. Their result depends only
on the word, its tag and its dependency, and can be cached. If a text matches a pattern of several words ("gonna",
"there is"), it is processed by spaCy's own components.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple, cast

import numpy as np
from spacy.lang.en.lemmatizer import EnglishLemmatizer
from spacy.language import Language
from spacy.matcher import Matcher
from spacy.pipeline import AttributeRuler
from spacy.tokens import Doc
from spacy.vocab import Vocab

NAME = "overstory_attributes"
_REMEMBERED_WORDS = 100_000
"""Maximum number of cached words, which take about 30 MB."""

_WORD = frozenset({"ORTH", "TEXT", "LOWER"})
_TOKEN = frozenset({"TAG", "DEP", "IS_SPACE"}) | _WORD
"""Attributes of a token that patterns may test."""

_Key = tuple[int, ...]
"""The hash of a word, followed by the hashes of some of its attributes."""


class _Rule(NamedTuple):
    """A rule that assigns attributes to a token if one of its patterns matches.

    Attributes:
        words: the patterns, each as a list with a condition for each token.
        place: index of the token in the match.
    """

    words: list[list[dict[str, Any]]]
    attributes: dict[str, Any]
    place: int


def _rules(ruler: AttributeRuler) -> list[_Rule]:
    patterns: Any = ruler.patterns
    return [_Rule(each["patterns"], each["attrs"], each["index"]) for each in patterns]


class _Attributes(NamedTuple):
    """The attributes of a word.

    Attributes:
        begins: True if a pattern of several words may begin with this word.
        tag, dep, pos, morph: hashes of the attributes with these names in spaCy.
    """

    begins: bool
    tag: int
    dep: int
    pos: int
    morph: int
    lemma: str


def takes_over(language: Language) -> bool:
    """Return True if `FasterAttributes` can replace the attribute ruler and lemmatizer of a pipeline."""
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


@Language.factory(NAME)  # pyright: ignore[reportUntypedFunctionDecorator] # spaCy's decorator is untyped
def make(nlp: Language, name: str) -> FasterAttributes:  # noqa: ARG001 # spaCy's signature
    ruler, lemmatizer = nlp.get_pipe("attribute_ruler"), nlp.get_pipe("lemmatizer")
    assert isinstance(ruler, AttributeRuler)  # noqa: S101 # narrows the type for mypy
    assert isinstance(lemmatizer, EnglishLemmatizer)  # noqa: S101
    return FasterAttributes(ruler, lemmatizer)


class FasterAttributes:
    """A component that returns the same results as the attribute ruler and the lemmatizer that it replaces.

    Most patterns either list words or test only tag and dependency. For words that no pattern lists, attributes are
    therefore computed only once per tag and dependency.
    """

    def __init__(self, ruler: AttributeRuler, lemmatizer: EnglishLemmatizer) -> None:
        self._ruler, self._lemmatizer = ruler, lemmatizer
        _index_as_sets(lemmatizer)
        self._of_one = AttributeRuler(ruler.vocab)
        for each in _rules(ruler):
            of_one = [words for words in each.words if len(words) == 1]
            if of_one:
                self._of_one.add(cast("Any", of_one), each.attributes, each.place)
        several = [words for each in _rules(ruler) for words in each.words if len(words) > 1]
        self._several = _matcher(ruler.vocab, several)
        self._first_of_several = _matcher(ruler.vocab, [words[:1] for words in several])
        self._named = _PatternWords([words[0] for each in _rules(ruler) for words in each.words])
        self._known: dict[_Key, _Attributes] = {}
        self._usual: dict[_Key, _Attributes] = {}
        self._lemmas: dict[_Key, str] = {}

    def __call__(self, doc: Doc) -> Doc:
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 64) -> Iterator[Doc]:
        remaining = iter(stream)
        while batch := list(islice(remaining, batch_size)):
            if len(self._known) > _REMEMBERED_WORDS:
                self._known.clear()
                self._lemmas.clear()
            docs = [doc for doc in batch if len(doc)]
            keys = [list(map(tuple, doc.to_array(["ORTH", "TAG", "DEP"]).tolist())) for doc in docs]
            if docs:
                self._learn(docs[0].vocab, sorted({key for key in chain.from_iterable(keys) if key not in self._known}))
            for doc, of_doc in zip(docs, keys, strict=True):
                self._set(doc, of_doc)
            yield from batch

    def _set(self, doc: Doc, keys: Sequence[_Key]) -> None:
        found = [self._known[key] for key in keys]
        if any(each.begins for each in found) and self._several(doc, allow_missing=True):
            self._lemmatizer(self._ruler(doc))
            return
        add = doc.vocab.strings.add  # because spaCy may have removed the strings of earlier batches
        rows = [(each.tag, each.dep, each.pos, each.morph, add(each.lemma)) for each in found]
        doc.from_array(["TAG", "DEP", "POS", "MORPH", "LEMMA"], _columns(rows))

    def _learn(self, vocabulary: Vocab, keys: Sequence[_Key]) -> None:
        """Compute and cache the attributes of words, given as (hash of the word, tag, dependency)."""
        strings = vocabulary.strings
        named = [key for key in keys if self._named.has(strings[key[0]])]
        self._known |= zip(named, self._found(vocabulary, named), strict=True)
        usual = [key for key in keys if key not in self._known]
        examples = {key[1:]: key for key in usual if key[1:] not in self._usual}
        self._usual |= zip(examples, self._found(vocabulary, list(examples.values())), strict=True)
        of_words = [(key, self._usual[key[1:]]) for key in usual]
        words = {(key[0], of.pos, of.morph) for key, of in of_words}
        unknown = sorted(word for word in words if word not in self._lemmas)
        self._lemmas |= _lemmas(self._lemmatizer, vocabulary, unknown)
        self._known |= {key: of._replace(lemma=self._lemmas[key[0], of.pos, of.morph]) for key, of in of_words}

    def _found(self, vocabulary: Vocab, keys: Sequence[_Key]) -> Iterator[_Attributes]:
        if not keys:
            return
        alone = _words(vocabulary, keys, ["TAG", "DEP"])
        begin = {first for _, first, _ in self._first_of_several(alone, allow_missing=True)}
        for word in self._lemmatizer(self._of_one(alone)):
            morph = word.morph.key  # type: ignore[attr-defined] # missing in spaCy's type stubs
            yield _Attributes(word.i in begin, word.tag, word.dep, word.pos, morph, word.lemma_)


class _PatternWords:
    """The set of words that patterns list or match by regular expressions, and white space."""

    def __init__(self, patterns: Iterable[Mapping[str, Any]]) -> None:
        """
        Args:
            patterns: the condition for a single token in each pattern.
        """
        self._words: set[str] = set()
        self._expressions: list[re.Pattern[str]] = []
        for condition in (pattern[name] for pattern in patterns for name in pattern.keys() & _WORD):
            if isinstance(condition, str):
                self._words.add(condition.lower())
            elif condition.keys() == {"IN"}:
                self._words.update(word.lower() for word in condition["IN"])
            elif condition.keys() == {"REGEX"}:
                self._expressions.append(re.compile(condition["REGEX"]))
            else:
                self._expressions.append(re.compile(""))

    def has(self, word: str) -> bool:
        lower = word.lower()
        return (
            lower in self._words
            or lower.isspace()
            or any(each.search(lower) or each.search(word) for each in self._expressions)
        )


def _index_as_sets(lemmatizer: EnglishLemmatizer) -> None:
    """Convert the lemmatizer's lists of known words into sets, because they contain up to 57,000 words."""
    index: Any = lemmatizer.lookups.get_table("lemma_index", {})
    for part_of_speech in list(index):
        index[part_of_speech] = frozenset(index[part_of_speech])


def _lemmas(lemmatizer: EnglishLemmatizer, vocabulary: Vocab, keys: Sequence[_Key]) -> dict[_Key, str]:
    """Return the lemmas of words by their keys: (hash of the word, part of speech, morphology)."""
    if not keys:
        return {}
    words = lemmatizer(_words(vocabulary, keys, ["POS", "MORPH"]))
    return {key: word.lemma_ for key, word in zip(keys, words, strict=True)}


def _words(vocabulary: Vocab, keys: Sequence[_Key], attributes: list[int | str]) -> Doc:
    """Return a document that consists of the words with these keys, and set the attributes from the keys."""
    words = Doc(vocabulary, words=[vocabulary.strings[key[0]] for key in keys], spaces=[True] * len(keys))
    words.from_array(attributes, _columns([key[1:] for key in keys]))
    return words


def _columns(rows: Sequence[Sequence[int]]) -> Any:  # spaCy's type stubs require int32, which is too small for hashes
    return np.array(rows, dtype=np.uint64)


def _matcher(vocabulary: Vocab, patterns: list[list[dict[str, Any]]]) -> Matcher:
    matcher = Matcher(vocabulary)
    if patterns:
        matcher.add(NAME, patterns)
    return matcher
