"""A system's additions to Neo4j Browser: a chapter of queries, values for their parameters, labels and colours."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Contribution:
    """Of one system.

    Attributes:
        name: of the system; its queries are called NAME_….
        title: of its chapter.
        queries: names of statements, in the order of reading.
        labels: the kinds of its nodes, which carry the label of their corpus with each of these, too.
        marks: what these may carry besides ("Corpus_…_MARK").
        slotted: those of `labels` that also carry the slot of their generation ("Corpus_…_KIND_A").
        examples: a statement that gives values of parameters (`queries.PARAMETERS`), and takes those that were found
            before; "" if there is none.
        style: GraSS rules for those kinds and relationships that have a look of their own.
    """

    name: str
    title: str
    queries: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    slotted: tuple[str, ...] = ()
    examples: str = ""
    style: str = ""
