"""Documents that are disabled for a time: stored and indexed as before, and left out of everything that is found.

The mark is a label, by which they are looked up, and a property, with which a document is read. `Corpus.disabled`
counts them as of its version (`corpus/commit`), so that a question learns from the corpus whether there are any.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from overstory.graph import Corpus, GraphClient, Transaction, Writer, batches

_DISABLED_DOCUMENTS_A_TRANSACTION = 5_000


def set_disabled(writer: Writer, ids: Iterable[str], *, disabled: bool) -> int:
    """Disables documents, or enables them; of how many that is a change."""
    changed = 0
    for batch in batches(ids, _DISABLED_DOCUMENTS_A_TRANSACTION):

        def work(tx: Transaction, batch: Sequence[str] = batch) -> int:
            return set_disabled_in(tx, writer.corpus, batch, disabled=disabled)

        changed += writer.commit("disable" if disabled else "enable", work)
    return changed


def set_disabled_in(tx: Transaction, corpus: Corpus, ids: Sequence[str], *, disabled: bool) -> int:
    """As `set_disabled`, in a transaction of the writer's."""
    (row,) = tx.run("corpus/disable_documents" if disabled else "corpus/enable_documents", corpus.label, ids=list(ids))
    return int(row["changed"])


def disabled_ids(graph: GraphClient, corpus: Corpus) -> list[str]:
    """The ids of the disabled documents, in no particular order."""
    if not corpus.disabled:
        return []
    (row,) = graph.run("retrieve/disabled_ids", corpus.label, read=True)
    return list(row["documents"])
