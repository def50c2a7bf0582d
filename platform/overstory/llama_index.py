"""Overstory as a LlamaIndex retriever. Requires `pip install "overstory[llama-index]"`."""

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
"""Metadata that LlamaIndex shows to language models and embedders along with a passage."""


class OverstoryNodeRetriever(SharesKnowledge, BaseRetriever):
    """Retrieves the passages of a corpus for a question as LlamaIndex nodes with scores.

    Safe to use from several threads and tasks. Retrievers on the same corpus with the same settings, including those of
    `overstory.langchain`, share a connection and a model. These are opened by the first question, and closed when the
    last retriever is closed by `close`, by the end of a `with` block, or by garbage collection.
    """

    def __init__(
        self,
        corpus: str | None = None,
        *,
        k: int = 5,
        retriever: str = DEFAULT_RETRIEVER,
        parts: bool = False,
        filter: Where | None = None,  # noqa: A002 # the same name as for LangChain
        enrich: str | HitStatement | None = None,
        uri: str | None = None,
        user: str | None = None,
        password: str | None = None,
        database: str | None = None,
        settings: Settings | None = None,
        callback_manager: CallbackManager | None = None,
        verbose: bool = False,
    ) -> None:
        """Create a retriever. The connection is opened by the first question.

        Args:
            corpus: name of the corpus; by default the corpus of the settings.
            k: number of passages, 1 to 1,000.
            retriever: name of an Overstory retriever.
            parts: True to append reports, paths, subgraphs, facts and so on as nodes of their own.
            filter: metadata filter, as `where` of `Knowledge.search`.
            enrich: Cypher statement of your own, as for `Knowledge.search`; its columns other than `id` become
                metadata.
            uri, user, password, database: your own Neo4j; omitted values come from the settings.
            settings: settings; by default read from the OVERSTORY_* environment variables.
            callback_manager, verbose: as for other LlamaIndex retrievers.

        Raises:
            QuestionError: `k` is out of range.
            FilterError, StatementRefused: `filter` or `enrich` is invalid.
            SettingsError: as for `Knowledge`.
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
        knowledge = self.knowledge  # stays open during the search, even if another thread closes the retriever
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
    """Exclude metadata such as scores and reasons from the text for models, where it would be noise."""
    names = sorted(set(ours) - set(READ_BY_MODELS))
    return {"excluded_llm_metadata_keys": names, "excluded_embed_metadata_keys": names}
