"""The pruned prompt: what is taken, what is said once, and which form it has."""

from __future__ import annotations

import dataclasses
import json
from typing import get_args

import pytest
from tests.fakes import HashingEmbedder
from tests.unit.systems.apr.decoding import decoded
from tests.unit.systems.apr.runs import direction, edge, recalled, related, run, vectors

from overstory_systems.apr.codebook import CodebookEdge, RecalledAnswer, ScoredRun, Triple
from overstory_systems.apr.encodings import Form, KnowledgePart, RememberedAnswer, TokenCounter
from overstory_systems.apr.policy import Actions, features_of, trained
from overstory_systems.apr.prompt import (
    _KEPT_OWN_FACTS,
    _PARAPHRASE_COSINE,
    _USEFUL_ANSWER_COSINE,
    PrunedPrompt,
    asked_for,
    build,
    sameness,
)
from overstory_systems.apr.settings import AprRetrieverSettings, ChannelAction

ASKED = [Triple("", "wrote", "Dracula")]
WROTE, BORN, DIED = edge("Stoker|wrote|Dracula"), edge("Stoker|born in|Dublin"), edge("Stoker|died in|London")
BORN_AGAIN = edge("Bram Stoker|born at|Dublin", canonical=BORN.id)


class Letters(HashingEmbedder):
    """Counts characters, so that the shortest text has the fewest tokens."""

    def count_tokens(self, texts: object) -> list[int]:
        assert isinstance(texts, list)
        return [len(text) for text in texts]


COUNTER = TokenCounter(Letters(4))


def prompt(
    runs: list[ScoredRun],
    answers: list[RecalledAnswer] | None = None,
    /,
    **settings: object,
) -> PrunedPrompt:
    return build(ASKED, runs, answers or [], [], AprRetrieverSettings(**settings), COUNTER)  # type: ignore[arg-type] # as the tests write them


def knowledge(found: PrunedPrompt) -> KnowledgePart:
    (part,) = (part for part in found.parts if isinstance(part, KnowledgePart))
    return part


def test_facts_are_a_part_that_stands_on_their_chunks() -> None:
    part = knowledge(prompt([run("a", WROTE, BORN, score=2.5), run("b", DIED)]))
    assert decoded(part.text) == {
        "questions": [("?", "wrote", "Dracula")],
        "facts": [("Stoker", "wrote", "Dracula"), ("Stoker", "born in", "Dublin"), ("Stoker", "died in", "London")],
    }
    assert part.kind == "relation"
    assert part.title == "3 facts in a prompt"
    assert part.for_people.splitlines()[1:] == [
        "- Stoker wrote Dracula",
        "- Stoker born in Dublin",
        "- Stoker died in London",
    ]
    assert part.score == 2.5
    assert part.chunks == ("chunk of a", "chunk of b")
    assert part.documents == ("document of chunk of a", "document of chunk of b")
    assert [(fact.edge, fact.chunk) for fact in part.facts] == [
        (WROTE.id, "chunk of a"),
        (BORN.id, "chunk of a"),
        (DIED.id, "chunk of b"),
    ]


def test_the_details_of_the_part_are_json() -> None:
    details = json.loads(json.dumps(knowledge(prompt([run("a", WROTE)])).as_json()))["details"]
    assert details["tokens_by_encoding"].keys() == {"words", "ids", "matrix"}
    assert details["facts"] == [
        {"edge": WROTE.id, "chunk": "chunk of a", "head": "Stoker", "relation": "wrote", "tail": "Dracula"}
    ]


def test_without_facts_and_answers_there_is_no_part() -> None:
    assert prompt([]) == PrunedPrompt((), ())
    assert prompt([run("a", WROTE)], facts="none") == PrunedPrompt((), ())


def test_the_first_runs_are_looked_at() -> None:
    found = prompt([run("a", WROTE), run("b", BORN), run("c", DIED)], runs=2)
    assert [each.run.id for each in found.runs] == ["a", "b"]


