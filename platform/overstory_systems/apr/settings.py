"""Settings of AutoPrunedRetriever's index and retriever."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from overstory.systems.settings import Preset, Presets, option

ChannelAction = Literal["all", "unique", "none"]
"""How much of a channel is used: every item found, one item per group of equivalent items, or nothing."""

Recall = Literal["asking", "always", "never"]
"""When remembered answers are used: only by `ask`, always (also by `search` and `bench`), or never."""

RecallBy = Literal["meaning", "symbols"]
"""How remembered answers and questions are found: by the cosine of whole questions, or by symbols.

"symbols" is the published method: a coarse search, then a fine one. Sequences of facts, answers and questions then
compete for the `runs` places in the prompt.
"""

Lines = Literal["all", "triples"]
"""The parts of the question that are compared with facts: triples, names and the whole question, or triples only.

If the question contains no triples, its names and the whole question are always compared.
"""

Encoding = Literal["auto", "words", "ids", "matrix"]
"""Form in which prompts contain triples. "auto" chooses the form with the fewest tokens."""


@dataclass(frozen=True, slots=True)
class AprRetrieverSettings:
    """Settings of the retriever. The default numbers are ours (docs/research/apr.md).

    Source: AutoPrunedRetriever paper, Sections 2.4–2.6.
    """

    answers: ChannelAction = option("unique", "which remembered answers are used")
    facts: ChannelAction = option("unique", "which facts are used")
    questions: ChannelAction = option("none", "which related remembered questions are used")
    recall: Recall = option("asking", "when remembered answers are used: only by ask, always, or never")
    recall_by: RecallBy = option("meaning", "how remembered answers are found: by whole questions, or by symbols")
    policy: bool = option(False, "a trained policy chooses which answers, facts and questions are used")
    encoding: Encoding = option("auto", "form of the triples in prompts")
    texts: bool = option(False, "a language model also reads passages")
    runs: int = option(16, "runs of facts in the prompt", least=1, most=200)
    lines: Lines = option("all", "parts of the question that are compared with facts")
    passage: float = option(2.0, "weight of a passage's own cosine; 0: facts alone rank passages", least=0.0, most=10.0)
    path: float = option(0.5, "weight of a name that leads from a found passage to another", least=0.0, most=10.0)

    presets: ClassVar[Presets] = {
        "all": Preset("use everything found", {"answers": "all", "facts": "all", "questions": "all"}),
        "unique": Preset(
            "use one of each group of equivalents", {"answers": "unique", "facts": "unique", "questions": "unique"}
        ),
        "memory": Preset("search and bench use remembered answers, too", {"recall": "always"}),
        "no-memory": Preset("remembered answers are never used", {"recall": "never"}),
        "paper": Preset(
            "as published: facts alone rank passages; remembered items are found by symbols and compete with facts",
            {"lines": "triples", "passage": 0.0, "path": 0.0, "recall_by": "symbols", "questions": "unique"},
        ),
        "words": Preset("triples in words", {"encoding": "words"}),
        "ids": Preset("triples of numbers, with a list of words", {"encoding": "ids"}),
        "matrix": Preset("edge numbers, with a matrix of triples and a list of words", {"encoding": "matrix"}),
    }


TripleSource = Literal["auto", "rules", "loaded"]
"""Source of triples. "auto" uses the triples loaded with a chunk; if there are none, it uses those found by rules."""


@dataclass(frozen=True, slots=True)
class AprIndexSettings:
    """Settings of the index. The default numbers are ours (docs/research/apr.md).

    Source: AutoPrunedRetriever paper, Sections 2.2, 2.3 and 2.7.
    """

    triples: TripleSource = option("auto", "source of triples: loaded OpenIE triples, rules, or loaded ones if any")
    cohesion: float = option(0.7, "τ: how well a triple must fit the run before it", least=0.0, most=1.0)
    merge: bool = option(True, "merge names that mean the same; off undoes earlier merges")
    same: float = option(0.93, "least cosine of names that may be merged", least=0.5, most=1.0)
    budget: int = option(200_000, "symbols above which k-means merges names, too", least=1_000, most=100_000_000)
