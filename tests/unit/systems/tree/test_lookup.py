"""Which tree of a corpus is meant by a name."""

from __future__ import annotations

import datetime

import pytest

from overstory.errors import IndexMissing, SettingsError
from overstory.graph import Corpus
from overstory.model.documents import PLURAL
from overstory.systems.state import IndexState
from overstory.systems.tree.kinds import TreeKind
from overstory.systems.tree.lookup import find_tree, other_trees
from overstory_systems.serag import SeRag, SeragIndexSettings

NOW = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
OF_DOCUMENTS = TreeKind("oak", "Oak", "document", "Oak", structure="oak", options="semantic")
OF_NAMES = TreeKind("oak", "Oak of names", "entity", "Oak", structure="oak", options="no-semantic")

ELM = TreeKind("elm", "Elm", "chunk", "Elm", structure="elm")


class Oaks(SeRag):
    """Its index has a tree of documents or one of names."""

    name = "oaks"
    title = "Oaks"
    trees = (OF_DOCUMENTS, OF_NAMES)

    def has_tree(self, tree: TreeKind, state: IndexState[SeragIndexSettings]) -> bool:
        return state.settings.levels == 2 and tree == (OF_DOCUMENTS if state.settings.semantic else OF_NAMES)


class Elms(Oaks):
    """Its index has two trees."""

    trees = (OF_DOCUMENTS, ELM)

    def has_tree(self, tree: TreeKind, state: IndexState[SeragIndexSettings]) -> bool:  # noqa: ARG002 # of any settings
        return True


def corpus_with(settings: SeragIndexSettings | None) -> Corpus:
    systems = {} if settings is None else {"oaks": IndexState(settings, "minilm", built=True).as_json()}
    return Corpus("c", "Corpus_0", NOW, 1, "english", 1, "minilm", 3, "embedding", "", -1, "", systems=systems)


@pytest.mark.parametrize(("semantic", "kind"), [(True, OF_DOCUMENTS), (False, OF_NAMES)])
def test_of_two_trees_of_one_name_the_one_that_the_corpus_has_is_found(semantic: bool, kind: TreeKind) -> None:
    corpus = corpus_with(SeragIndexSettings(levels=2, semantic=semantic))
    assert find_tree([Oaks()], corpus, "oak").kind == kind
    assert find_tree([Oaks()], corpus).kind == kind
    with pytest.raises(SettingsError, match="no tree 'elm'") as raised:
        find_tree([Oaks()], corpus, "elm")
    assert raised.value.remedy == f"Corpus 'c' has: oak ({kind.title}, of {PLURAL[kind.unit]})."


def test_the_other_trees_of_the_corpus_are_named() -> None:
    corpus = corpus_with(SeragIndexSettings(levels=2, semantic=True))
    assert other_trees([Oaks()], corpus, find_tree([Oaks()], corpus)) == ()
    elms = Elms()
    found = find_tree([elms], corpus)
    (note,) = other_trees([elms], corpus, found)
    assert note == f"This is the tree oak. Other trees (--tree NAME): {ELM.name} ({ELM.title}, of passages)."


def test_where_there_is_none_of_the_name_the_error_says_what_builds_it() -> None:
    with pytest.raises(IndexMissing, match="has no Oaks index") as missing:
        find_tree([Oaks()], corpus_with(None), "oak")
    assert "overstory index --system oaks --corpus c" in missing.value.remedy
    with pytest.raises(IndexMissing, match="has no tree oak") as missing:
        find_tree([Oaks()], corpus_with(SeragIndexSettings(levels=3)), "oak")
    assert "To build oak (Oak, of documents): overstory index --system oaks:semantic --corpus c" in missing.value.remedy
    assert "To build oak (Oak of names, of entities): " in missing.value.remedy
