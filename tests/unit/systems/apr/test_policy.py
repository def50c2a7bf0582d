"""The policy: what it sees, what it learns from preferences, and what a price of tokens does (Lemma 13)."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.unit.systems.apr.runs import direction, edge, recalled, related, run, vectors

from overstory.protocols import Vectors
from overstory.vectors.packed import of_unit_length
from overstory_systems.apr.codebook import CodebookEdge, Triple
from overstory_systems.apr.policy import (
    _SAME_PATH_COSINE,
    ACTIONS,
    CHOICE_OF,
    Features,
    Floats,
    Outcomes,
    Path,
    Policy,
    UtilityWeights,
    best_constant,
    chosen,
    consensus,
    default_actions,
    edge_cosine,
    features_of,
    groups,
    picked,
    reference,
    select,
    train,
    trained,
)
from overstory_systems.apr.settings import AprRetrieverSettings

FEATURES = len(Features.__dataclass_fields__)
PRICES = [0.0, 0.1, 0.3, 1.0, 3.0, 100.0]
DEFAULT = ACTIONS.index(default_actions())

shares = arrays(np.float64, (3, len(ACTIONS)), elements=st.floats(0.0, 1.0))


def outcomes(accuracy: Floats, tokens: Floats) -> Outcomes:
    nothing = np.zeros_like(accuracy)
    return Outcomes(accuracy, nothing, tokens, nothing)


def rows_of(count: int, seed: int = 0) -> Floats:
    return np.random.default_rng(seed).normal(size=(count, FEATURES))


def test_features_are_what_the_prompt_is_built_from() -> None:
    wrote, born = edge("Stoker|wrote|Dracula"), edge("Stoker|born in|Dublin")
    runs = [
        run("a", wrote, score=3.0, along=vectors(direction(0))),
        run("b", born, score=1.0, along=vectors(direction(1))),
        run("c", edge("Bram Stoker|was born in|Dublin"), score=0.5, along=vectors(direction(1, beside=2, by=0.1))),
    ]
    found = features_of([Triple("", "wrote", "Dracula")], runs, [recalled("x", born, similarity=0.7)], [related("y")])
    assert found.triples == found.answers == found.related == pytest.approx(np.log(2))
    assert found.words == pytest.approx(np.log(3))
    assert found.runs == pytest.approx(np.log(4))
    assert (found.best, found.margin, found.fall) == (3.0, 2.0, 2.5)
    assert 0.0 < found.entropy < 1.0
    assert found.repeated == pytest.approx(1 / 3)
    assert found.cited == pytest.approx(1 / 3)
    assert found.similarity == 0.7


def test_a_question_of_which_nothing_was_found_has_features() -> None:
    assert not features_of([], [], [], []).row.any()


def test_equal_scores_are_as_ambiguous_as_can_be() -> None:
    runs = [run(name, edge(f"{name}|b|c")) for name in "ab"]
    assert features_of([], runs, [], []).entropy == pytest.approx(1.0)


def test_the_reference_takes_the_defaults() -> None:
    policy = Policy(np.zeros(FEATURES), np.ones(FEATURES), reference(FEATURES))
    settings = AprRetrieverSettings(runs=7)
    for row in rows_of(5):
        assert chosen(settings, Features(*row.tolist()), policy) == settings


def test_ties_teach_nothing() -> None:
    rows = rows_of(4)
    policy = train(rows, np.ones((4, len(ACTIONS))))
    assert np.allclose(policy.weights, reference(FEATURES))


def test_what_is_always_better_is_taken() -> None:
    rows = rows_of(6)
    wanted = ACTIONS.index(("none", "all", "all"))
    utilities = -np.abs(CHOICE_OF - CHOICE_OF[wanted]).sum(axis=1)[None].repeat(6, axis=0).astype(float)
    policy = train(rows, utilities)
    assert set(policy.logits(rows).argmax(axis=1)) == {wanted}
    assert best_constant(utilities) == wanted


def test_what_is_better_for_some_questions_is_taken_for_them() -> None:
    """Facts help where a feature is above 0 alone; a policy knows that, no constant action does."""
    rows = rows_of(200)
    takes_facts = CHOICE_OF[:, 1] == 0
    utilities = np.where(takes_facts[None], rows[:, [3]], 0.0)
    policy = train(rows[:100], utilities[:100])
    held_out = picked(utilities[100:], policy, rows[100:]).mean()
    assert held_out > utilities[100:, best_constant(utilities[:100])].mean() + 0.2
    assert held_out > 0.9 * utilities[100:].max(axis=1).mean()


def test_a_feature_that_was_the_same_for_all_questions_decides_nothing() -> None:
    rows = rows_of(50)
    rows[:, 2] = 0.1 * 3  # whose mean is not this number
    utilities = np.where(CHOICE_OF[:, 1][None] == 0, rows[:, [3]], 0.0)
    policy = train(rows, utilities)
    other = rows.copy()
    other[:, 2] = 0.0
    assert np.allclose(policy.logits(other), policy.logits(rows))


def test_log_odds_follow_utilities() -> None:
    """Lemma 12: with preferences of all pairs, the greater utility has the greater odds beyond the reference's."""
    rows = np.zeros((1, FEATURES))
    utilities: Floats = (CHOICE_OF @ np.array([9.0, 3.0, 1.0]))[None].astype(np.float64)
    gained = train(rows, utilities).logits(rows) - Policy(
        np.zeros(FEATURES), np.ones(FEATURES), reference(FEATURES)
    ).logits(rows)
    by_utility = np.argsort(utilities[0])
    assert (np.diff(gained[0][by_utility]) > 0.0).mean() > 0.7
    assert gained[0].argmax() == utilities[0].argmax()