def test_unique_says_a_fact_once_and_all_as_often_as_it_is_found() -> None:
    runs = [run("a", WROTE, BORN), run("b", BORN_AGAIN, DIED), run("c", BORN)]
    unique = prompt(runs, facts="unique")
    assert [fact.edge for fact in knowledge(unique).facts] == [WROTE.id, BORN.id, DIED.id]
    assert [(each.run.id, each.run.sentences) for each in unique.runs] == [("a", (0, 1)), ("b", (1,))]
    assert [len(each.vectors) for each in unique.runs] == [2, 1]
    every = prompt(runs, facts="all")
    assert [fact.edge for fact in knowledge(every).facts] == [WROTE.id, BORN.id, BORN_AGAIN.id, DIED.id, BORN.id]


def test_unique_takes_one_of_the_runs_that_say_the_same() -> None:
    same = edge("Bram Stoker|is the author of|Dracula")
    runs = [
        run("a", WROTE, along=vectors(direction(0))),
        run("b", same, along=vectors(direction(0, beside=1, by=0.1))),
        run("c", DIED, along=vectors(direction(5))),
    ]
    assert [each.run.id for each in prompt(runs, facts="unique").runs] == ["a", "c"]


def test_what_a_remembered_answer_cites_is_not_repeated_among_the_facts() -> None:
    found = prompt([run("a", WROTE, BORN_AGAIN), run("b", BORN)], [recalled("Stoker", BORN)])
    part = knowledge(found)
    assert decoded(part.text) == {
        "questions": [("?", "wrote", "Dracula")],
        "given knowledge": [("Stoker", "born in", "Dublin")],
        "facts": [("Stoker", "wrote", "Dracula")],
    }
    assert part.chunks == (f"chunk of {BORN.id}", "chunk of a")
    assert [each.run.id for each in found.runs[1:]] == ["a"]
    assert [fact.chunk for fact in part.knowledge] == [f"chunk of {BORN.id}"]


def test_answers_that_are_not_taken_take_no_facts_away() -> None:
    found = prompt([run("a", BORN)], [recalled("Stoker", BORN)], answers="none")
    assert [type(part) for part in found.parts] == [KnowledgePart]
    assert [fact.edge for fact in knowledge(found).facts] == [BORN.id]


def test_a_remembered_answer_is_shown_as_such_without_the_numbers_of_its_passages() -> None:
    (answer, _) = prompt(
        [], [recalled("Stoker", BORN, WROTE, similarity=0.8, text="Dublin [1][2].\nHe wrote [2].")]
    ).parts
    assert isinstance(answer, RememberedAnswer)
    assert answer.text == "Remembered answer to: What of Stoker? (m, 2026-11-22)\nDublin. He wrote."
    assert answer.kind == "answer"
    assert answer.score == 0.8
    assert answer.chunks == (f"chunk of {BORN.id}", f"chunk of {WROTE.id}")
    assert [fact.edge for fact in answer.facts] == [BORN.id, WROTE.id]


def test_answers_to_far_questions_are_not_worth_their_tokens() -> None:
    answers = [
        recalled("near", BORN, similarity=_USEFUL_ANSWER_COSINE),
        recalled("far", DIED, similarity=_USEFUL_ANSWER_COSINE - 0.01),
    ]
    found = prompt([], answers, answers="all")
    assert [part.id for part in found.parts if isinstance(part, RememberedAnswer)] == ["near"]
    assert [fact.edge for fact in knowledge(found).knowledge] == [BORN.id]


def test_of_answers_that_cite_the_same_facts_the_one_to_the_nearest_question_is_taken() -> None:
    answers = [recalled("one", BORN), recalled("two", BORN_AGAIN), recalled("three", DIED)]
    taken = [part for part in prompt([], answers).parts if isinstance(part, RememberedAnswer)]
    assert [part.id for part in taken] == ["one", "three"]
    every = prompt([], answers, answers="all")
    assert [fact.edge for fact in knowledge(every).knowledge] == [BORN.id, DIED.id]  # a fact is said once


