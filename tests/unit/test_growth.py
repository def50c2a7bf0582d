"""No regular expression takes time out of proportion to a text: every one of the packages reads runs of what it names.

A run of n characters is read in steps, up to a thousand. Where one takes longer than a linear search could, its time is
compared with that of a run of four times the length: a linear search takes four times as long, a quadratic one sixteen.
Measurements end with the first that shows no growth: only growth has to be seen again and again.
"""

from __future__ import annotations

import ast
import functools
import importlib
import itertools
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest
from pydantic import BaseModel

import overstory
import overstory_loaders
from overstory.answer.answer_type import types_asked_for
from overstory.answer.generative import before_repetition
from overstory.answer.paragraphs import is_navigation, paragraphs
from overstory.answer.support import content_words
from overstory.answer.unsupported_names import unsupported_names
from overstory.llm.prompts import without_control_tokens
from overstory.llm.structured_answers import Malformed, parsed
from overstory.model import Document
from overstory.surrogates import printable
from overstory.text import entity_key
from overstory.text.chunks import split
from overstory.text.extraction.mentions import mention
from overstory.text.names.keys import without_parentheses
from overstory.text.names.shapes import shapes
from overstory.text.names.subject_names import title_names
from overstory.text.names.subjects import defined_terms
from overstory.text.names.tokens import tokenise
from overstory.text.questions.antecedents import Named, Turn
from overstory.text.questions.follow_up import complete
from overstory.text.questions.kinds import form_of
from overstory.text.questions.whole_corpus import asks_about_whole_corpus
from overstory.text.sentences import sentence_starts
from overstory.text.words import asked_words, indexed_words
from overstory_loaders.blocks import clean_text
from overstory_loaders.mail_headers import decoded_field, without_header
from overstory_loaders.mail_parts import read_mail
from overstory_loaders.markdown import read_markdown, split_front_matter

METHODS = frozenset({"search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn"})
STEPS = (24, 36, 54, 100, 1000)
"""Lengths of a run: a search that takes exponential time would never come back from the last one."""
ATTEMPTS = 3
"""Measurements that must all show growth: another process may have disturbed one."""
SUSPICIOUS = 5e-4
"""Seconds for a run of a thousand characters; a linear search takes some microseconds. For fewer, ten times as many."""
MOST_GROWTH = 9.0
"""Times as long for four times as many characters; 4 where it is linear, 16 where it is quadratic."""
COMMON = (" ", "\n", "a", "A", "1", ".", "_", "(", '"', "-", "'s", "²")
BOUNDED = {
    "overstory_loaders.html._CHARSET": "the first kilobyte of a file",
    "overstory.browser.queries._HEADER": "statements of this package",
    "overstory.server.configuration._VERSION": "what java -version says",
    "overstory.graph.failures._REASON": "a message of the driver",
}
"""Expressions that meet no text of a user, or short ones alone."""


class Used(NamedTuple):
    """A regular expression, where a module has it, and by which methods that module calls it."""

    pattern: re.Pattern[Any]
    place: str
    methods: frozenset[str]


def module_names() -> Iterator[str]:
    """Names of all modules. None is imported, which costs a run that only collects these tests some seconds."""
    for package in (overstory, overstory_loaders):
        root = Path(str(package.__file__)).parent
        for file in sorted(root.rglob("*.py")):
            if file.stem != "__main__":
                yield ".".join(file.relative_to(root.parent).with_suffix("").parts).removesuffix(".__init__")


def patterns_in(value: object) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from patterns_in(each)
    elif isinstance(value, dict):
        yield from patterns_in(list(value.values()))


def calls(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Names at module level, each with a method that is called on it, or on what a loop takes out of it."""
    looped: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.For, ast.comprehension)) and isinstance(node.iter, ast.Name):
            for part in ast.walk(node.target):
                if isinstance(part, ast.Name):
                    looped.setdefault(part.id, set()).add(node.iter.id)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in METHODS:
            for name in (node.value.id, *looped.get(node.value.id, ())):
                yield name, node.attr


def inline(tree: ast.Module) -> Iterator[tuple[str, str, int]]:
    """Expressions that are written where they are used, with the method and the line."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="re"), attr=method), args=[ast.Constant(value=str(text)), *_]
            ) if method in METHODS:
                yield text, method, node.lineno
            case _:
                pass


