"""The trained policy that chooses how much of each channel a prompt uses, and the selection itself.

All functions are pure. The features are ours.

Source: AutoPrunedRetriever paper, Section 2.8.
"""

from __future__ import annotations

import functools
import itertools
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from importlib.resources import files
from typing import Any, NamedTuple, TypeVar, get_args

import numpy as np
import numpy.typing as npt

from overstory.protocols import Vectors
from overstory.vectors.packed import of_unit_length
from overstory_systems.apr.codebook import CodebookEdge, RecalledAnswer, RelatedQuestion, ScoredRun, Triple
from overstory_systems.apr.settings import AprRetrieverSettings, ChannelAction

Floats = npt.NDArray[np.float64]

CHOICES: tuple[ChannelAction, ...] = get_args(ChannelAction)
CHANNELS = ("answers", "facts", "questions")
_MOST_STANDARD_DEVIATIONS = 3.0  # features are clipped to this distance from the mean
WEIGHTS = "policy.json"
"""Name of the file that contains the trained policy, next to this module."""


class Actions(NamedTuple):
    answers: ChannelAction
    facts: ChannelAction
    questions: ChannelAction


ACTIONS: tuple[Actions, ...] = tuple(itertools.starmap(Actions, itertools.product(CHOICES, repeat=len(CHANNELS))))
"""All 27 combinations of actions."""


@dataclass(frozen=True, slots=True)
class Features:
    """The features of a question that the policy reads.

    Attributes:
        triples: log(1 + number of triples of the question).
        words: log(1 + number of words in these triples).
        runs: log(1 + number of runs found).
        best: Score of the best run.
        margin: Score of the best run minus the score of the second.
        fall: Score of the best run minus the score of the last.
        entropy: Entropy of the softmax of the runs' scores, relative to its maximum; high for ambiguous questions.
        repeated: Fraction of runs that are equivalent to an earlier run.
        answers: log(1 + number of remembered answers).
        similarity: Cosine of the most similar remembered question that has an answer, 0 if there is no such question.
        cited: Fraction of the facts found that remembered answers cite.
        related: log(1 + number of related questions).
    """

    triples: float
    words: float
    runs: float
    best: float
    margin: float
    fall: float
    entropy: float
    repeated: float
    answers: float
    similarity: float
    cited: float
    related: float

    @property
    def row(self) -> Floats:
        return np.array([getattr(self, each.name) for each in fields(self)], dtype=np.float64)


def features_of(
    question: Sequence[Triple],
    runs: Sequence[ScoredRun],
    recalled: Sequence[RecalledAnswer],
    related: Sequence[RelatedQuestion],
) -> Features:
    """Compute the features of a question from arguments of `prompt.build`."""
    scores = np.array([each.score for each in runs] or [0.0])
    same = groups([Path(each.run.edges, each.vectors) for each in runs])
    found = [edge.canonical for each in runs for edge in each.run.edges]
    cited = {edge.canonical for each in recalled for edge in each.edges}
    return Features(
        triples=math.log1p(len(question)),
        words=math.log1p(sum(len(each.line.split()) for each in question)),
        runs=math.log1p(len(runs)),
        best=float(scores[0]),
        margin=float(scores[0] - scores[1]) if len(scores) > 1 else 0.0,
        fall=float(scores[0] - scores[-1]),
        entropy=_entropy(scores),
        repeated=1.0 - len(same) / max(len(runs), 1) if runs else 0.0,
        answers=math.log1p(len(recalled)),
        similarity=max((each.similarity for each in recalled), default=0.0),
        cited=sum(each in cited for each in found) / max(len(found), 1),
        related=math.log1p(len(related)),
    )


def _entropy(scores: Floats) -> float:
    """Return the entropy of the softmax of scores, divided by its maximum. Returns 0 for a single score."""
    if len(scores) < 2:
        return 0.0
    weights = np.exp(scores - scores.max())
    shares = weights / weights.sum()
    return float(-(shares * np.log(shares)).sum() / math.log(len(scores)))


@dataclass(frozen=True, slots=True)
class Policy:
    """One linear softmax classifier per channel, which maps features to actions.

    Attributes:
        means, scales: float64[features], the mean and standard deviation of each feature over the training questions.
        weights: float64[channels, actions, 1 + features]. The first weight is the bias.
    """

    means: Floats
    scales: Floats
    weights: Floats

    def inputs(self, rows: Floats) -> Floats:
        """Standardize and clip features (float64[n, features]), and prepend a column of ones.

        Clipping limits the effect of questions that differ strongly from the training questions.
        """
        units = np.clip((rows - self.means) / self.scales, -_MOST_STANDARD_DEVIATIONS, _MOST_STANDARD_DEVIATIONS)
        return np.column_stack([np.ones(len(rows)), units])

    def logits(self, rows: Floats) -> Floats:
        """Return the logits of all `ACTIONS` as float64[n, 27], given `rows` as float64[n, features]."""
        of_channels = np.einsum("nf,caf->nca", self.inputs(rows), self.weights)
        found: Floats = of_channels[:, np.arange(len(CHANNELS)), CHOICE_OF].sum(axis=2)
        return found

    def choose(self, features: Features) -> Actions:
        """Return the most probable actions. On a tie, the actions that put more into the prompt are chosen."""
        return ACTIONS[int(self.logits(features.row[None])[0].argmax())]

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Policy:
        """Create a policy from the parsed content of its JSON file."""
        if values["features"] != _names():
            raise ValueError(f"the policy was trained with {values['features']}, not with {_names()}")
        weights = [[values["weights"][channel][choice] for choice in CHOICES] for channel in CHANNELS]
        return cls(np.array(values["means"]), np.array(values["scales"]), np.array(weights))


