"""The code keeps the rules of the house: pages written from it are current, a name means one thing, and so on.

All tests here share one parse of the modules. Each check of the sources runs in one place: these in `make test`, since
they need no tool; what a tool checks (format, lint, types, import floors, names of registries and of one machine) in
`make lint` alone.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

import pytest
from scripts import draw_house
from scripts.parsed_modules import Module, parsed_modules

from overstory.graph.statements import statement_names

IN_KEYS = {"FoundEntity", "FoundEntities"}
"""Classes whose name is part of a model's schema, and so of the key under which its paid answers are kept."""

STATEMENTS = frozenset(statement_names())
FOLDERS = sorted({name.split("/")[0] for name in STATEMENTS})
STATEMENT = re.compile(rf"(?:{'|'.join(FOLDERS)})(?:/[a-z0-9_]+)+")
ENDINGS = ("_index", "_exact", "_alternate")
"""Python adds these to the name of a statement that exists in two forms."""

TRANSACTIONS = ("reading", "query_current_corpus", "opened", "run_own")
"""Functions that take a statement name as the name of a transaction, for which no statement may exist."""

CALLERS = ("overstory", "overstory_cli", "overstory_service", "overstory_systems")
"""Packages that run statements."""

MADE_PATTERNS = {
    "overstory/answer/guess.py": (2, "a name, escaped"),
    "overstory/answer/moments.py": (1, "a date"),
    "overstory/answer/subjects.py": (3, "a name, a noun or a number, escaped, after a bounded word"),
    "overstory/answer/support.py": (1, "a letter with digits"),
    "overstory/answer/confidence.py": (
        2,
        "a name, escaped; runs of letters and of digits of an identifier, escaped, at most three marks between",
    ),
    "overstory/browser/style.py": (1, "a kind of nodes, escaped"),
    "overstory_cli/output.py": (1, "the width of the terminal, a number"),
    "overstory/conversation/names.py": (1, "a title, escaped"),
    "overstory/endpoints.py": (1, "a key, escaped, with at most one space between characters"),
    "overstory/graph/statements.py": (1, "names of parameters in statements of ours, escaped"),
    "overstory/llm/prompts.py": (1, "a tag of a prompt of ours, escaped"),
    "overstory/retrieve/suggested_merges.py": (
        1,
        "words of two names, escaped; no letter fits between them",
    ),
    "overstory/text/parsing/faster_attributes.py": (1, "a condition of a pipeline of spaCy"),
    "overstory/text/extraction/mentions.py": (1, "a word, escaped"),
    "overstory/text/key_phrases.py": (1, "a phrase, escaped"),
    "overstory/text/names/tokens.py": (1, "scripts whose words have no spaces, constants"),
    "overstory/text/questions/follow_up.py": (1, "a name, escaped"),
    "overstory/text/time_spans.py": (5, "words and forms of dates of six languages, constants, with bounded repeats"),
    "overstory/text/words.py": (2, "letters of scripts, constants"),
    "overstory/wildcards.py": (2, "wildcards, each piece in an atomic group, which is not tried again"),
}
"""Modules whose functions make regular expressions: how many, of what, and why these cannot backtrack far on any text.
A pattern that somebody gives goes through `overstory.wildcards`."""
PATTERN_FUNCTIONS = {"compile", "search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn"}

Texts = dict[str, tuple[set[str], set[str]]]
"""For each module its string constants, and the names of statements that its f-strings make of them."""


@pytest.fixture(scope="module")
def modules() -> list[Module]:
    return parsed_modules()


@pytest.fixture(scope="module")
def texts(modules: list[Module]) -> Texts:
    callers = (module for module in modules if module.path.parts[0] in CALLERS)
    return {module.path.as_posix(): texts_of(module.tree) for module in callers}


def texts_of(tree: ast.AST) -> tuple[set[str], set[str]]:
    """Return the strings of a module except names of transactions, and the names that its f-strings make of them.

    A name that ends in "_" is the beginning of names.
    """
    nodes = [*ast.walk(tree)]
    calls = (node for node in nodes if isinstance(node, ast.Call) and _called(node) in TRANSACTIONS)
    of_transactions = {id(argument) for call in calls for argument in call.args[:2]}
    found = {
        node.value
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in of_transactions
    }
    return found, set(_made(found, _beginnings(nodes)))


