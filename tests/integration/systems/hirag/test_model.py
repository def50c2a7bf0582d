"""HiRAG's index by a language model: what is asked, what it costs, what of the answers is believed, and asking it."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, LiteralString

import pytest
from tests.chat_endpoint import Endpoint, Handler, running_chat_endpoint, saying
from tests.passages import OpenCorpus, passage

from overstory.errors import BudgetExhausted
from overstory.graph import read_corpus
from overstory.knowledge import Knowledge
from overstory.llm import answer_cache
from overstory.settings import LlmSettings
from overstory.systems.hirag import HiRag
from overstory.systems.hirag.knowledge_graph import LayeredGraph
from overstory.systems.hirag.names import COMMUNITIES
from overstory.systems.hirag.store import read_graph
from overstory.systems.state import require_state
from overstory.systems.tree.reports import StoredReports, read_reports

MODEL = "reader"
DOCUMENTS = [
    passage(title.lower(), title, text)
    for title, text in {
        "Ada Lindqvist": "Ada Lindqvist built the lighthouse of Norrvik in 1868. Ada Lindqvist was born in Malmö.",
        "Norrvik": "Norrvik is a harbour town on the Baltic Sea. Erik Holm founded the shipyard of Norrvik.",
        "Erik Holm": "Erik Holm studied in Uppsala with Ada Lindqvist. Erik Holm built the ship Stella.",
        "Stella": "Stella sailed from Norrvik to Lisbon. Maria Costa commanded Stella.",
        "Maria Costa": "Maria Costa was born in Lisbon. Maria Costa wrote a diary of her voyages.",
        "Uppsala": "Uppsala has the oldest university of Sweden. Karin Berg taught in Uppsala.",
    }.items()
]
NEW = passage("gotland", "Gotland", "Gotland lies in the Baltic Sea. Stella was wrecked off Gotland.")
NAMES = (
    *("Ada Lindqvist", "Norrvik", "Malmö", "Baltic Sea", "Erik Holm", "Uppsala", "Stella", "Lisbon", "Maria Costa"),
    *("Sweden", "Karin Berg", "Gotland"),
)
THEMES = "What are the main themes of these documents?"
_ITEM = re.compile(r'<(?P<tag>[a-z]+-[0-9a-f]{6}) nr="(\d+)">\n(.*?)\n</(?P=tag)>', re.DOTALL)

Answer = Mapping[str, object]


PARTS = {
    **{"FoundEntities": "entities", "FoundRelations": "relations", "Joined": "description"},
    **{"FoundSummaries": "summaries", "WrittenReport": "reports"},
}


def part_of(request: Mapping[str, Any]) -> str:
    """What a request asks for, by the name of its schema; "" for words."""
    return PARTS.get(request.get("response_format", {}).get("json_schema", {}).get("name", ""), "")


def items(request: Mapping[str, Any], tag: str) -> dict[int, str]:
    """The texts that a request has in tags of one name, by their numbers."""
    user = request["messages"][-1]["content"]
    return {int(number): text for name, number, text in _ITEM.findall(user) if name.startswith(f"{tag}-")}


def well_read(request: Mapping[str, Any]) -> Answer:
    """What a good model would answer: names and pairs that sentences have, two summaries, findings from sources."""
    part = part_of(request)
    if part == "summaries":
        return {"summaries": summaries_of(items(request, "entity"))}
    if part == "reports":
        sources = items(request, "source")
        findings = [{"text": f"It is said: {text}", "sources": [number, 99]} for number, text in sources.items()][:3]
        return {
            "title": f"All of {len(sources)}",
            "summary": "A town and its ship.",
            "rating": 12,
            "findings": findings,
        }
    sentences = items(request, "sentences")[1].splitlines()
    said = {name: [text.partition(" ")[2] for text in sentences if name in text] for name in NAMES}
    there = [name for name in NAMES if said[name]]
    if part == "entities":
        return {"entities": [{"name": name, "type": "thing", "description": said[name][0]} for name in there]}
    pairs = [(one, other, set(said[one]) & set(said[other])) for one, other in itertools.combinations(there, 2)]
    told = [{"source": o, "target": t, "description": min(both), "strength": 7} for o, t, both in pairs if both]
    return {"relations": told}


def summaries_of(members: Mapping[int, str]) -> list[Answer]:
    """One called like the first member, and one for the others."""
    names = {number: text.partition(" (")[0] for number, text in members.items()}

    def summary(name: str, numbers: Sequence[int]) -> Answer:
        joined = [{"number": number, "why": f"{names[number]} is one", "strength": 8} for number in numbers]
        return {"name": name, "type": "location", "description": f"{name}, all in all.", "members": joined}

    numbers = sorted(members)
    return [summary(names[1], [1]), summary(f"What goes with {names[1]}", numbers[1:])]


class Answering:
    """Answers requests as it is told, and counts them.

    Attributes:
        answered: by request.
        parts: by what was asked for.
        spoils: in place of an answer this text, and how it ends, for requests of which this is true.
    """

    def __init__(self, answer: Callable[[Mapping[str, Any]], object] = well_read) -> None:
        self._answer = answer
        self.answered: Counter[str] = Counter()
        self.parts: Counter[str] = Counter()
        self.spoils: Callable[[Mapping[str, Any]], tuple[str, str] | None] = lambda _: None

    def __call__(self, handler: Handler, request: dict[str, Any]) -> None:
        with handler.endpoint.lock:
            self.answered[json.dumps(request, sort_keys=True)] += 1
            self.parts[part_of(request)] += 1
        try:
            text, finish = self.spoils(request) or (json.dumps(self._answer(request)), "stop")
        except BaseException:
            import traceback

            open("/tmp/hm_err", "w").write(traceback.format_exc() + json.dumps(request, indent=1))
            raise
        saying(text, finish=finish, usage={"prompt_tokens": 600, "completion_tokens": 100})(handler, request)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with running_chat_endpoint() as endpoint:
        yield endpoint


@contextmanager
def with_model(knowledge: Knowledge, endpoint: Endpoint, cache: Path) -> Generator[Knowledge]:
    """The corpus with this endpoint as its model, and a cache of its own."""
    llm = LlmSettings("openai", model=MODEL, base_url=endpoint.url, max_tokens=200, at_once=1, retries=0)
    places = replace(knowledge.settings.places, cache=cache)
    with Knowledge(knowledge.corpus_name, settings=replace(knowledge.settings, llm=llm, places=places)) as other:
        other.use(embedder=knowledge.embedder, extractor=knowledge.extractor)
        yield other


READINGS: LiteralString = "MATCH (r:HiragReading)-[:READ_IN]->(c) WHERE r.corpus = $label RETURN c.id AS chunk, r.found"


def readings(knowledge: Knowledge) -> dict[str, str]:
    """What was read, by chunk."""
    label = read_corpus(knowledge.graph, knowledge.corpus_name).label
    driver = knowledge.graph.native_driver()
    found, _, _ = driver.execute_query(READINGS, label=label, database_=knowledge.graph.database)
    return {chunk: text for chunk, text in found}


def stored(knowledge: Knowledge) -> tuple[LayeredGraph, StoredReports]:
    """The graph of the index, and its reports."""
    corpus = read_corpus(knowledge.graph, knowledge.corpus_name)
    state = require_state(HiRag(), corpus)
    reports = read_reports(knowledge.graph, corpus, COMMUNITIES, state.generation)
    return read_graph(knowledge.graph, corpus, state.generation).graph, reports


def tokens_in_ledger(knowledge: Knowledge) -> int:
    return next(stage.tokens for stage in knowledge.status().stages if stage.name == "hirag")


def test_a_model_writes_all_layers_and_only_what_changed_is_asked_again(
    open_corpus: OpenCorpus, endpoint: Endpoint, tmp_path: Path
) -> None:
    endpoint.then = answering = Answering()
    knowledge = open_corpus()
    with with_model(knowledge, endpoint, tmp_path) as reading:
        reading.ingest_documents(DOCUMENTS)
        estimate = reading.estimate_index("hirag", model=MODEL)
        assert not endpoint.requests
        reading.index(systems=["hirag"], model=MODEL)
        first = answering.parts.copy()
        assert estimate.requests >= first.total()
        assert estimate.usage.prompt_tokens + estimate.usage.completion_tokens >= 700 * first.total()
        assert tokens_in_ledger(reading) == 700 * first.total()
        (report,) = reading.system_reports()
        assert report.figures["requests"] == first.total()
        assert report.figures["prompt_tokens"] == 600 * first.total()
        assert (first["entities"], first["relations"]) == (len(DOCUMENTS), len(DOCUMENTS))

        graph, reports = stored(reading)
        assert {entity.by for entity in graph.entities} == {MODEL}
        base = {entity.name: entity for entity in graph.entities if entity.layer == 0}
        assert base.keys() == set(NAMES) - {"Gotland"}
        joined = [
            text
            for document in DOCUMENTS
            for text in document.text.split(". ")
            if "Baltic" in text or "built the l" in text
        ]
        assert len(base["Norrvik"].chunks) == 3
        above = [entity for entity in graph.entities if entity.layer > 0]
        assert {entity.type for entity in above} == {"location"}
        assert {link.description for link in graph.links} >= {"Norrvik is one"}
        assert len(graph.same) >= first["summaries"]
        assert {each.by for each in reports.reports.values()} == {MODEL}
        for each in reports.reports.values():
            assert each.rating == 10
            assert each.findings
            assert all(set(finding.chunks) <= set(each.stands_on) for finding in each.findings)

        assert reading.estimate_index().requests == 0
        assert "hirag" not in reading.index().done
        assert answering.parts == first

        reading.ingest_documents([NEW])
        estimate = reading.estimate_index()
        reading.index()
        second = answering.parts - first
        assert (second["entities"], second["relations"]) == (1, 1)
        assert 0 < second["reports"] <= first["reports"]
        assert set(answering.answered.values()) == {1}
        assert estimate.requests >= second.total()
        assert "gotland" in {entity.key for entity in stored(reading)[0].entities}