CHOICE_OF: npt.NDArray[np.intp] = np.array([[CHOICES.index(choice) for choice in each] for each in ACTIONS])
"""Shape (27, channels): for each of `ACTIONS` and each channel, the index of the action in `CHOICES`."""


def _names() -> list[str]:
    return [each.name for each in fields(Features)]


@functools.cache
def trained() -> Policy:
    """Load the policy that is shipped with this package."""
    return Policy.from_json(json.loads(files("overstory_systems.apr").joinpath(WEIGHTS).read_text(encoding="utf-8")))


def chosen(settings: AprRetrieverSettings, features: Features, policy: Policy) -> AprRetrieverSettings:
    return replace(settings, **policy.choose(features)._asdict())


# Selection of paths: all paths, one of each group of equivalent paths, or none. Pure functions.
#
# Source: AutoPrunedRetriever paper, Section 2.5 and Lemma 8.

_SAME_PATH_COSINE = 0.93
"""Minimum cosine of equivalent paths, both of their sums and edge by edge."""

_NUMBER = re.compile(r"\d+")

T = TypeVar("T")


class Path(NamedTuple):
    """The edges of a run, answer or question, with one unit vector per edge if the vectors were read."""

    edges: Sequence[CodebookEdge]
    vectors: Vectors


def select(items: Sequence[T], paths: Sequence[Path], action: ChannelAction) -> list[T]:
    """Return the items that an action selects, in their order.

    Takes O(n²) time if no items are equivalent, and up to O(n² · edges²) if all are.

    Args:
        items: n items, the best first.
        paths: The path of each item.
    """
    if action == "none":
        return []
    if action == "all":
        return list(items)
    return [items[consensus([paths[place] for place in group], group)] for group in groups(paths)]


def groups(paths: Sequence[Path]) -> list[list[int]]:
    """Group the positions of equivalent paths. Any two paths in a group are equivalent.

    Groups are ordered by their first path.
    """
    wholes = _wholes(paths)
    cosines = wholes @ wholes.T
    found: list[list[int]] = []
    for place, path in enumerate(paths):
        for group in found:
            if all(_same(path, paths[other], float(cosines[place, other])) for other in group):
                group.append(place)
                break
        else:
            found.append([place])
    return found


def consensus(paths: Sequence[Path], places: Sequence[int]) -> int:
    """Return the position of the path with the highest mean cosine to the others, the first on a tie (Lemma 8)."""
    wholes = _wholes(paths).astype(np.float64)
    return places[int(np.round(wholes @ wholes.sum(axis=0), 6).argmax())]


def _same(first: Path, second: Path, cosine: float) -> bool:
    """Return True if two paths are equivalent. `cosine` is the cosine between the sums of their edges.

    Paths are equivalent if they consist of the same edges. They are also equivalent if they contain the same numbers
    and reach `_SAME_PATH_COSINE` in sum and edge by edge. Numbers must be compared, because years and counts have
    almost equal vectors.
    """
    facts = {edge.canonical for edge in first.edges}
    if facts and facts == {edge.canonical for edge in second.edges}:
        return True
    if cosine < _SAME_PATH_COSINE or edge_cosine(first.vectors, second.vectors) < _SAME_PATH_COSINE:
        return False
    return _numbers(first) == _numbers(second)


def _numbers(path: Path) -> set[str]:
    return {
        number
        for edge in path.edges
        for words in (edge.head, edge.relation, edge.tail)
        for number in _NUMBER.findall(words)
    }


def edge_cosine(first: Vectors, second: Vectors) -> float:
    """Average each edge's highest cosine with the other path. Returns the lower of the two directions."""
    cosines = first @ second.T
    return float(min(cosines.max(axis=1).mean(), cosines.max(axis=0).mean()))


def _wholes(paths: Sequence[Path]) -> Vectors:
    """Return the normalised sum of each path's edges, float32[n, d]. It is zero for a path without vectors."""
    dimension = max((path.vectors.shape[1] for path in paths), default=0)
    sums = np.zeros((len(paths), dimension), dtype=np.float32)
    for row, path in enumerate(paths):
        if len(path.vectors):
            sums[row] = path.vectors.sum(axis=0)
    return of_unit_length(sums)