def _called(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _beginnings(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the strings that f-strings such as `f"export/{statement}"` begin with."""
    joined = (node.values[0] for node in nodes if isinstance(node, ast.JoinedStr) and node.values)
    return {first.value for first in joined if isinstance(first, ast.Constant) and isinstance(first.value, str)}


def _made(texts: set[str], beginnings: set[str]) -> Iterator[str]:
    ends = {*texts, *(each for each in beginnings if re.fullmatch(r"[a-z_]+_", each))}
    for beginning in beginnings:
        if STATEMENT.fullmatch(f"{beginning}x"):
            yield from (beginning + end for end in ends)


def is_statement(name: str) -> bool:
    return name in STATEMENTS or any(f"{name}{ending}" in STATEMENTS for ending in ENDINGS)


def test_contributing_has_the_rooms_as_they_are(modules: list[Module]) -> None:
    assert draw_house.main(["--check"], modules) == 0


def test_an_arrow_that_follows_from_others_is_left_out() -> None:
    rooms = {"cli": {"index", "graph"}, "index": {"graph"}, "graph": set[str]()}
    assert draw_house.arrows(rooms) == [("cli", "index"), ("index", "graph")]


def test_a_search_for_a_class_finds_one(modules: list[Module]) -> None:
    paths = defaultdict[str, list[str]](list)
    for module in modules:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef) and node.name not in IN_KEYS:
                paths[node.name.lstrip("_")].append(module.path.as_posix())
    assert len(paths) > 500
    assert {name: found for name, found in paths.items() if len(found) > 1} == {}


def test_every_name_of_a_statement_in_python_is_a_file(texts: Texts) -> None:
    assert texts
    named = {
        f"{module}: {text}"
        for module, (found, _) in texts.items()
        for text in found
        if STATEMENT.fullmatch(text) and not is_statement(text)
    }
    assert named == set()


def test_every_statement_is_called_by_python(texts: Texts) -> None:
    called = set[str]().union(*(found | made for found, made in texts.values()))
    begun = tuple(name for name in called if STATEMENT.fullmatch(name) and name.endswith("_"))
    # Those of Neo4j Browser are found by their folder.
    own = [name for name in STATEMENTS if "saved_queries" not in name and not name.startswith(begun)]
    forms = {name: {name, *(name.removesuffix(ending) for ending in ENDINGS)} for name in own}
    assert [name for name, spelt in forms.items() if not spelt & called] == []


def test_a_name_without_a_file_would_be_noticed() -> None:
    tree = ast.parse('tx.run("ingest/write_nothing"); graph.reading("retrieve/nothing", work); f"export/{name}x"')
    found, made = texts_of(tree)
    assert found == {"ingest/write_nothing", "export/", "x"}
    assert made == {"export/ingest/write_nothing", "export/export/", "export/x"}
    assert STATEMENT.fullmatch("ingest/write_nothing")
    assert not is_statement("ingest/write_nothing")


@pytest.fixture(scope="module")
def with_patterns(modules: list[Module]) -> list[Module]:
    """Modules that may make regular expressions."""
    return [each for each in modules if re.search(r"\b(?:re|fnmatch|regex|pathspec)\b", each.text)]


def test_every_pattern_made_while_running_is_listed_with_why_it_cannot_backtrack(with_patterns: list[Module]) -> None:
    made = {module.path.as_posix(): made_patterns(module.tree) for module in with_patterns}
    assert {path: count for path, count in made.items() if count} == {path: n for path, (n, _) in MADE_PATTERNS.items()}


def test_only_re_makes_patterns_and_under_its_own_name(with_patterns: list[Module]) -> None:
    for module in with_patterns:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Import):
                assert not any(each.name == "re" and each.asname for each in node.names), module.path
                assert not {"fnmatch", "regex", "pathspec"} & {each.name for each in node.names}, module.path
            elif isinstance(node, ast.ImportFrom):
                assert node.module not in ("re", "fnmatch", "regex", "pathspec"), module.path


@pytest.mark.parametrize(
    ("code", "count"),
    [
        ("re.compile(NAMES + '+')", 0),  # at import, of constants
        ("def f(): re.compile('a*')", 0),
        ("def f(x): re.sub(pattern=x, repl='', string='')", 1),
        ("def f(x): g(lambda: re.search(f'{x}+', ''))", 1),
        ("g(lambda x: re.split(x, ''))", 1),
        ("def f(x): re.escape(x)", 0),
    ],
)
def test_a_pattern_made_while_running_would_be_noticed(code: str, count: int) -> None:
    assert made_patterns(ast.parse(code)) == count


def made_patterns(tree: ast.AST) -> int:
    """Count calls of `re` within functions whose pattern is not written there."""
    found, left = 0, [(tree, False)]
    while left:
        node, inside = left.pop()
        found += inside and isinstance(node, ast.Call) and makes_pattern(node)
        inside = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        left += [(child, inside) for child in ast.iter_child_nodes(node)]
    return found


def makes_pattern(call: ast.Call) -> bool:
    match call.func:
        case ast.Attribute(ast.Name("re"), name) if name in PATTERN_FUNCTIONS:
            named = [each.value for each in call.keywords if each.arg == "pattern"]
            return not isinstance([*call.args, *named][0], ast.Constant)
        case _:
            return False
