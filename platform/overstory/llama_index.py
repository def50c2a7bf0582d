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
"""Metadata keys that LlamaIndex shows, together with the passage, to language models and embedders."""


class OverstoryNodeRetriever(SharesKnowledge, BaseRetriever):
    """A LlamaIndex retriever that finds passages of a corpus for a question and returns them as nodes with scores.

    Several threads and tasks may use a retriever at the same time. Retrievers on the same corpus with the same
    settings, including retrievers of `overstory.langchain`, share a connection and a model. The first question opens
    them. They are closed when the last of these retrievers is closed: by `close`, at the end of a `with` block, or by
    garbage collection.
    """

    def __init__(
        self,
        corpus: str | None = None,
        *,
        k: int = 5,
        retriever: str = DEFAULT_RETRIEVER,
        parts: bool = False,
        filter: Where | None = None,  # noqa: A002 # the argument has the same name as for LangChain
        enrich: str | HitStatement | None = None,
        uri: str | None = None,
        user: str | None = None,
        password: str | None = None,
        database: str | None = None,
        settings: Settings | None = None,
        callback_manager: CallbackManager | None = None,
        verbose: bool = False,
    ) -> None:
        """Create a retriever. The first question opens the connection.

        Args:
            corpus: name of the corpus; by default, the corpus in the settings.
            k: number of passages to return, from 1 to 1,000.
            parts: True to also return reports, subgraphs, relations and other parts, as separate nodes after the
                passages.
            filter: metadata filter, like the argument `where` of `Knowledge.search`.
            enrich: your own Cypher statement, as for `Knowledge.search`. Its columns, except `id`, become metadata.
            uri: address of your own Neo4j server; by default, the address in the settings.
            user: user of this server; by default, the user in the settings.
            password: password of this user; by default, the password in the settings.
            database: database on this server; by default, the database in the settings.
            settings: settings; by default, they are read from the OVERSTORY_* environment variables.

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
        knowledge = self.knowledge  # this reference keeps it open if another thread closes the retriever
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
    """Return arguments that hide metadata, such as scores and reasons, from language models and embedders.

    Args:
        ours: metadata keys that Overstory adds. Those in `READ_BY_MODELS` are not hidden.
    """
    names = sorted(set(ours) - set(READ_BY_MODELS))
    return {"excluded_llm_metadata_keys": names, "excluded_embed_metadata_keys": names}
