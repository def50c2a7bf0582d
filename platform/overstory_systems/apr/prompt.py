"""The pruned prompt: of answers, facts and related questions what is worth its tokens. Pure, but for the tokenizer.

Source: AutoPrunedRetriever, Sections 2.5 and 2.6.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from overstory.answer import without_citations
from overstory.answer.answer_type import types_asked_for
from overstory.answer.support import same_relation
from overstory.display import counted, on_one_line, shortened
from overstory.model import Part
from overstory.protocols import Vectors
from overstory.retrieve.hits import best_of
from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.questions.asked_words import AskedWords
from overstory.text.words import stem, word_matches
from overstory_systems.apr.codebook import CodebookEdge, FactRun, RecalledAnswer, RelatedQuestion, ScoredRun, Triple
from overstory_systems.apr.encodings import (
    Channels,
    Form,
    KnowledgePart,
    PromptFact,
    RememberedAnswer,
    TokenCounter,
    Words,
    encode,
)
from overstory_systems.apr.policy import Path, chosen, features_of, select, trained
from overstory_systems.apr.settings import AprRetrieverSettings

# Whether a question asks what a remembered one asked. Pure.
#
# A follow-up is as near to the question before it as a paraphrase is: "Who was saved from the ship that ran onto the
# Crow Rocks?" has a cosine of .88 to "Which ship ran onto the Crow Rocks?". So vectors do not decide. A difference in
# what is asked for (who, whom, when), in names and numbers, or in a word such as "before" makes it another question,
# and so does a word more; other words in the place of some leave it open, and the facts decide (`prompt.serves`).

Sameness = Literal["same", "open", "other"]

_ASKING = {"who": "who", "whom": "who", "whose": "who", "why": "why", "how": "how", "where": "where", "when": "when"}
_PEOPLE = re.compile(r"\bwhich (?:\w+ )?(?:people|persons?)\b", re.IGNORECASE)
_OBJECT = re.compile(r"\b(?:who|whom|which|what)\b.*?\b(?:do|does|did)\b", re.IGNORECASE | re.DOTALL)
"""Asks to whom something was done: "Who did Ada manage?" is not "Who managed Ada?"."""
_ACTING = frozenset({"PERSON", "ORG"})
_WHAT = frozenset({"what", "which"})
_TURNING = frozenset(
    {"another", "before", "earlier", "else", "first", "last", "later", "never", "no", "not", "older", "other", "until"}
    | {"without", "younger"}
)
"""Words that turn a question into another one about the same."""
_CLASSES = frozenset({"kind", "name", "sort", "thing", "type", "year", "day", "date", "person", "place", "city"})
"""What is asked for, in words that may be left out: "in which year" is "when"."""


def sameness(asked: str, remembered: str) -> Sameness:
    """Whether two questions ask the same: "same", or "open" where only words differ that are no names."""
    kinds = asked_for(asked) & asked_for(remembered)
    if not kinds or _turned(asked) != _turned(remembered):
        return "other"
    if not kinds.isdisjoint(_ACTING) and bool(_OBJECT.search(asked)) != bool(_OBJECT.search(remembered)):
        return "other"
    here, there = _same_question_words(asked), _same_question_words(remembered)
    more, less = _missing(here, there), _missing(there, here)
    if any(more) or any(less) or bool(more) != bool(less):  # "the coworker of Jonas Berg" is not Jonas Berg
        return "other"
    return "open" if more else "same"


def asked_for(question: str) -> frozenset[str]:
    """The types of names that answer a question, or its question word."""
    if types := types_asked_for(_PEOPLE.sub("who", question)):
        return frozenset(types)
    words = (match.group().lower() for match in word_matches(question))
    return frozenset({next((_ASKING.get(word, "what") for word in words if word in _ASKING or word in _WHAT), "")})


def _same_question_words(question: str) -> dict[str, bool]:
    """The stems of words with a meaning, and whether each is of a name or a number, by a capital or a digit."""
    found: dict[str, bool] = {}
    for place, match in enumerate(word_matches(question)):
        word = match.group()
        if word.lower() not in FUNCTION_WORDS | _CLASSES:
            named = (place > 0 and word[0].isupper()) or any(map(str.isdigit, word))
            found[stem(word)] = named or found.get(stem(word), False)
    return found


def _missing(words: Mapping[str, bool], others: Mapping[str, bool]) -> list[bool]:
    """Of the words that others do not have, whether they are names."""
    return [
        named
        for word, named in words.items()
        if word not in others and (named or not any(same_relation(word, other) for other in others))
    ]


def _turned(question: str) -> set[str]:
    return {match.group().lower() for match in word_matches(question)} & _TURNING


_PARAPHRASE_COSINE = 0.85
"""Cosine from which a remembered question may be the one that is asked, in other words: that of 18 of 20 paraphrases
written by hand. Of 494 questions of 2WikiMultiHopQA two have another one as near, of 400 headings of man pages every
twentieth."""
_USEFUL_ANSWER_COSINE = 0.7
"""Cosine from which the facts of a remembered answer are worth their tokens. Nine tenths of the questions of
2WikiMultiHopQA, many of which are alike but for their names, have no other one as near."""
_LONGEST_RECALLED_ANSWER_CHARACTERS = 600
"""Characters of a remembered answer."""
_KEPT_OWN_FACTS = 8
"""Facts of the question's own that a remembered answer never replaces: they keep most of what is asked for where that
answer was wrong, for 18 tokens."""
ASKED_FOR = "?"
"""In the place of what a question's triple asks for."""