def asked_again(runs: list[ScoredRun], answer: RecalledAnswer, asked: str = "") -> PrunedPrompt:
    """The prompt of a question that is like facts along the first axis; without words, of the remembered one itself."""
    vector = vectors(direction(0))[0]
    return build([], runs, [answer], [], AprRetrieverSettings(), COUNTER, asked or answer.question, vector)


def own_facts(cited: CodebookEdge | None = None) -> ScoredRun:
    """A run with the question's own best facts, as many as are always kept; what is cited is the best of them."""
    edges = [
        *([cited] if cited else []),
        *(edge(f"own|is|{number}") for number in range(_KEPT_OWN_FACTS - bool(cited))),
    ]
    rows = [direction(0, beside=1, by=0.02 * place) for place in range(_KEPT_OWN_FACTS)]
    return run("own", *edges, along=vectors(*rows))


def of_stoker(text: str, *, kind: str = "llm", cites: CodebookEdge = BORN, similarity: float = 0.9) -> RecalledAnswer:
    """An answer to the question where Stoker was born."""
    answer = recalled("born", cites, similarity=similarity, text=text)
    return dataclasses.replace(answer, question="Where was Stoker born?", kind=kind)


OTHERS = [
    run(f"r{number}", edge(f"a|b|{number}"), edge(f"c|d|{number}"), along=vectors(direction(5), direction(6)))
    for number in range(4)
]


def facts_left(found: PrunedPrompt) -> int:
    """Return the number of facts of `OTHERS` in a prompt, without the one per passage that stays."""
    return sum(len(each.run.edges) - 1 for each in found.runs if each.run.id.startswith("r"))


def test_beside_the_answer_to_the_same_question_one_fact_of_each_other_passage_is_read() -> None:
    near = vectors(direction(5))
    runs = [
        own_facts(),
        run("a", WROTE, BORN, along=vectors(direction(5), direction(6))),
        run("b", edge("Wilde|born in|Dublin"), edge("Wilde|died in|Paris"), along=vectors(direction(4), direction(5))),
        run("c", DIED, chunk="chunk of b", along=near),
        run("d", edge("Dublin|is in|Ireland"), chunk="chunk of e", along=vectors(direction(7))),
    ]
    known = recalled("known", BORN, similarity=_PARAPHRASE_COSINE, along=near)
    cites = dataclasses.replace(known, chunks=("chunk of a",), documents=("document of chunk of a",))
    found = asked_again(runs, cites)
    assert [(each.run.chunk, each.run.edges) for each in found.runs if each.run.id != "own"] == [
        ("chunk of a", (BORN,)),
        ("chunk of b", (edge("Wilde|died in|Paris"),)),
        ("chunk of e", (edge("Dublin|is in|Ireland"),)),
    ]
    assert [each.run.sentences for each in found.runs if each.run.id not in ("own", "known")] == [(-1,), (1,), (0,)]
    (note,) = found.notes
    assert f"{_KEPT_OWN_FACTS + 2} facts" in note
    assert set(knowledge(prompt(runs)).chunks) == set(knowledge(found).chunks)


def test_the_best_facts_of_a_question_stay_whatever_was_answered_before() -> None:
    wrong = of_stoker("Paris [1].", cites=OTHERS[0].run.edges[0])
    found = asked_again([own_facts(BORN), *OTHERS], wrong)
    assert [each.run.edges for each in found.runs if each.run.id == "own"] == [own_facts(BORN).run.edges]
    assert facts_left(found) == 0


def test_an_answer_without_a_model_leaves_nothing_out() -> None:
    runs = [own_facts(BORN), *OTHERS]
    assert facts_left(asked_again(runs, of_stoker("Dublin [1]."))) == 0
    extractive = asked_again(runs, of_stoker("Dublin [1].", kind="extractive"))
    assert facts_left(extractive) == len(OTHERS)
    assert not extractive.notes


