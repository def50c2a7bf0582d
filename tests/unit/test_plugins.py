"""Parts of installed packages, found through real metadata in a folder on the path."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest
from tests.packages import install

from overstory import plugins
from overstory.errors import LoaderNotFound, ModelError, SettingsError
from overstory.graph import GraphClient
from overstory.protocols import Embedder, Loader
from overstory.retrieve import RetrievalContext, make_retriever, retriever_names
from overstory.sources.loader_catalogue import catalogue

GOOD = """
class Parrot:
    name = "parrot"

    def __init__(self, *arguments):
        self.arguments = arguments

    def retrieve(self, question, k):
        return None

class Nobody:
    def __init__(self, *arguments):
        pass

class Moody(Parrot):
    def __init__(self, *arguments):
        raise KeyError("mood")

class Needy(Parrot):
    def __init__(self, *arguments):
        from overstory.errors import ModelError
        raise ModelError("needs more", remedy="pip install more")
"""
BROKEN = "import no_such_package_anywhere\n"
ENTRY_POINTS = """
[overstory.retrievers]
parrot = zoo_good:Parrot
nobody = zoo_good:Nobody
moody = zoo_good:Moody
needy = zoo_good:Needy
gone = zoo_good:Gone
broken = zoo_broken:Broken
malformed = not a reference
dense = zoo_good:Parrot
[overstory.loaders]
broken = zoo_broken:Broken
nobody = zoo_good:Nobody
"""
GROUP = "overstory.retrievers"


@pytest.fixture(autouse=True)
def zoo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, "zoo", ENTRY_POINTS, zoo_good=GOOD, zoo_broken=BROKEN)


@pytest.fixture
def context() -> RetrievalContext:
    """Nothing is asked of graph or embedder while a retriever is made."""
    return RetrievalContext(cast("GraphClient", None), "corpus", cast("Embedder", None))


def test_names_are_listed_without_importing_anything() -> None:
    assert {"parrot", "broken", "malformed", "canopy"} <= set(retriever_names())
    assert retriever_names() == sorted(set(retriever_names()))
    assert plugins.names("overstory.no_such_group") == []


def test_a_retriever_of_another_package_is_made_with_its_option(context: RetrievalContext) -> None:
    assert vars(make_retriever("parrot", context))["arguments"] == (context,)
    assert vars(make_retriever("parrot:loud,fast", context))["arguments"] == (context, "loud,fast")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("broken", "zoo_broken:Broken of the package zoo fails: ModuleNotFoundError: .*no_such_package_anywhere"),
        (
            "broken:option",
            "zoo_broken:Broken of the package zoo fails: ModuleNotFoundError: .*no_such_package_anywhere",
        ),
        ("gone", "zoo_good:Gone of the package zoo fails: AttributeError"),
        ("malformed", "not a reference of the package zoo fails: AttributeError"),
        ("moody", "zoo_good:Moody of the package zoo fails: KeyError: 'mood'"),
        ("nobody", "zoo_good:Nobody of the package zoo is not a valid retriever, but a Nobody"),
    ],
)
def test_a_retriever_that_cannot_be_used_is_named_with_its_package(
    name: str, why: str, context: RetrievalContext
) -> None:
    plain = name.partition(":")[0]
    with pytest.raises(SettingsError, match=rf"^The retriever '{plain}' cannot be used: {why}") as raised:
        make_retriever(name, context)
    assert raised.value.remedy == "Update, reinstall or remove the package zoo."


def test_what_a_part_raises_on_purpose_is_not_reworded(context: RetrievalContext) -> None:
    with pytest.raises(ModelError, match="needs more") as raised:
        make_retriever("needy", context)
    assert raised.value.remedy == "pip install more"


def test_an_unknown_name_lists_the_others() -> None:
    with pytest.raises(SettingsError, match=r"^There is no retriever 'parrott'\.") as raised:
        plugins.load(GROUP, "parrott", error=SettingsError)
    assert raised.value.remedy.startswith("Use one of: broken, canopy, dense, ")
    with pytest.raises(SettingsError) as raised:
        plugins.load("overstory.animals", "x", error=SettingsError)
    assert raised.value.remedy == "No animal is installed."


def test_another_package_cannot_take_the_name_of_one_of_ours() -> None:
    assert plugins.load(GROUP, "dense", error=SettingsError).__module__ == "overstory.retrieve.dense"


def test_a_package_without_metadata_is_called_unknown(tmp_path: Path, context: RetrievalContext) -> None:
    (tmp_path / "zoo-1.0.dist-info" / "METADATA").unlink()
    with pytest.raises(SettingsError, match="of the package unknown fails"):
        make_retriever("broken", context)


def test_broken_loaders_are_explained_and_the_others_work() -> None:
    found = catalogue()
    assert {"text", "csv"} <= set(found.loaders)
    assert all(isinstance(loader, Loader) for loader in found.loaders.values())
    with pytest.raises(LoaderNotFound, match=r"'broken' cannot be used: zoo_broken:Broken of the package zoo fails"):
        found.named("broken")
    with pytest.raises(LoaderNotFound, match=r"'nobody' cannot be used: .* is not a valid loader, but a Nobody"):
        found.named("nobody")