FORMS: tuple[Form, ...] = get_args(Form)


@dataclass(frozen=True, slots=True)
class PrunedPrompt:
    """What is left for a reader.

    Attributes:
        parts: the remembered answers, the nearest question first, for people; then one `KnowledgePart`, which a
            language model reads. None where neither a fact nor an answer is left. Each stands on chunks that the
            evidence must have among its hits or its sources.
        runs: what excerpts of passages should say: of each answer what it cites, a run for each chunk, whose sentences
            are not known (−1); then the runs of facts that were taken, best first, with those edges alone that were.
        notes: on what was left out for a reason other than the settings.
    """

    parts: tuple[Part, ...]
    runs: tuple[ScoredRun, ...]
    notes: tuple[str, ...] = ()


def build(
    question: Sequence[Triple],
    runs: Sequence[ScoredRun],
    recalled: Sequence[RecalledAnswer],
    related: Sequence[RelatedQuestion],
    settings: AprRetrieverSettings,
    counter: TokenCounter,
    asked: str = "",
    vector: Vectors | None = None,
) -> PrunedPrompt:
    """Selects of each channel what the settings say, and encodes it.

    0. With `settings.policy` the trained policy chooses the actions of the channels. All are then to be given, whatever
       the settings say of them.
    1. Of the channels answers, facts and questions all, one of each group that says the same, or nothing is taken: of
       answers to questions with a cosine of `_USEFUL_ANSWER_COSINE` or more, and of the first `settings.runs` runs of
       facts. With "unique" a fact is said once, whatever run it is in. What symbols led to has competed before, and is
       all given.
    2. A fact that a taken answer cites is not repeated among the facts; a run without any other is gone.
    3. Where a taken answer of a language model was given to the same question (`serves`), of each chunk that no taken
       answer stands on the best run stays, with the one fact that is nearest to those of the answer, and of all facts
       the question's own `_KEPT_OWN_FACTS`. Where symbols led to answers nothing more is left out, as published.
    4. The triples become a text in the form of `settings.encoding`; "auto" is the one with the fewest tokens by
       `counter`, of equal ones the most readable.

    Args:
        question: its triples, none where it has none; what it asks for is "". They stand first among the questions.
        runs: by falling score, ties by id; at most some hundreds. None gives no part unless answers are recalled.
        recalled: by falling similarity; without any that may not be read.
        related: remembered questions, by falling similarity.
        counter: asked once, for all three forms.
        asked: the words of the question.
        vector: float32[d], of the question as a whole; without it a remembered answer leaves nothing out.

    Nothing is read of the graph. O(n² + texts) time for n runs.
    """
    looked_at = runs[: settings.runs]
    published = settings.recall_by == "symbols"
    fitting = list(recalled) if published else near(recalled)
    if settings.policy:
        settings = chosen(settings, features_of(question, looked_at, fitting, related), trained())
    answers = select(fitting, [Path(each.edges, each.vectors) for each in fitting], settings.answers)
    others = select(related, [Path(each.edges, each.vectors) for each in related], settings.questions)
    taken = select(looked_at, [Path(each.run.edges, each.vectors) for each in looked_at], settings.facts)
    cited = {edge.canonical for answer in answers for edge in answer.edges}
    taken = list(_without(taken, cited, once=settings.facts == "unique"))
    notes: tuple[str, ...] = ()
    own = own_best(looked_at, vector) if vector is not None and not published else []
    lines = {edge.canonical: edge.line for each in looked_at for edge in each.run.edges}
    served = next((answer for answer in answers if serves(answer, asked, own, lines)), None)
    if served is not None:
        stood_on = {chunk for answer in answers for chunk in answer.chunks}
        taken = list(_other_facts(served, taken, stood_on, set(own[:_KEPT_OWN_FACTS])))
        if taken:
            more = counted(sum(len(each.run.edges) for each in taken), "fact")
            notes = (f"a question like this was answered before: beside the facts of that answer {more} more are read",)
    parts = _parts(question, others, answers, taken, settings, counter) if answers or taken else ()
    return PrunedPrompt(parts, (*(run for answer in answers for run in _runs_of(answer)), *taken), notes)


