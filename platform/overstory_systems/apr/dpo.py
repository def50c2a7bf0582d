"""Training of the policy by direct preference optimisation (DPO).

Source: AutoPrunedRetriever, Section 2.8 and Lemmas 12 and 13; Rafailov et al. 2023, Eq. 7. The channels of the policy
are softmaxes, whose normalisers cancel in a difference of log-probabilities: the loss is a convex one, a logistic
regression of preferences on differences of actions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from overstory_systems.apr.policy import CHANNELS, CHOICE_OF, CHOICES, Actions, Floats, Policy
from overstory_systems.apr.retriever_settings import AprRetrieverSettings

_DPO_TEMPERATURE = 0.1
"""β of DPO: the smaller, the farther the policy may go from the reference."""
_DEFAULT_SHARE = 0.8
"""Probability of a channel's default action under the reference; the others have equal shares of the rest."""
_RIDGE_WEIGHT = 1e-4
"""Weight of the squared distance from the reference."""
_DPO_STEPS = 300  # steps of gradient descent
_CONSTANT_FEATURE_SHARE = 1e-6
"""A feature that varies by a smaller share of its greatest value is the same for all questions."""
_TIED_UTILITY_DIFFERENCE = 1e-9
"""Utilities that differ by less are equal, and are no preference."""


@dataclass(frozen=True, slots=True)
class UtilityWeights:
    """The weights of the utility: α, δ, β and γ of Section 2.8.

    Attributes:
        accuracy, faithfulness: of measures from 0 to 1.
        tokens: of a thousand tokens of the prompt.
        seconds: of a second.
    """

    accuracy: float = 1.0
    faithfulness: float = 0.0
    tokens: float = 0.1
    seconds: float = 0.1


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What each of the 27 actions gave for each of n questions: float64[n, 27] each."""

    accuracy: Floats
    faithfulness: Floats
    tokens: Floats
    seconds: Floats

    def utility(self, prices: UtilityWeights) -> Floats:
        """float64[n, 27]."""
        gained = prices.accuracy * self.accuracy + prices.faithfulness * self.faithfulness
        return gained - prices.tokens * self.tokens / 1_000.0 - prices.seconds * self.seconds

    def of(self, rows: npt.NDArray[np.intp]) -> Outcomes:
        """Those of some questions."""
        return Outcomes(self.accuracy[rows], self.faithfulness[rows], self.tokens[rows], self.seconds[rows])


def default_actions() -> Actions:
    """Those of the settings' defaults."""
    defaults = AprRetrieverSettings()
    return Actions(defaults.answers, defaults.facts, defaults.questions)


def reference(features: int) -> Floats:
    """float64[channels, actions, 1 + features]: the weights of a policy that takes the defaults, whatever is asked."""
    weights = np.zeros((len(CHANNELS), len(CHOICES), 1 + features))
    for channel, default in enumerate(default_actions()):
        weights[channel, :, 0] = np.log((1.0 - _DEFAULT_SHARE) / (len(CHOICES) - 1))
        weights[channel, CHOICES.index(default), 0] = np.log(_DEFAULT_SHARE)
    return weights


def train(rows: Floats, utilities: Floats) -> Policy:
    """The policy with the least loss on all pairs of actions of which one has the greater utility.

    Every question counts alike, however many of its actions are ties. O(n · 27²) time a step.

    Args:
        rows: float64[n, features], n ≥ 1.
        utilities: float64[n, 27], of `ACTIONS`.
    """
    scales = rows.std(axis=0)
    varies = scales > _CONSTANT_FEATURE_SHARE * np.maximum(
        np.abs(rows).max(axis=0), 1.0
    )  # else its spread is that of rounding
    policy = Policy(rows.mean(axis=0), np.where(varies, scales, 1.0), reference(rows.shape[1]))
    inputs = policy.inputs(rows)
    better = utilities[:, :, None] > utilities[:, None, :] + _TIED_UTILITY_DIFFERENCE
    share = better / np.maximum(better.sum(axis=(1, 2), keepdims=True), 1) / len(rows)
    moved = np.zeros_like(policy.weights)
    before = moved
    # Nesterov's method: a step is 1 / L, where L bounds the curvature of the loss.
    step = 1.0 / (
        _RIDGE_WEIGHT + 0.25 * 2.0 * len(CHANNELS) * _DPO_TEMPERATURE**2 * float((inputs**2).sum(axis=1).mean())
    )
    for number in range(_DPO_STEPS):
        ahead = moved + number / (number + 3.0) * (moved - before)
        before, moved = moved, ahead - step * _gradient(ahead, inputs, share)
    return Policy(policy.means, policy.scales, policy.weights + moved)


def _gradient(moved: Floats, inputs: Floats, share: Floats) -> Floats:
    """Of the loss by the distance of the weights from the reference, whose log-odds cancel.

    Args:
        share: float64[n, 27, 27], of each pair (better, worse) in the mean over pairs.
    """
    of_channels = np.einsum("nf,caf->nca", inputs, moved)
    odds = _DPO_TEMPERATURE * of_channels[:, np.arange(len(CHANNELS)), CHOICE_OF].sum(axis=2)
    wrong = share / (1.0 + np.exp(odds[:, :, None] - odds[:, None, :]))
    of_actions = _DPO_TEMPERATURE * (wrong.sum(axis=1) - wrong.sum(axis=2))
    gradient = _RIDGE_WEIGHT * moved
    for channel in range(len(CHANNELS)):
        for choice in range(len(CHOICES)):
            taking = of_actions[:, CHOICE_OF[:, channel] == choice].sum(axis=1)
            gradient[channel, choice] += taking @ inputs
    return gradient


def best_constant(utilities: Floats) -> int:
    """The place among `ACTIONS` of the one with the greatest mean utility, of equal ones the first."""
    return int(np.round(utilities.mean(axis=0), 12).argmax())


def picked(values: Floats, policy: Policy, rows: Floats) -> Floats:
    """float64[n]: of float64[n, 27] the values of the actions that a policy chooses."""
    found: Floats = values[np.arange(len(rows)), policy.logits(rows).argmax(axis=1)]
    return found
