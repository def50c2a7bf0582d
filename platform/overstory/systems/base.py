"""What the systems share: how an index of one is built, counted, described and removed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from overstory.graph import Corpus, GraphClient, Writer
from overstory.llm import Chat, Estimate
from overstory.protocols import Embedder, Progress
from overstory.settings import ExtractionSettings
from overstory.text.parsing.parsed_texts import ParsedTexts
from overstory.text.parsing.readings import Reading


@dataclass(frozen=True, slots=True)
class BuildContext:
    """What an index is built with.

    Attributes:
        chat: opens the language model of a name.
        parsed: texts that this run has parsed, with the values of `System.readings`.
    """

    embedder: Embedder
    extraction: ExtractionSettings
    chat: Callable[[str], Chat]
    progress: Progress
    parsed: ParsedTexts | None = None


@dataclass(frozen=True, slots=True)
class SystemReport:
    """What the index of a system holds in a corpus.

    Attributes:
        pending: documents that are not in it yet.
        how: how it was built, in a few words.
        figures: what it holds and took, by names that say what they are.
    """

    name: str
    pending: int
    how: str
    figures: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Built:
    """What a build did: whether there was anything to do, and what its user should know of it."""

    something: bool
    notes: tuple[str, ...] = ()


class System(Protocol):
    """A system's index. What it keeps of a corpus is in `Corpus.systems` under its name; without it there is none."""

    name: str

    def readings(self, corpus: Corpus, *, option: str | None, model: str | None) -> Sequence[Reading[Any]]:
        """What `build` takes out of parsed chunks. The extract stage adds it to `BuildContext.parsed` from its parse.

        Raises:
            SettingsError: there is no such option.
        """
        ...

    def build(self, writer: Writer, context: BuildContext, *, option: str | None, model: str | None) -> Built:
        """Brings the index up to date.

        Args:
            option: one of the system's own; None keeps what the corpus has.
            model: the language model to read with, "none" for none; None keeps what the corpus has.

        Raises:
            SettingsError: there is no such option.
            LlmError, BudgetExhausted, ModelError, LeaseLost, DatabaseError: what was committed before stays, and the
                same call goes on from there.
        """
        ...

    def estimate(
        self, graph: GraphClient, corpus: Corpus, context: BuildContext, *, option: str | None, model: str | None
    ) -> Estimate:
        """What `build` would ask of a language model, at most. Nothing is sent or written."""
        ...

    def option_for(self, retriever_option: str) -> str | None:
        """The option of the index that a retriever with this option needs; None where any index serves it."""
        ...

    def report(self, graph: GraphClient, corpus: Corpus) -> SystemReport: ...

    def pending(self, graph: GraphClient, corpus: Corpus) -> int:
        """How many documents are not in the index yet; quick."""
        ...

    def remove(self, writer: Writer) -> None:
        """Removes the index; nothing else changes."""
        ...
