"""Settings of AutoPrunedRetriever's index and of its retriever."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from overstory.systems.settings import Preset, Presets, option

ChannelAction = Literal["all", "unique", "none"]
"""What is taken of a channel: all that was found, one of each group that says the same, or nothing."""

Recall = Literal["asking", "always", "never"]
"""When remembered answers are read: by `ask` alone, by `search` and `bench` too, or not at all."""

RecallBy = Literal["meaning", "symbols"]
"""How what is remembered is found: by cosines of whole questions; or, as published, by the symbols of questions and
answers, coarse then fine, when runs of facts, answers and questions compete for the room of `runs`."""

Lines = Literal["all", "triples"]
"""What of a question is compared with facts: its triples, its names and the whole of it; or its triples alone, and the
others only where it has none."""

Encoding = Literal["auto", "words", "ids", "matrix"]
"""How triples stand in a prompt; "auto" takes the form with the fewest tokens."""


@dataclass(frozen=True, slots=True)
class AprRetrieverSettings:
    """Source: AutoPrunedRetriever, Sections 2.4–2.6; the numbers are ours (docs/research/apr.md)."""

    answers: ChannelAction = option("unique", "of remembered answers")
    facts: ChannelAction = option("unique", "of facts")
    questions: ChannelAction = option("none", "of remembered questions that are related")
    recall: Recall = option("asking", "when remembered answers are read: by ask alone, always, never")
    recall_by: RecallBy = option("meaning", "how these are found: by whole questions; or by symbols, with facts")
    policy: bool = option(False, "a trained policy chooses what is taken of each channel")
    encoding: Encoding = option("auto", "of triples in prompts")
    texts: bool = option(False, "a language model reads passages beside the facts")
    runs: int = option(16, "runs of facts in the prompt", least=1, most=200)
    lines: Lines = option("all", "of the question that are compared with facts")
    passage: float = option(2.0, "weight of a passage's own cosine; 0: facts alone rank passages", least=0.0, most=10.0)
    path: float = option(0.5, "weight of a name that leads on from a passage that was found", least=0.0, most=10.0)

    presets: ClassVar[Presets] = {
        "all": Preset("everything of each channel", {"answers": "all", "facts": "all", "questions": "all"}),
        "unique": Preset(
            "one of each group that says the same", {"answers": "unique", "facts": "unique", "questions": "unique"}
        ),
        "memory": Preset("remembered answers are read by search and bench, too", {"recall": "always"}),
        "no-memory": Preset("remembered answers are never read", {"recall": "never"}),
        "paper": Preset(
            "as published: facts alone rank, and what is remembered is found by its symbols and competes with them",
            {"lines": "triples", "passage": 0.0, "path": 0.0, "recall_by": "symbols", "questions": "unique"},
        ),
        "words": Preset("triples in words", {"encoding": "words"}),
        "ids": Preset("triples of numbers, and a list of words", {"encoding": "ids"}),
        "matrix": Preset("numbers of edges, a matrix of triples, and a list of words", {"encoding": "matrix"}),
    }


TripleSource = Literal["auto", "rules", "loaded"]
"""Where triples are from. "auto" takes those that were loaded with a chunk, else those that rules find in it."""


@dataclass(frozen=True, slots=True)
class AprIndexSettings:
    """Source: AutoPrunedRetriever, Sections 2.2, 2.3 and 2.7; the numbers are ours (docs/research/apr.md)."""

    triples: TripleSource = option("auto", "loaded OpenIE triples, those of rules, or the first where there are any")
    cohesion: float = option(0.7, "τ: how well a triple must fit into the run before it", least=0.0, most=1.0)
    merge: bool = option(True, "names that mean the same are one symbol; without it what was merged is undone")
    same: float = option(0.93, "cosine from which names may be merged", least=0.5, most=1.0)
    budget: int = option(200_000, "symbols above which names are merged by k-means, too", least=1_000, most=100_000_000)
