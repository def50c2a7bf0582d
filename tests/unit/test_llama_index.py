from __future__ import annotations

import gc
import subprocess
import sys
import weakref

import pytest

from overstory import HitStatement
from overstory.errors import FilterError, QuestionError, SettingsError, StatementRefused, install_command
from overstory.langchain import OverstoryRetriever
from overstory.llama_index import OverstoryNodeRetriever


def test_without_llama_index_the_extra_is_named() -> None:
    script = (
        "import sys; sys.modules['llama_index'] = None\n"
        "try: import overstory.llama_index\n"
        "except ImportError as error: print(error, error.remedy)"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == f"llama-index-core is not installed. Install it: {install_command('llama-index')}"


@pytest.mark.parametrize("k", [0, 1_001])
def test_a_k_that_cannot_be_is_refused_when_it_is_given(k: int) -> None:
    with pytest.raises(QuestionError, match=str(k)):
        OverstoryNodeRetriever(k=k)


def test_a_filter_and_a_statement_that_cannot_be_read_are_refused_when_they_are_given() -> None:
    with pytest.raises(FilterError, match="character 8"):
        OverstoryNodeRetriever(filter="author Ada")
    with pytest.raises(StatementRefused, match="does not use"):
        OverstoryNodeRetriever(enrich="RETURN 1")
    with pytest.raises(StatementRefused, match="does not use"):
        OverstoryRetriever(enrich="RETURN 1")
    OverstoryRetriever(enrich=HitStatement("UNWIND $ids AS id RETURN id, $a AS a", {"a": 1}))


def test_a_wrong_address_is_refused_with_an_example() -> None:
    with pytest.raises(SettingsError) as caught:
        OverstoryNodeRetriever(uri="http://localhost:7474")
    assert "bolt://localhost:7687" in caught.value.remedy


def test_retrievers_over_one_corpus_share_its_connection_whatever_library_they_are_for() -> None:
    one = OverstoryNodeRetriever("a", retriever="dense")
    assert one.knowledge is OverstoryNodeRetriever("a", k=9).knowledge
    assert one.knowledge is OverstoryRetriever(corpus="a").knowledge
    assert one.knowledge is not OverstoryNodeRetriever("b").knowledge


def test_the_last_one_to_close_lets_go_of_the_corpus() -> None:
    one, two = OverstoryNodeRetriever("let go"), OverstoryNodeRetriever("let go")
    knowledge = weakref.ref(one.knowledge)
    one.close()
    assert two.knowledge is knowledge()
    with two:
        pass
    gc.collect()
    assert knowledge() is None
    assert two.knowledge.corpus_name == "let go"


def test_no_password_is_shown() -> None:
    retriever = OverstoryNodeRetriever(uri="bolt://localhost:9", password="hunter2")
    assert "hunter2" not in repr(retriever) + repr(vars(retriever))