def expressions(module: ModuleType) -> Iterator[Used]:
    """Expressions that a module names, imports or writes where it uses them."""
    text = Path(str(module.__file__)).read_text(encoding="utf-8")
    named = [(name, pattern) for name, value in vars(module).items() for pattern in patterns_in(value)]
    if not named and not any(f"re.{method}(" in text for method in METHODS):
        return
    tree = ast.parse(text)
    called: dict[str, set[str]] = {}
    for name, method in calls(tree):
        called.setdefault(name, set()).add(method)
    for name, pattern in named:
        yield Used(pattern, f"{module.__name__}.{name}", frozenset(called.get(name, {"finditer"})))
    for written, method, line in inline(tree):
        yield Used(re.compile(written), f"{module.__name__}:{line}", frozenset({method}))


def parts_of(pattern: re.Pattern[Any]) -> list[str]:
    """Return the words and characters of an expression that a text may repeat."""
    text = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    plain = re.sub(r"\\[A-Za-z]|\(\?(?:P<\w+>|[:=!>]|<[=!])", " ", text).replace("\\", "")
    words = re.findall(r"[^\s()\[\]{}|*+?.^$]+", plain)
    signs = [sign for sign in plain if not (sign.isalnum() or sign.isspace() or "\ud800" <= sign <= "\udfff")]
    some = (each for each in itertools.chain(COMMON, words[:4], signs) if each.isprintable() or each == "\n")
    return list(dict.fromkeys(some))[:13]