def test_a_policy_is_the_same_after_it_was_written_and_read() -> None:
    rows = rows_of(8)
    policy = train(rows, np.random.default_rng(1).normal(size=(8, len(ACTIONS))))
    again = Policy.from_json(json.loads(json.dumps(policy.as_json())))
    assert np.array_equal(again.logits(rows), policy.logits(rows))
    with pytest.raises(ValueError, match="trained with"):
        Policy.from_json(policy.as_json() | {"features": ["one"]})


def test_the_policy_that_comes_along_reads_facts_unless_the_question_was_answered_before() -> None:
    runs = [run(f"r{nr}", edge(f"a|b|{nr}"), edge(f"c|d|{nr}"), score=2.5 - 0.04 * nr) for nr in range(20)]
    asked = [Triple("", "wrote", "Dracula")]
    fresh = trained().choose(features_of(asked, runs, [], []))
    again = trained().choose(features_of(asked, runs, [recalled("x", *runs[0].run.edges, similarity=1.0)], []))
    assert fresh.facts != "none"
    assert again.facts == "none"
    assert again.answers != "none"


@given(accuracy=shares, tokens=shares)
def test_a_higher_price_of_tokens_never_raises_the_tokens_of_the_best_action(accuracy: Floats, tokens: Floats) -> None:
    """Lemma 13, for each question and for the best constant action, whatever the actions cost."""
    found = outcomes(accuracy, np.floor(tokens * 1_000.0))
    each: list[Floats] = []
    constant: list[float] = []
    for price in PRICES:
        utility = found.utility(UtilityWeights(tokens=price))
        each.append(cheapest(utility, found.tokens))
        constant.append(float(cheapest(utility.mean(axis=0)[None], found.tokens.mean(axis=0)[None])[0]))
    assert all((after <= before + 1e-6).all() for before, after in itertools.pairwise(each))
    assert all(after <= before + 1e-6 for before, after in itertools.pairwise(constant))


def cheapest(utilities: Floats, tokens: Floats) -> Floats:
    """The tokens of the best action of each row, of equally good ones the fewest."""
    best = utilities >= utilities.max(axis=1, keepdims=True) - 1e-12
    found: Floats = np.where(best, tokens, np.inf).min(axis=1)
    return found