def near(recalled: Iterable[RecalledAnswer]) -> list[RecalledAnswer]:
    """The answers whose facts are worth their tokens."""
    return [each for each in recalled if each.similarity >= _USEFUL_ANSWER_COSINE]


def _runs_of(answer: RecalledAnswer) -> Iterator[ScoredRun]:
    for chunk in dict.fromkeys(answer.chunks):
        places = [place for place, other in enumerate(answer.chunks) if other == chunk]
        edges = tuple(answer.edges[place] for place in places)
        run = FactRun(f"{answer.id} {chunk}", chunk, answer.documents[places[0]], edges, (-1,) * len(edges))
        yield ScoredRun(run, answer.similarity, answer.vectors[places] if len(answer.vectors) else answer.vectors)


def own_best(runs: Iterable[ScoredRun], vector: Vectors) -> list[str]:
    """The facts of runs by their similarity to a question, the most similar first: canonical ids, each once. Its names
    alone, which the fine score compares with facts, too, would find whatever is said of them.

    Args:
        vector: float32[d], of the question as a whole.
    """
    best: dict[str, float] = {}
    for each in runs:
        for edge, cosine in zip(each.run.edges, (each.vectors @ vector).tolist(), strict=True):
            best[edge.canonical] = max(cosine, best.get(edge.canonical, -1.0))
    return best_of(best, len(best))


def serves(answer: RecalledAnswer, asked: str, own: Sequence[str], lines: Mapping[str, str]) -> bool:
    """Whether an answer was given to the question that is asked. One without a model may be any sentence, and leaves
    nothing out. Where the words of the questions differ, facts decide: a paraphrase finds first what the answer cites,
    and its new words nowhere; a follow-up finds something else.

    Args:
        own: as of `own_best`.
        lines: of these facts, by their ids.
    """
    if answer.kind != "llm" or answer.similarity < _PARAPHRASE_COSINE or not own:
        return False
    cited = {edge.canonical for edge in answer.edges}
    alike = sameness(asked, answer.question)
    if alike != "open":
        return alike == "same" and not cited.isdisjoint(own)
    new = _new_words(asked, answer)
    return own[0] in cited and not any(new.spans(lines[each]) for each in own if each not in cited)


def _new_words(asked: str, answer: RecalledAnswer) -> AskedWords:
    words = AskedWords.of(asked)
    known = {*words.found_in(answer.question, *(edge.line for edge in answer.edges)), *FUNCTION_WORDS}
    return AskedWords({stem: form for stem, form in words.forms.items() if known.isdisjoint((form, form.lower()))})


def _other_facts(
    answer: RecalledAnswer, runs: Iterable[ScoredRun], stood_on: Collection[str], own: Collection[str]
) -> Iterator[ScoredRun]:
    """The question's own facts, and of the first run of each other chunk the one nearest to what an answer cites.

    Args:
        stood_on: chunks that need no more.
    """
    seen = set(stood_on)
    for each in runs:
        kept = {at for at, edge in enumerate(each.run.edges) if edge.canonical in own}
        if each.run.chunk not in seen:
            seen.add(each.run.chunk)
            cosines = (each.vectors @ answer.vectors.T).max(axis=1) if len(answer.vectors) else np.zeros(1)
            kept.add(int(cosines.argmax()))
        if kept:
            yield _with_edges(each, sorted(kept))


