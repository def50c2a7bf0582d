"""A corpus as `Knowledge.over` asks it beside others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from overstory.answer import Context, Extract
from overstory.filters import Expression
from overstory.knowledge.connection import CorpusConnection
from overstory.model import Evidence
from overstory.retrieve.joined import AskedCorpus
from overstory.retrieve.repeats import Group, Repeats
from overstory.systems.settings import SettingsClass


@dataclass(frozen=True, slots=True)
class CorpusPart:
    """What is asked of a corpus. A filter that is fixed for it holds for all of it.

    Attributes:
        is_restricted: whether there is such a filter.
        member: makes it ready for questions, by a title, a retriever and a filter.
        repeats: as `read_repeats`, with a filter.
        on_all: the evidence for a question on all documents; None for others.
        with_edges: the evidence with the edges of a graph that its question asks for.
        nearest_names: as `retrieve.nearest_names`, with a filter.
        extract: an answer without a language model, from the least confidence on.
    """

    connection: CorpusConnection
    is_restricted: bool
    member: Callable[[str, str | SettingsClass, Expression | None], AskedCorpus]
    repeats: Callable[[Sequence[Group], Expression | None], Repeats]
    on_all: Callable[[str, int, str | SettingsClass], Evidence | None]
    with_edges: Callable[[Evidence], Evidence]
    nearest_names: Callable[[Sequence[str], Expression | None], dict[str, tuple[str, ...]]]
    extract: Callable[[str, Context, float], Extract]

    @property
    def place(self) -> str:
        """Of its database, for people."""
        return self.connection.settings.database.uri or "the embedded server"
