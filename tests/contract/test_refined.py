"""The contract of every retriever's evidence when it is reranked, or asked in several ways."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.chat_endpoint import Handler, running_chat_endpoint, saying
from tests.embeddings_endpoint import running_endpoint

from overstory.bench.runner import Refined
from overstory.knowledge import Knowledge
from overstory.protocols import Embedder, Extractor
from overstory.settings import LlmSettings, RerankSettings, Settings
from overstory.systems import retriever_names

QUESTION = "Where was the husband of Mileva Marić born?"
PARTS = ["Who married Mileva Marić?", "Where was Albert Einstein born?", "What does the Danube flow through?"]
PASSAGE = "Her husband Albert was born in Ulm, through which the Danube flows."


REFINED: dict[str, Refined] = {
    "rerank": {"rerank": True},
    "decompose": {"decompose": True},
    "hypothetical": {"hypothetical": True},
    "all": {"rerank": True, "decompose": True, "hypothetical": True},
}


def answering(handler: Handler, request: dict[str, object]) -> None:
    """Parts or a passage, whichever is asked for."""
    wanted = "questions" if '"questions"' in json.dumps(request["messages"]).replace('\\"', '"') else "passage"
    saying(json.dumps({"questions": PARTS} if wanted == "questions" else {"passage": PASSAGE}))(handler, request)


@pytest.fixture(scope="module")
def knowledge(
    shared_corpus: Knowledge,
    settings: Settings,
    models: tuple[Embedder, Extractor],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Knowledge]:
    """The shared corpus with a language model and a reranker."""
    cache: Path = tmp_path_factory.mktemp("cache")
    with running_chat_endpoint() as chat, running_endpoint() as rerank:
        chat.then = answering
        with Knowledge(
            shared_corpus.corpus_name,
            settings=replace(
                settings,
                places=replace(settings.places, cache=cache),
                llm=LlmSettings("openai", model="m", base_url=chat.url, retries=0),
                rerank=RerankSettings("endpoint", base_url=rerank.url, passages=4),
            ),
        ) as knowledge:
            knowledge.use(embedder=models[0], extractor=models[1])
            yield knowledge


@pytest.mark.parametrize("refined", REFINED.values(), ids=REFINED.keys())
@pytest.mark.parametrize("name", retriever_names())
@pytest.mark.parametrize("k", [1, 4])
def test_hits_are_the_best_first_with_reasons_that_add_up_and_parts_have_their_passages(
    knowledge: Knowledge, name: str, refined: Refined, k: int
) -> None:
    evidence = knowledge.search(QUESTION, k, retriever=name, **refined)
    scores = [hit.score for hit in evidence.hits]
    assert 0 < len(scores) <= k
    assert scores == sorted(scores, reverse=True)
    assert len({hit.chunk_id for hit in evidence.hits}) == len(scores)
    assert evidence.retriever.split("+")[0] == name
    assert evidence.question == QUESTION
    for hit in evidence.hits:
        assert sum(reason.score for reason in hit.reasons) == pytest.approx(hit.score)
        assert hit.in_words.startswith("It ")
        assert hit.in_words.endswith(".")
    for part in evidence.parts:
        assert [hit.chunk_id for hit in evidence.passages_of(part)] == list(part.chunks)
    assert not {hit.chunk_id for hit in evidence.sources} & {hit.chunk_id for hit in evidence.hits}
    assert {hit.score for hit in evidence.sources} <= {0.0}
    assert evidence == knowledge.search(QUESTION, k, retriever=name, **refined)


def test_a_reranked_score_is_the_rerankers(knowledge: Knowledge) -> None:
    evidence = knowledge.search("Albert Einstein was born in Ulm", 4, retriever="dense", rerank=True)
    first, *_, last = evidence.hits
    assert first.title in ("Albert Einstein", "Ulm")
    assert first.score == 1.0
    assert last.score < 0.5
    assert "has relevance 1.000 to the question for the reranker http://127.0.0.1:" in first.in_words
