"""Builds the pruned prompt from the answers, facts and related questions that are worth their tokens.

The functions are pure, apart from counting tokens.

Source: AutoPrunedRetriever paper, Sections 2.5 and 2.6.
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

# Sameness of questions: does a question ask the same as a remembered one?
#
# Cosines cannot decide this, because a follow-up question can be as close to the previous question as a paraphrase:
# "Who was saved from the ship that ran onto the Crow Rocks?" and "Which ship ran onto the Crow Rocks?" have a cosine of
# 0.88. Two questions differ if they ask for different things (who, when), if a name, number or a word such as "before"
# differs, or if only one question has additional words. If ordinary words were replaced, the facts decide (`serves`).

Sameness = Literal["same", "open", "other"]

_ASKING = {"who": "who", "whom": "who", "whose": "who", "why": "why", "how": "how", "where": "where", "when": "when"}
_PEOPLE = re.compile(r"\bwhich (?:\w+ )?(?:people|persons?)\b", re.IGNORECASE)
_OBJECT = re.compile(r"\b(?:who|whom|which|what)\b.*?\b(?:do|does|did)\b", re.IGNORECASE | re.DOTALL)
"""Matches questions that ask for the object of an action: "Who did Ada manage?", but not "Who managed Ada?"."""
_ACTING = frozenset({"PERSON", "ORG"})
_WHAT = frozenset({"what", "which"})
_CHANGING_WORDS = frozenset(
    {"another", "before", "earlier", "else", "first", "last", "later", "never", "no", "not", "older", "other", "until"}
    | {"without", "younger"}
)
"""Words that change the meaning of a question."""
_CLASSES = frozenset({"kind", "name", "sort", "thing", "type", "year", "day", "date", "person", "place", "city"})
"""Words that only name the kind of answer and may be missing: "in which year" means "when"."""


def sameness(asked: str, remembered: str) -> Sameness:
    """Return "same" if two questions ask the same, "open" if only ordinary words differ, otherwise "other"."""
    kinds = asked_for(asked) & asked_for(remembered)
    if not kinds or _changing_words(asked) != _changing_words(remembered):
        return "other"
    if not kinds.isdisjoint(_ACTING) and bool(_OBJECT.search(asked)) != bool(_OBJECT.search(remembered)):
        return "other"
    here, there = _same_question_words(asked), _same_question_words(remembered)
    more, less = _missing(here, there), _missing(there, here)
    if any(more) or any(less) or bool(more) != bool(less):  # "the coworker of Jonas" is not "Jonas"
        return "other"
    return "open" if more else "same"


def asked_for(question: str) -> frozenset[str]:
    """Return the entity types that can answer a question; if none are known, return its question word."""
    if types := types_asked_for(_PEOPLE.sub("who", question)):
        return frozenset(types)
    words = (match.group().lower() for match in word_matches(question))
    return frozenset({next((_ASKING.get(word, "what") for word in words if word in _ASKING or word in _WHAT), "")})


def _same_question_words(question: str) -> dict[str, bool]:
    """Map the stems of the question's content words to True for names and numbers, otherwise to False."""
    found: dict[str, bool] = {}
    for place, match in enumerate(word_matches(question)):
        word = match.group()
        if word.lower() not in FUNCTION_WORDS | _CLASSES:
            named = (place > 0 and word[0].isupper()) or any(map(str.isdigit, word))
            found[stem(word)] = named or found.get(stem(word), False)
    return found


def _missing(words: Mapping[str, bool], others: Mapping[str, bool]) -> list[bool]:
    """For each word missing from `others`, return True if it is a name or number."""
    return [
        named
        for word, named in words.items()
        if word not in others and (named or not any(same_relation(word, other) for other in others))
    ]


def _changing_words(question: str) -> set[str]:
    return {match.group().lower() for match in word_matches(question)} & _CHANGING_WORDS


_PARAPHRASE_COSINE = 0.85
"""Minimum cosine between a question and a remembered question that may be its paraphrase. 18 of 20 handwritten
paraphrases reach it. So does a different question for 2 of 494 questions of 2WikiMultiHopQA, and for one in twenty of
400 headings of man pages."""
_USEFUL_ANSWER_COSINE = 0.7
"""Minimum cosine between a question and a remembered question whose answer is worth its tokens. For 90 % of the
2WikiMultiHopQA questions, no other question reaches it, although many differ only in names."""
_LONGEST_RECALLED_ANSWER_CHARACTERS = 600
"""Maximum number of characters of a remembered answer that are shown."""
_KEPT_OWN_FACTS = 8
"""Number of best facts for the question that a remembered answer never replaces. They cost about 18 tokens, and keep
most of the right facts in the prompt if the remembered answer was wrong."""
ASKED_FOR = "?"
"""Placeholder for the part of a triple that the question asks for."""