class Run(NamedTuple):
    """A text of a given length: something again and again between two others."""

    before: str
    repeated: str
    after: str

    def of_length(self, length: int) -> str:
        return self.before + self.repeated * (length // len(self.repeated)) + self.after


def runs(pattern: re.Pattern[Any]) -> Iterator[Run]:
    parts = parts_of(pattern)
    for before, repeated in itertools.product(["", *parts], parts):
        for after in ("", "\0"):
            yield Run(before, repeated, after)
            if before:
                yield Run("", before + repeated, after)


def seconds(read: Callable[[str], object], text: str) -> float:
    begun = time.process_time()
    read(text)
    return time.process_time() - begun


def grows(read: Callable[[str], object], run: Run) -> bool:
    """Return True if the time of reading grows faster than the text."""
    for shorter, length in itertools.pairwise((STEPS[0] // 2, *STEPS)):
        is_last = length == STEPS[-1]
        if seconds(read, run.of_length(length)) > (SUSPICIOUS if is_last else 10 * SUSPICIOUS):
            few, many = (length, 4 * length) if is_last else (shorter, length)
            if all(slowed(read, run, few, many) for _ in range(ATTEMPTS)):
                return True
    return False


def slowed(read: Callable[[str], object], run: Run, few: int, many: int) -> bool:
    """Return True if the longer text takes too long, by the shortest of up to five times for each length.

    The lengths are read in turns, so that a busy machine slows both. The first proportional times end the comparison.
    """
    fast = slow = float("inf")
    for _ in range(5):
        fast = min(fast, seconds(read, run.of_length(few)))
        slow = min(slow, seconds(read, run.of_length(many)))
        if slow <= MOST_GROWTH / 4 * (many / few) * fast:
            return False
    return True


def reader(pattern: re.Pattern[Any], method: str) -> Callable[[str], object]:
    call: Callable[..., Any] = getattr(pattern, method)
    given: list[str | bytes] = []
    if method in ("sub", "subn"):
        given.append("" if isinstance(pattern.pattern, str) else b"")

    def read(text: str) -> object:
        found = call(*given, text if isinstance(pattern.pattern, str) else text.encode("utf-8", "replace"))
        return list(found) if method == "finditer" else found

    return read


@functools.cache
def slow_run(pattern: re.Pattern[Any], method: str) -> Run | None:
    """Return a run that takes too long. An expression that several modules have is measured once."""
    read = reader(pattern, method)
    return next((run for run in runs(pattern) if grows(read, run)), None)


def test_every_module_is_looked_at() -> None:
    expected = {
        "overstory.text.sentences._END",
        "overstory_loaders.html._TAG",
        "overstory.graph.ids.CORPUS_LABEL",
        *BOUNDED,
    }
    names = {place.rpartition(".")[0] for place in expected}
    assert names <= {*module_names()}
    places = {each.place for name in names for each in expressions(importlib.import_module(name))}
    assert expected <= places


@pytest.mark.parametrize("name", [*module_names()])
def test_an_expression_takes_time_in_proportion_to_the_text(name: str) -> None:
    for used in expressions(importlib.import_module(name)):
        if used.place not in BOUNDED:
            for method in sorted(used.methods):
                slow = slow_run(used.pattern, method)
                assert slow is None, f"{method} of {used.place} is slow for {slow}"


def chunked(text: str) -> object:
    document = Document(source="a.txt", source_key="a.txt", title="A", text=text)
    return split(document, lambda texts: [len(each) for each in texts], 64)


def parsed_report(text: str) -> None:
    with pytest.raises(Malformed):
        parsed(Said, text)


class Said(BaseModel):
    """Text of a model."""

    word: str


READERS: dict[str, Callable[[str], object]] = {
    "a cleaned text": clean_text,
    "front matter": split_front_matter,
    "Markdown headings": read_markdown,
    "a field of a message": decoded_field,
    "the header of a message": lambda text: without_header(f"From: a\nSubject: {text}"),
    "the type of a message": lambda text: read_mail(f"Subject: x\nContent-Type: {text}".encode(), "a.eml"),
    "sentences": sentence_starts,
    "chunks": chunked,
    "paragraphs": paragraphs,
    "tokens": tokenise,
    "a key": entity_key.__wrapped__,
    "shapes": shapes,
    "a mention": lambda text: mention(f"a{text}b", 0, len(text) + 2, type_="ORG", sentence=0),
    "defined terms": defined_terms,
    "the names of a title": title_names,
    "a title": without_parentheses,
    "words": content_words,
    "words of a section": indexed_words,
    "words of a question": asked_words,
    "the form of a question": form_of,
    "the types that a question asks for": lambda text: types_asked_for(f"What{text}"),
    "a follow-up question": lambda text: complete(text, (), [Turn("Who wrote Dracula?", "", (Named("Dracula"),))]),
    "a question about the whole corpus": asks_about_whole_corpus,
    "navigation": is_navigation,
    "an answer": parsed_report,
    "repetition": before_repetition,
    "what stands nowhere": lambda text: unsupported_names(text, ["x"]),
    "what stands somewhere": lambda text: unsupported_names(f"Anna Bern. {text}", [f"{text} Anna"]),
    "a quoted document": without_control_tokens,
    "what a terminal obeys": printable,
}


REPEATED = (
    *".! \n\ta\\A1_()[{<>'\"-#*`|²é字。",
    *(
        "'s",
        " 's",
        "a.",
        "A.",
        ".1",
        "a ",
        "A ",
        "\n ",
        "\n\n",
        "- ",
        " (",
        "?!",
        "’s ",
        "``` ",
        "aA",
        "::a",
        "/a",
        "--a",
        "Ab ",
        "1,",
        "1年",
        "May 1 ",
        "\\*[",
        "\\n[a",
        "\\f[",
        "(a (",
        "=?a?q?b",
        "a;",
    ),
    "<think>",
)


@pytest.mark.parametrize("name", READERS)
def test_what_reads_a_text_takes_time_in_proportion(name: str) -> None:
    for repeated, (before, after) in itertools.product(REPEATED, (("", ""), ("Aa", "_"), ("Start. ", "x"))):
        run = Run(before, repeated, after)
        assert not grows(READERS[name], run), run