def test_an_answer_to_another_question_leaves_nothing_out() -> None:
    runs = [own_facts(BORN), *OTHERS]
    assert facts_left(asked_again(runs, of_stoker("Dublin [1].", similarity=_PARAPHRASE_COSINE - 0.01))) == len(OTHERS)
    assert facts_left(asked_again(runs, of_stoker("Dublin [1].", cites=edge("x|y|z")))) == len(OTHERS)
    assert facts_left(asked_again(runs, of_stoker("Dublin [1]."), "When was Stoker born?")) == len(OTHERS)


def test_in_other_words_an_answer_serves_where_it_cites_the_best_fact() -> None:
    """A follow-up finds another one."""
    asked = "Where did Stoker originate?"
    assert facts_left(asked_again([own_facts(BORN), *OTHERS], of_stoker("Dublin [1]."), asked)) == 0
    second = run("own", *reversed(own_facts(BORN).run.edges), along=own_facts(BORN).vectors)
    assert facts_left(asked_again([second, *OTHERS], of_stoker("Dublin [1]."), asked)) == len(OTHERS)


def test_what_symbols_led_to_is_all_taken_and_leaves_nothing_more_out() -> None:
    far = of_stoker("Dublin [1].", similarity=0.1)
    settings = AprRetrieverSettings(recall_by="symbols")
    same = of_stoker("Dublin [1].", similarity=1.0)
    for answer in (far, same):
        runs = [own_facts(BORN), *OTHERS]
        found = build([], runs, [answer], [], settings, COUNTER, answer.question, vectors(direction(0))[0])
        assert [fact.edge for fact in knowledge(found).knowledge] == [BORN.id]
        assert facts_left(found) == len(OTHERS)


def test_related_questions_stand_behind_the_one_that_is_asked() -> None:
    others = [related("x", edge("|wrote|Lair")), related("y", edge("|wrote|Lair"))]
    said = {
        action: decoded(
            knowledge(build(ASKED, [run("a", WROTE)], [], others, AprRetrieverSettings(questions=action), COUNTER)).text
        )["questions"]
        for action in get_args(ChannelAction)
    }
    asked, other = ("?", "wrote", "Dracula"), ("?", "wrote", "Lair")
    assert said == {"all": [asked, other, other], "unique": [asked, other], "none": [asked]}


@pytest.mark.parametrize("encoding", get_args(Form))
def test_the_form_is_the_one_that_was_asked_for(encoding: Form) -> None:
    part = knowledge(prompt([run("a", WROTE, BORN)], encoding=encoding))
    assert part.encoding == encoding
    assert part.tokens_by_encoding[encoding] == part.prompt_tokens == len(part.text)


def test_auto_takes_the_shortest_form_by_the_tokenizer() -> None:
    short = knowledge(prompt([run("a", WROTE)]))
    assert short.encoding == "words"
    long_name = "The Most Noble Order of the Garter of the United Kingdom of Great Britain and Northern Ireland"
    long = knowledge(prompt([run("a", *(edge(f"{long_name}|is|{nr}") for nr in range(9)))]))
    assert long.encoding == "ids"
    for part in (short, long):
        assert part.tokens_by_encoding[part.encoding] == min(part.tokens_by_encoding.values())
    assert short.tokenizer == "hashing, the embedder's"


def test_tokens_fall_from_all_to_unique_to_none() -> None:
    """Lemma 13, for facts and for questions."""
    runs = [run("a", WROTE, BORN), run("b", BORN_AGAIN, DIED), run("c", BORN)]
    others = [related("x", edge("|wrote|Lair")), related("y", edge("|wrote|Lair"))]

    def tokens(settings: AprRetrieverSettings) -> int:
        return sum(len(part.text) for part in build(ASKED, runs, [], others, settings, COUNTER).parts)

    of_facts = [tokens(AprRetrieverSettings(facts=action)) for action in get_args(ChannelAction)]
    of_questions = [tokens(AprRetrieverSettings(questions=action)) for action in get_args(ChannelAction)]
    assert of_facts == sorted(of_facts, reverse=True)
    assert of_questions == sorted(of_questions, reverse=True)
    assert of_facts[-1] == 0