FORMS: tuple[Form, ...] = get_args(Form)


@dataclass(frozen=True, slots=True)
class PrunedPrompt:
    """The pruned prompt and the runs whose sentences should be quoted.

    Attributes:
        parts: The remembered answers, for display, those to the most similar questions first; then one `KnowledgePart`
            for the language model. Empty if no fact or answer is left. The evidence must contain the chunks of each
            part as hits or sources.
        runs: Runs whose sentences are quoted as excerpts: first one run per chunk that an answer cites, with unknown
            sentences (-1), then the selected runs of facts, best first, reduced to their selected edges.
        notes: Explains why facts were left out for reasons other than the settings.
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
    """Select items from each channel according to the settings, and encode them as a prompt.

    0. If `settings.policy` is set, the trained policy chooses the actions of the channels. In that case, pass items for
      all channels, even those that the settings disable.
    1. From each channel (answers, facts, questions), all items are kept, or one item per group of equivalents, or none.
      Only the first `settings.runs` runs are considered, and answers to questions with a cosine of at least
      `_USEFUL_ANSWER_COSINE`. With "unique", each fact appears only in the first run that contains it. Answers recalled
      by symbols have already competed and are all considered.
    2. Facts cited by a selected answer are removed from the runs. Runs without remaining facts are dropped.
    3. If a selected answer by a language model answers the same question (`serves`), most other facts are dropped. The
      question's `_KEPT_OWN_FACTS` best facts stay. From each chunk that no selected answer cites, one more fact stays:
      the fact of its best run that is most similar to the answer's facts. Step 3 is skipped for answers recalled by
      symbols.
    4. The triples are encoded in the form `settings.encoding`. "auto" chooses the form with the fewest tokens, and on a
      tie the more readable form.

    Does not read the graph. Takes O(n² + texts) time for n runs.

    Args:
        question: Triples of the question, with "" where it asks for something. May be empty.
        runs: At most a few hundred runs, sorted by score, best first; ties are sorted by id.
        recalled: Remembered answers that may be used, the most similar question first.
        related: Remembered questions, the most similar first.
        counter: Counts the tokens of all three forms in one call.
        asked: Text of the question.
        vector: float32[d], vector of the whole question. Without a vector, step 3 is skipped.
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
            notes = (f"this question was answered before: the prompt has the facts of that answer, and {more} more",)
    parts = _parts(question, others, answers, taken, settings, counter) if answers or taken else ()
    return PrunedPrompt(parts, (*(run for answer in answers for run in _runs_of(answer)), *taken), notes)


def near(recalled: Iterable[RecalledAnswer]) -> list[RecalledAnswer]:
    """Return the answers to sufficiently similar questions, whose facts are worth their tokens."""
    return [each for each in recalled if each.similarity >= _USEFUL_ANSWER_COSINE]


def _runs_of(answer: RecalledAnswer) -> Iterator[ScoredRun]:
    for chunk in dict.fromkeys(answer.chunks):
        places = [place for place, other in enumerate(answer.chunks) if other == chunk]
        edges = tuple(answer.edges[place] for place in places)
        run = FactRun(f"{answer.id} {chunk}", chunk, answer.documents[places[0]], edges, (-1,) * len(edges))
        yield ScoredRun(run, answer.similarity, answer.vectors[places] if len(answer.vectors) else answer.vectors)


def own_best(runs: Iterable[ScoredRun], vector: Vectors) -> list[str]:
    """Return the distinct canonical ids of the facts in runs, sorted by cosine with the question, best first.

    `vector` must represent the whole question. Vectors of its names alone would match every fact about these names.
    """
    best: dict[str, float] = {}
    for each in runs:
        for edge, cosine in zip(each.run.edges, (each.vectors @ vector).tolist(), strict=True):
            best[edge.canonical] = max(cosine, best.get(edge.canonical, -1.0))
    return best_of(best, len(best))


def serves(answer: RecalledAnswer, asked: str, own: Sequence[str], lines: Mapping[str, str]) -> bool:
    """Return True if a remembered answer answers the current question.

    An extractive answer never qualifies, because it may be any sentence. If some words of the two questions differ, the
    facts decide. The current question is a paraphrase if the answer cites its best fact, and if no uncited fact
    contains its new words. The best fact of a follow-up question is a different one.

    Args:
        own: Canonical ids of facts, ranked by `own_best`.
        lines: Text of each of these facts, by canonical id.
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
    """Yield the facts in `own` and, for each chunk not in `stood_on`, the fact most similar to the answer."""
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
    """Remove cited facts from runs and, with `once`, facts that earlier runs contain. Skips empty runs."""
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
    of_answers = _distinct_facts(answers)
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


def _distinct_facts(answers: Iterable[RecalledAnswer]) -> list[list[PromptFact]]:
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