@pytest.mark.parametrize("seed", range(3))
def test_a_higher_price_of_tokens_never_raises_the_tokens_of_the_trained_policy(seed: int) -> None:
    """Lemma 13, where more of a channel costs more and helps less and less: in the end nothing is taken."""
    random = np.random.default_rng(seed)
    rows = random.normal(size=(40, FEATURES))
    taken = 2 - CHOICE_OF  # 2 for all, 1 for unique, 0 for none
    tokens = 20.0 + taken @ np.array([100.0, 300.0, 30.0]) + np.zeros((40, 1))
    gains = np.exp(0.5 * random.normal(size=(40, 3))) * [0.1, 0.3, 0.02]
    accuracy = gains @ np.sqrt(taken).T
    found = outcomes(accuracy, tokens)
    spent = [
        float(picked(tokens, train(rows, found.utility(UtilityWeights(tokens=price))), rows).mean()) for price in PRICES
    ]
    assert spent == sorted(spent, reverse=True)
    assert spent[0] > spent[-1] == 20.0


BORN, WROTE = edge("Stoker|born in|Dublin"), edge("Stoker|wrote|Dracula")
BORN_AT, WROTE_IT = edge("Bram Stoker|was born in|Dublin"), edge("Bram Stoker|is the author of|Dracula")
FAR = edge("Paris|is in|France")


def path(*edges: CodebookEdge, along: Vectors) -> Path:
    return Path(edges, along)


def test_what_an_action_takes() -> None:
    paths = [
        path(BORN, along=vectors(direction(0))),
        path(FAR, along=vectors(direction(3))),
        path(BORN_AT, along=vectors(direction(0, beside=1, by=0.1))),
    ]
    assert select("abc", paths, "all") == ["a", "b", "c"]
    assert select("abc", paths, "unique") == ["a", "b"]
    assert select("abc", paths, "none") == []
    assert select([], [], "unique") == []


def test_the_same_whole_with_other_edges_says_something_else() -> None:
    one = path(BORN, WROTE, along=vectors(direction(0), direction(1)))
    between = vectors([1.0, 1.0] + [0.0] * 14)
    other = path(FAR, along=between)
    assert float(of_unit_length(one.vectors.sum(axis=0, keepdims=True))[0] @ between[0]) == pytest.approx(1.0)
    assert edge_cosine(one.vectors, other.vectors) < _SAME_PATH_COSINE
    assert groups([one, other]) == [[0], [1]]


def test_a_part_of_a_path_says_less_than_the_path() -> None:
    one = path(BORN, WROTE, along=vectors(direction(0), direction(1)))
    assert groups([one, path(BORN_AT, along=vectors(direction(0)))]) == [[0], [1]]


def test_the_order_of_edges_does_not_matter() -> None:
    one = path(BORN, WROTE, along=vectors(direction(0), direction(1)))
    other = path(WROTE_IT, BORN_AT, along=vectors(direction(1, beside=2, by=0.1), direction(0)))
    assert groups([one, other]) == [[0, 1]]


def test_all_of_a_group_are_near_each_other() -> None:
    """A chain of paths, each near the next, is no group (Lemma 8)."""
    step = 0.3
    chain = [
        path(edge(f"a|b|{'c' * nr}"), along=vectors([np.cos(nr * step), np.sin(nr * step)] + [0.0] * 14))
        for nr in range(4)
    ]
    assert groups(chain) == [[0, 1], [2, 3]]


def test_the_consensus_is_nearest_to_all_of_its_group() -> None:
    angles = [0.0, 0.3, 0.15]
    paths = [
        path(edge(f"a|b|{name}"), along=vectors([np.cos(a), np.sin(a)] + [0.0] * 14))
        for name, a in zip("xyz", angles, strict=True)
    ]
    assert consensus(paths, [5, 6, 7]) == 7
    assert select("xyz", paths, "unique") == ["z"]
    assert consensus([paths[0], paths[0]], [3, 4]) == 3


def test_paths_of_the_same_facts_are_one_without_vectors() -> None:
    none = np.zeros((0, 0), np.float32)
    merged = edge("Stoker|born in|Baile Atha Cliath", canonical=BORN.id)
    assert groups([path(BORN, along=none), path(merged, along=none), path(FAR, along=none)]) == [[0, 1], [2]]
    assert groups([path(along=none), path(along=none)]) == [[0], [1]]


def test_what_differs_in_a_number_says_something_else() -> None:
    born = [path(edge(f"Stoker|born in|{year}"), along=vectors(direction(0))) for year in (1847, 1848, 1847)]
    assert groups(born) == [[0, 2], [1]]
