"""Overstory as a LlamaIndex retriever. Needs `pip install "overstory[llama-index]"`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from overstory.errors import ExtraMissing
from overstory.filters import Where, read_filter
from overstory.knowledge.shared_knowledge import CorpusPlace, SearchArguments, SharesKnowledge, shared_knowledge
from overstory.model import Evidence, Hit, HitStatement
from overstory.model.plain import hit_metadata, own_metadata, part_metadata
from overstory.retrieve.repeats import check_depth
from overstory.settings import DEFAULT_RETRIEVER, Settings

try:
    from llama_index.core.callbacks import CallbackManager
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeRelationship, NodeWithScore, QueryBundle, RelatedNodeInfo, TextNode
except ImportError as error:
    raise ExtraMissing("llama-index-core", extra="llama-index") from error

READ_BY_MODELS = ("source", "title", "heading", "page")
"""What a language model or an embedder of LlamaIndex reads before a passage, of what we know of it."""


class OverstoryNodeRetriever(SharesKnowledge, BaseRetriever):
    """Finds the passages of a corpus that answer a question, as LlamaIndex nodes with scores.

    Any number of threads and tasks may use one. Retrievers over the same corpus with the same settings, those of
    `overstory.langchain` too, share a connection and a model; these are opened by the first question, and closed with
    the last retriever that uses them: by `close`, at the end of a `with` block, or when Python forgets it.
    """

    def __init__(
        self,
        corpus: str | None = None,
        *,
        k: int = 5,
        retriever: str = DEFAULT_RETRIEVER,
        parts: bool = False,
        filter: Where | None = None,  # noqa: A002 # as that for LangChain
        enrich: str | HitStatement | None = None,
        uri: str | None = None,
        user: str | None = None,
        password: str | None = None,
        database: str | None = None,
        settings: Settings | None = None,
        callback_manager: CallbackManager | None = None,
        verbose: bool = False,
    ) -> None:
        """Nothing is opened before the first question.

        Args:
            corpus: its name; that of the settings if left out.
            k: how many passages, 1 to 1,000.
            retriever: the name of an Overstory retriever.
            parts: whether reports, paths, subgraphs, facts and the like become nodes of their own, after the passages.
            filter: on the metadata of documents, as `where` of `Knowledge.search`.
            enrich: Cypher of your own that is run on the passages found, as of `Knowledge.search`: what it returns
                beside `id` are metadata of theirs.
            uri, user, password, database: a Neo4j of your own; what is left out comes from the settings.
            settings: what the OVERSTORY_* environment variables say, if left out.
            callback_manager, verbose: as of LlamaIndex's retrievers.

        Raises:
            QuestionError: `k` is out of bounds.
            FilterError, StatementRefused: `filter` or `enrich` cannot be read.
            SettingsError: as `Knowledge`.
        """
        super().__init__(callback_manager=callback_manager, verbose=verbose)
        check_depth(k)
        self._corpus_place = CorpusPlace(corpus, uri, user, password, database, settings)
        self._opened = (self._corpus_place, shared_knowledge(self._corpus_place))
        self._parts = parts
        self._options = SearchArguments(
            k=k,
            retriever=retriever,
            where=None if filter is None else read_filter(filter),
            enrich=HitStatement(enrich) if isinstance(enrich, str) else enrich,
        )

    def _place(self) -> CorpusPlace:
        return self._corpus_place

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        knowledge = self.knowledge  # ours until the end, even if another thread closes the retriever
        return _nodes(knowledge.search(query_bundle.query_str, **self._options), parts=self._parts)

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        knowledge = self.knowledge
        return _nodes(await knowledge.asearch(query_bundle.query_str, **self._options), parts=self._parts)


def _nodes(evidence: Evidence, *, parts: bool) -> list[NodeWithScore]:
    found = [NodeWithScore(node=_node(hit, evidence), score=hit.score) for hit in evidence.hits]
    for part in evidence.other_parts if parts else ():
        metadata = part_metadata(part, evidence)
        node = TextNode(text=part.text, metadata=metadata, **_unread(metadata))
        found.append(NodeWithScore(node=node, score=part.score))
    return found


def _node(hit: Hit, evidence: Evidence) -> TextNode:
    ours = own_metadata(hit, evidence).keys() - hit.extra.keys()
    return TextNode(
        id_=hit.chunk_id,
        text=hit.text,
        metadata=hit_metadata(hit, evidence),
        start_char_idx=hit.start,
        end_char_idx=hit.end,
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=hit.document_id)},
        **_unread(ours),
    )


def _unread(ours: Iterable[str]) -> dict[str, Any]:
    """What of our metadata nobody but a person reads: scores and reasons would be noise to a model."""
    names = sorted(set(ours) - set(READ_BY_MODELS))
    return {"excluded_llm_metadata_keys": names, "excluded_embed_metadata_keys": names}
