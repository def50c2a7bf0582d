"""Creation, copying and saving of a retriever, without a server."""

from __future__ import annotations

import copy
import dataclasses
import gc
import pickle
import subprocess
import sys
import weakref
from collections.abc import Callable

import pytest
from langchain_core.load import dumps, loads
from langchain_core.runnables import ConfigurableField
from langchain_core.runnables.configurable import DynamicRunnable
from pydantic import SecretStr, ValidationError

from overstory.errors import QuestionError, SettingsError, install_command
from overstory.langchain import OverstoryRetriever
from overstory.settings import EmbeddingSettings, Settings


def test_without_langchain_the_extra_is_named() -> None:
    script = (
        "import sys; sys.modules['langchain_core'] = None\n"
        "try: import overstory.langchain\n"
        "except ImportError as error: print(error, error.remedy)"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == f"langchain-core is not installed. Install it: {install_command('langchain')}"


@pytest.mark.parametrize("k", [0, -1, 1_001])
def test_a_k_that_cannot_be_is_refused_when_it_is_given(k: int) -> None:
    with pytest.raises(QuestionError, match=str(k)):
        OverstoryRetriever(k=k)
    retriever = OverstoryRetriever()
    with pytest.raises(QuestionError, match=str(k)):
        retriever.k = k


def test_an_option_that_is_none_is_refused() -> None:
    with pytest.raises(ValidationError, match="search_kwargs"):
        OverstoryRetriever(search_kwargs={"k": 3})  # type: ignore[call-arg] # pyright: ignore


def test_a_wrong_address_is_refused_with_an_example() -> None:
    with pytest.raises(SettingsError) as caught:
        _ = OverstoryRetriever(uri="http://localhost:7474").knowledge
    assert "bolt://localhost:7687" in caught.value.remedy


def test_retrievers_over_one_corpus_share_its_connection() -> None:
    dense, hybrid = OverstoryRetriever(corpus="a", retriever="dense"), OverstoryRetriever(corpus="a", k=9)
    assert dense.knowledge is hybrid.knowledge
    assert dense.knowledge is not OverstoryRetriever(corpus="b").knowledge
    other = dataclasses.replace(Settings.from_environment(), embedding=EmbeddingSettings(embedder="openai"))
    assert dense.knowledge is not OverstoryRetriever(corpus="a", settings=other).knowledge


def test_another_corpus_is_opened_when_it_is_set_and_another_k_opens_nothing() -> None:
    retriever = OverstoryRetriever(corpus="a")
    before = retriever.knowledge
    retriever.k = 3
    assert retriever.knowledge is before
    retriever.corpus = "b"
    assert retriever.knowledge.corpus_name == "b"


def test_the_last_one_to_close_lets_go_of_the_corpus() -> None:
    one, two = OverstoryRetriever(corpus="let go"), OverstoryRetriever(corpus="let go")
    knowledge = weakref.ref(one.knowledge)
    assert two.knowledge is knowledge()
    one.close()
    assert knowledge() is not None
    with two:
        pass
    gc.collect()
    assert knowledge() is None


def unpickled(retriever: OverstoryRetriever) -> OverstoryRetriever:
    made: OverstoryRetriever = pickle.loads(pickle.dumps(retriever))  # noqa: S301 # dumped a moment ago
    return made


@pytest.mark.parametrize("again", [unpickled, copy.deepcopy, copy.copy], ids=["pickle", "deepcopy", "copy"])
def test_a_copy_of_one_that_was_used_has_its_options_and_shares_its_connection(
    again: Callable[[OverstoryRetriever], OverstoryRetriever],
) -> None:
    retriever = OverstoryRetriever(corpus="a", k=3, uri="bolt://localhost:9", password=SecretStr("secret"), tags=["t"])
    opened = retriever.knowledge
    copied = again(retriever)
    assert copied.model_dump() == retriever.model_dump()
    assert copied.knowledge is opened


@pytest.mark.filterwarnings("ignore:The function `loads` is in beta:langchain_core._api.LangChainBetaWarning")
def test_it_is_saved_without_its_password_and_loaded_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    saved = dumps(OverstoryRetriever(corpus="a", k=3, uri="bolt://localhost:9", password=SecretStr("hunter2")))
    assert "hunter2" not in saved
    assert "OVERSTORY_NEO4J_PASSWORD" in saved
    monkeypatch.setenv("OVERSTORY_NEO4J_PASSWORD", "another")
    loaded = loads(saved, allowed_objects=[OverstoryRetriever], valid_namespaces=["overstory"], secrets_from_env=True)
    assert isinstance(loaded, OverstoryRetriever)
    assert loaded.password == SecretStr("another")
    assert (loaded.corpus, loaded.k) == ("a", 3)


def test_no_password_is_shown() -> None:
    assert "hunter2" not in repr(OverstoryRetriever(uri="bolt://localhost:9", password=SecretStr("hunter2")))


def test_k_can_be_configured() -> None:
    configurable = OverstoryRetriever(corpus="a").configurable_fields(k=ConfigurableField(id="k"))
    assert isinstance(configurable, DynamicRunnable)
    prepared, _ = configurable.prepare({"configurable": {"k": 9}})
    assert isinstance(prepared, OverstoryRetriever)
    assert (prepared.corpus, prepared.k) == ("a", 9)
