"""Access to Neo4j. Only this package sends Cypher statements to the server."""

from overstory.graph.client import GraphClient, Transaction, batches, batches_by_size, close_forgotten
from overstory.graph.corpora import Corpus, CorpusSize, create_corpus, list_corpora, read_corpus
from overstory.graph.lease import Writer, writing

__all__ = [
    "Corpus",
    "CorpusSize",
    "GraphClient",
    "Transaction",
    "Writer",
    "batches",
    "batches_by_size",
    "close_forgotten",
    "create_corpus",
    "list_corpora",
    "read_corpus",
    "writing",
]