def test_with_a_policy_the_actions_are_those_that_it_chooses() -> None:
    runs = [run(f"r{nr}", edge(f"a|b|{nr}"), edge(f"c|d|{nr}"), score=2.5 - 0.04 * nr) for nr in range(9)]
    answers = [recalled("again", *runs[0].run.edges, similarity=1.0)]
    actions = trained().choose(features_of(ASKED, runs, answers, []))
    defaults = AprRetrieverSettings()
    assert actions != Actions(defaults.answers, defaults.facts, defaults.questions)
    by_policy = build(ASKED, runs, answers, [], AprRetrieverSettings(policy=True), COUNTER)
    assert by_policy.parts == build(ASKED, runs, answers, [], AprRetrieverSettings(**actions._asdict()), COUNTER).parts
    assert by_policy.parts != build(ASKED, runs, answers, [], AprRetrieverSettings(), COUNTER).parts


def test_an_answer_does_not_serve_a_question_with_a_new_word_that_another_fact_says() -> None:
    """ "Born" and "died" ask for different facts, though the first is nearest to both questions."""
    facts = [own_facts(BORN), *OTHERS, run("a", DIED, along=vectors(direction(7)))]
    assert facts_left(asked_again(facts, of_stoker("Dublin [1]."), "Where was it that Stoker died?")) == len(OTHERS)
    assert facts_left(asked_again(facts[:-1], of_stoker("Dublin [1]."), "Where was it that Stoker died?")) == 0


SHIP = "Which ship ran onto the Crow Rocks?"


@pytest.mark.parametrize(
    ("asked", "remembered"),
    [
        (SHIP, SHIP.upper()),
        ("Where had Bram Stoker been born?", "Where was Bram Stoker born?"),
        ("In which year was Harbour rewritten?", "When was Harbour rewritten?"),
        ("Who is the wife of Ada Huber?", "Who is married to Ada Huber?"),
    ],
)
def test_the_same_question_in_nearly_the_same_words(asked: str, remembered: str) -> None:
    assert sameness(asked, remembered) == sameness(remembered, asked) == "same"


@pytest.mark.parametrize(
    ("asked", "remembered"),
    [
        ("Which vessel hit the Crow Rocks?", SHIP),
        ("Where did Bram Stoker die?", "Where was Bram Stoker born?"),
    ],
)
def test_where_words_differ_it_is_open(asked: str, remembered: str) -> None:
    assert sameness(asked, remembered) == sameness(remembered, asked) == "open"


@pytest.mark.parametrize(
    ("asked", "remembered"),
    [
        ("Who was saved from the ship that ran onto the Crow Rocks?", SHIP),
        ("Why did the head office move in 2016?", "Where did the head office move in 2016?"),
        ("Who supplied the membranes before 2024?", "Who supplied the membranes since 2024?"),
        ("Who leads team Otter?", "Who leads team Pike?"),
        ("What was released in version 3.6?", "What was released in version 3.7?"),
        ("Who founded the firm Johnson?", "Who founded the firm Johnston?"),
        ("Who did Ada Huber manage?", "Who managed Ada Huber?"),
        ("Which of them is older?", "Which of them is younger?"),
        ("Who is the deputy of the leader of team Pike?", "Who leads team Pike?"),
        ("Where was the coworker of Jonas Berg born?", "Where was Jonas Berg born?"),
        ("Who founded the owner of Harrow Foundry?", "Who founded Harrow Foundry?"),
        ("Who else designed the Quillbox?", "Who designed the Quillbox?"),
    ],
)
def test_what_is_asked_for_names_numbers_and_words_that_turn_a_question_make_it_another(
    asked: str, remembered: str
) -> None:
    assert sameness(asked, remembered) == sameness(remembered, asked) == "other"


def test_what_is_asked_for_is_a_type_or_the_question_word() -> None:
    assert asked_for("Which two people built it?") == asked_for("Who built it?")
    assert asked_for("Why was it built?") == {"why"}
    assert asked_for("Was it built?") == {""}