def _without(runs: Iterable[ScoredRun], cited: Collection[str], *, once: bool) -> Iterator[ScoredRun]:
    """The runs without facts that are cited, and with `once` without those of runs before; no empty ones."""
    known = set(cited)
    for each in runs:
        kept = [place for place, edge in enumerate(each.run.edges) if edge.canonical not in known]
        if once:
            known |= {each.run.edges[place].canonical for place in kept}
        if kept:
            yield _with_edges(each, kept)


def _with_edges(of: ScoredRun, places: Sequence[int]) -> ScoredRun:
    if len(places) == len(of.run.edges):
        return of
    edges = tuple(of.run.edges[place] for place in places)
    sentences = tuple(of.run.sentences[place] for place in places)
    return ScoredRun(replace(of.run, edges=edges, sentences=sentences), of.score, of.vectors[list(places)])


def _parts(
    question: Sequence[Triple],
    related: Sequence[RelatedQuestion],
    answers: Sequence[RecalledAnswer],
    runs: Sequence[ScoredRun],
    settings: AprRetrieverSettings,
    counter: TokenCounter,
) -> tuple[Part, ...]:
    of_answers = _once(answers)
    of_runs = [_facts(each.run) for each in runs]
    questions = [_asked(question), *(_asked(each.edges) for each in related)]
    channels = Channels(questions, _words(of_answers), _words(of_runs))
    texts = {form: encode(channels, form) for form in FORMS}
    counts = counter.count(list(texts.values()))
    tokens = dict(zip(FORMS, counts.tokens, strict=True))
    form = min(FORMS, key=tokens.__getitem__) if settings.encoding == "auto" else settings.encoding
    document = {chunk: doc for answer in answers for chunk, doc in zip(answer.chunks, answer.documents, strict=True)}
    document |= {each.run.chunk: each.run.document for each in runs}
    chunks = tuple(dict.fromkeys(fact.chunk for one in (*of_answers, *of_runs) for fact in one))
    knowledge = KnowledgePart(
        text=texts[form],
        score=runs[0].score if runs else answers[0].similarity,
        chunks=chunks,
        documents=tuple(dict.fromkeys(document[chunk] for chunk in chunks)),
        encoding=form,
        tokenizer=counts.tokenizer,
        tokens_by_encoding=tokens,
        prompt_tokens=tokens[form],
        question=tuple(questions[0]),
        related=tuple(words for one in questions[1:] for words in one),
        knowledge=tuple(fact for one in of_answers for fact in one),
        facts=tuple(fact for one in of_runs for fact in one),
    )
    return (*map(_remembered, answers), knowledge)


def _remembered(answer: RecalledAnswer) -> RememberedAnswer:
    by = answer.model or "quoted sentences"
    text = shortened(without_citations(answer.text), _LONGEST_RECALLED_ANSWER_CHARACTERS)
    return RememberedAnswer(
        text=f"Remembered answer to: {on_one_line(answer.question)} ({by}, {answer.asked[:10]})\n{text}",
        score=answer.similarity,
        chunks=tuple(dict.fromkeys(answer.chunks)),
        documents=tuple(dict.fromkeys(answer.documents)),
        id=answer.id,
        question=answer.question,
        short=answer.short,
        by=answer.kind,
        model=answer.model,
        asked=answer.asked,
        facts=tuple(_cited(answer)),
    )


def _once(answers: Iterable[RecalledAnswer]) -> list[list[PromptFact]]:
    known: set[str] = set()
    found: list[list[PromptFact]] = []
    for answer in answers:
        found.append([])
        for fact, edge in zip(_cited(answer), answer.edges, strict=True):
            if edge.canonical not in known:
                known.add(edge.canonical)
                found[-1].append(fact)
    return found


def _cited(answer: RecalledAnswer) -> list[PromptFact]:
    return [_fact(edge, chunk) for edge, chunk in zip(answer.edges, answer.chunks, strict=True)]


def _facts(run: FactRun) -> list[PromptFact]:
    return [_fact(edge, run.chunk) for edge in run.edges]


def _fact(edge: CodebookEdge, chunk: str) -> PromptFact:
    return PromptFact(edge.id, chunk, edge.head, edge.relation, edge.tail)


def _words(runs: Iterable[Iterable[PromptFact]]) -> list[list[Words]]:
    return [[fact.words for fact in run] for run in runs]


def _asked(triples: Iterable[Triple | CodebookEdge]) -> list[Words]:
    return [(each.head or ASKED_FOR, each.relation or ASKED_FOR, each.tail or ASKED_FOR) for each in triples]
