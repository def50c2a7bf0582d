"""The faster parts are in place and give what spaCy's own give: a release that changes spaCy's fails here."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from thinc.api import Maxout, Model, chain, expand_window, list2array, residual, with_array

from overstory.text.parsing import faster_attributes
from overstory.text.parsing.faster import NAME, replace_layers
from overstory.text.parsing.pipelines import LoadedPipeline, add_block_bounds, find_pipeline

TEXTS = [
    "Marie Curie was born in Warsaw on 7 November 1867. She moved to Paris, where she met Pierre Curie in 1894.",
    "I'm gonna tell you: there is a river, there are two bridges, and y'all ain't seen nothin' yet. C'mon!",
    "",
    " ",
    "Warsaw",
    "The United Nations Educational, Scientific and Cultural Organization\n\nParis\n\n- Audrey Azoulay, $ 3 million",
    "That is what they do; that one did not. Let's go on 5 May to the   Federal Reserve Bank of New York\tor IBM.",
    "He has had better days than these, hasn't he? London, Berlin, Tokyo and Rio de Janeiro won't have him.",
    "Geese flew over boxes of knives; the leaves fell, wolves were lying, and the children's bigger feet hurt worse.",
    "Being written by women, the series' indices and analyses (e.g. of LOLs, URLs) got re-read, ought to've been cut.",
]


@pytest.fixture(scope="module")
def usual() -> Language:
    """The pipeline as spaCy has it."""
    language = spacy.load(find_pipeline("en_core_web_sm").folder)
    add_block_bounds(language)
    return language


@pytest.fixture(scope="module")
def faster(pipeline: LoadedPipeline) -> Language:
    """The same as we load it."""
    language = pipeline.language
    assert {faster_attributes.NAME, NAME} <= set(language.pipe_names)
    return language


@pytest.fixture(scope="module")
def pipeline() -> LoadedPipeline:
    """It, as all of this process share it."""
    return find_pipeline("en_core_web_sm").load()


def contents(doc: Doc) -> list[tuple[object, ...]]:
    return [
        (t.text, t.tag_, t.pos_, str(t.morph), t.lemma_, t.dep_, t.head.i, t.is_sent_start, t.ent_iob_, t.ent_type_)
        for t in doc
    ]


def test_a_text_is_parsed_as_by_spacys_own_components(
    usual: Language, faster: Language, pipeline: LoadedPipeline
) -> None:
    for _ in range(2):  # the second time, words are remembered
        with usual.memory_zone(), pipeline.lock, pipeline.words():
            expected = [contents(doc) for doc in usual.pipe(TEXTS)]
            assert [contents(doc) for doc in faster.pipe(TEXTS)] == expected
            assert sum(word[8] == "B" for words in expected for word in words) > 15


def test_a_text_is_parsed_alike_alone_and_among_others(faster: Language, pipeline: LoadedPipeline) -> None:
    with pipeline.lock, pipeline.words():
        assert [contents(faster(text)) for text in TEXTS] == [contents(doc) for doc in faster.pipe(TEXTS)]


def test_rules_that_look_at_more_than_the_word_stay_spacys() -> None:
    language = spacy.load(find_pipeline("en_core_web_sm").folder)
    assert faster_attributes.takes_over(language)
    ruler = language.get_pipe("attribute_ruler")
    ruler.add([[{"LOWER": "it", "ENT_TYPE": "ORG"}]], {"POS": "X"})  # type: ignore[attr-defined]
    assert not faster_attributes.takes_over(language)


def test_the_first_layer_of_the_parser_gives_what_spacys_gives_to_rounding(usual: Language, faster: Language) -> None:
    rows = np.random.default_rng(3).normal(size=(9, 64)).astype("f")
    first, replaced = (language.get_pipe("parser").model.get_ref("lower") for language in (usual, faster))  # type: ignore[attr-defined]
    expected = first.predict(rows)
    assert expected.shape[0] == len(rows) + 1  # and what stands for a word that is not there
    np.testing.assert_allclose(replaced.predict(rows), expected, rtol=1e-4, atol=1e-5)
    assert replaced._func is not first._func


def windows(width: int) -> Model[Any, Any]:
    window: Model[Any, Any] = expand_window(2)
    inner = residual(chain(window, Maxout(nO=width, nI=5 * width, nP=3, normalize=True, dropout=0.1)))
    model: Model[Any, Any] = chain(with_array(inner, pad=2), list2array())
    model.initialize()
    for node in model.walk():
        for name in node.param_names:
            values: Any = np.random.default_rng(node.id).normal(size=node.get_param(name).shape).astype("f")
            node.set_param(name, values)
    return model


def test_replaced_layers_give_what_thincs_give_to_rounding() -> None:
    language = spacy.blank("en")
    model = windows(16)
    rows = [np.random.default_rng(length).normal(size=(length, 16)).astype("f") for length in (1, 2, 7, 40)]
    expected = model.predict(rows)
    language.add_pipe("sentencizer").model = model  # type: ignore[attr-defined] # any component with a model
    replace_layers(language)
    assert [node.name for node in model.walk()].count("maxout") == 0
    np.testing.assert_allclose(model.predict(rows), expected, rtol=1e-4, atol=1e-5)
    alone = np.concatenate([model.predict([each]) for each in rows])
    np.testing.assert_array_equal(alone, model.predict(rows))
