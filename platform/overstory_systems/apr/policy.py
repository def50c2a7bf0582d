"""A policy that chooses for each question what is taken of each channel, its training, and the selection itself. Pure
functions.

Source: AutoPrunedRetriever, Section 2.8. The features are ours.
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
_MOST_STANDARD_DEVIATIONS = 3.0  # of a feature: what is farther off counts as this far
WEIGHTS = "policy.json"
"""The trained policy, beside this module."""


class Actions(NamedTuple):
    """What is taken of each channel."""

    answers: ChannelAction
    facts: ChannelAction
    questions: ChannelAction


ACTIONS: tuple[Actions, ...] = tuple(itertools.starmap(Actions, itertools.product(CHOICES, repeat=len(CHANNELS))))
"""All 27."""


@dataclass(frozen=True, slots=True)
class Features:
    """What the policy knows of a question.

    Attributes:
        triples: log(1 + number) of the question's triples.
        words: log(1 + number) of the words in them.
        runs: log(1 + number) of the runs of facts that were found.
        best: score of the best one.
        margin: by how much it is better than the second.
        fall: by how much it is better than the last.
        entropy: of the runs' softmax, as a share of what equal scores have: how ambiguous the question is.
        repeated: share of the runs that say what one before them says.
        answers: log(1 + number) of the remembered answers.
        similarity: of the nearest remembered question that has an answer; 0 without any.
        cited: share of the facts found that remembered answers cite.
        related: log(1 + number) of the related questions.
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
        """float64[features]."""
        return np.array([getattr(self, each.name) for each in fields(self)], dtype=np.float64)


def features_of(
    question: Sequence[Triple],
    runs: Sequence[ScoredRun],
    recalled: Sequence[RecalledAnswer],
    related: Sequence[RelatedQuestion],
) -> Features:
    """The features of a question, from what `prompt.build` is given."""
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
    """Of the softmax of scores, as a share of the greatest; 0 for a single one."""
    if len(scores) < 2:
        return 0.0
    weights = np.exp(scores - scores.max())
    shares = weights / weights.sum()
    return float(-(shares * np.log(shares)).sum() / math.log(len(scores)))


@dataclass(frozen=True, slots=True)
class Policy:
    """A softmax over the actions of each channel, linear in the features; the channels are independent.

    Attributes:
        means, scales: float64[features], of the questions it was trained on.
        weights: float64[channels, actions, 1 + features], the first for a constant feature.
    """

    means: Floats
    scales: Floats
    weights: Floats

    def inputs(self, rows: Floats) -> Floats:
        """float64[n, features] -> float64[n, 1 + features]: a constant, and the features in standard units, of which a
        question unlike all others has at most `_MOST_STANDARD_DEVIATIONS`."""
        units = np.clip((rows - self.means) / self.scales, -_MOST_STANDARD_DEVIATIONS, _MOST_STANDARD_DEVIATIONS)
        return np.column_stack([np.ones(len(rows)), units])

    def logits(self, rows: Floats) -> Floats:
        """float64[n, features] -> float64[n, 27], log-odds of `ACTIONS`, up to a constant for each row."""
        of_channels = np.einsum("nf,caf->nca", self.inputs(rows), self.weights)
        found: Floats = of_channels[:, np.arange(len(CHANNELS)), CHOICE_OF].sum(axis=2)
        return found

    def choose(self, features: Features) -> Actions:
        """The most probable action of each channel; of equally probable ones that with more in the prompt."""
        return ACTIONS[int(self.logits(features.row[None])[0].argmax())]

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Policy:
        """Read a policy from the values of its JSON file."""
        if values["features"] != _names():
            raise ValueError(f"the policy was trained with {values['features']}, not with {_names()}")
        weights = [[values["weights"][channel][choice] for choice in CHOICES] for channel in CHANNELS]
        return cls(np.array(values["means"]), np.array(values["scales"]), np.array(weights))


CHOICE_OF: npt.NDArray[np.intp] = np.array([[CHOICES.index(choice) for choice in each] for each in ACTIONS])
"""Shape (27, channels): the place among `CHOICES` of what each of `ACTIONS` takes of each channel."""


def _names() -> list[str]:
    return [each.name for each in fields(Features)]


@functools.cache
def trained() -> Policy:
    """The policy that comes with this package."""
    return Policy.from_json(json.loads(files("overstory_systems.apr").joinpath(WEIGHTS).read_text(encoding="utf-8")))


def chosen(settings: AprRetrieverSettings, features: Features, policy: Policy) -> AprRetrieverSettings:
    """The settings with the actions that a policy chooses."""
    return replace(settings, **policy.choose(features)._asdict())


# Which of several paths are taken: all, one of each group that says the same, or none. Pure functions.
#
# Source: AutoPrunedRetriever, Section 2.5 and Lemma 8.

_SAME_PATH_COSINE = 0.93
"""Cosine from which paths say the same, that of their edges and that of the whole paths."""

_NUMBER = re.compile(r"\d+")

T = TypeVar("T")


class Path(NamedTuple):
    """What a run, an answer or a question says.

    Attributes:
        vectors: float32[edges, d], a unit vector for each edge; without rows where there are none.
    """

    edges: Sequence[CodebookEdge]
    vectors: Vectors


def select(items: Sequence[T], paths: Sequence[Path], action: ChannelAction) -> list[T]:
    """The items that an action takes, in their order. O(n² · edges²) for items that all say the same, O(n²) else.

    Args:
        items: n of them, the best first.
        paths: of each item.
    """
    if action == "none":
        return []
    if action == "all":
        return list(items)
    return [items[consensus([paths[place] for place in group], group)] for group in groups(paths)]


def groups(paths: Sequence[Path]) -> list[list[int]]:
    """The places of paths that say the same, all of a group to each other; groups in the order of their first."""
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
    """The place of the path whose mean cosine with the others is greatest, of equal ones the first (Lemma 8)."""
    wholes = _wholes(paths).astype(np.float64)
    return places[int(np.round(wholes @ wholes.sum(axis=0), 6).argmax())]


def _same(first: Path, second: Path, cosine: float) -> bool:
    """Whether two paths have the same edges, or are as near as `_SAME_PATH_COSINE` as wholes and edge by edge and have
    the same numbers: years and counts have nearly the same vectors.

    Args:
        cosine: of the wholes.
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
    """The mean over edges of the cosine with the nearest edge of the other path, in the direction where it is lower."""
    cosines = first @ second.T
    return float(min(cosines.max(axis=1).mean(), cosines.max(axis=0).mean()))


def _wholes(paths: Sequence[Path]) -> Vectors:
    """float32[n, d], unit vectors of whole paths, that is of the sums of their edges; zeros for those without."""
    dimension = max((path.vectors.shape[1] for path in paths), default=0)
    sums = np.zeros((len(paths), dimension), dtype=np.float32)
    for row, path in enumerate(paths):
        if len(path.vectors):
            sums[row] = path.vectors.sum(axis=0)
    return of_unit_length(sums)
