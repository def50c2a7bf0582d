"""Reads encoded prompts back into triples, as a reader who knows nothing but their rules would."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_TOKEN = re.compile(r'\s*(?:(?P<quoted>"(?:[^"\\]|\\.)*")|(?P<mark>[\[\],])|(?P<bare>[^\[\],"]+))')
Lists = dict[str, list[tuple[str, str, str]]]


def decoded(text: str) -> Lists:
    """The triples of each list, by its name without what is in parentheses."""
    values = dict(_members(text[text.index("\n{\n") + 3 : -2]))
    lists = {name.partition("(")[0]: value for name, value in values.items() if "(" in name}
    if "e" not in values:
        return {name: [_triple(each) for each in value] for name, value in lists.items()}
    e, r = values["e"], values["r"]

    def words(numbers: list[str]) -> tuple[str, str, str]:
        head, relation, tail = map(int, numbers)
        return e[head], r[relation], e[tail]

    if "edge_matrix" in values:
        edges = [words(each) for each in values["edge_matrix"]]
        return {name: [edges[int(each)] for each in value] for name, value in lists.items()}
    return {name: [words(each) for each in value] for name, value in lists.items()}


def _triple(words: list[str]) -> tuple[str, str, str]:
    head, relation, tail = words
    return head, relation, tail


def _members(body: str) -> Iterator[tuple[str, Any]]:
    """Names and lists of the lines `"NAME": [...]`, which may go over several lines."""
    for line in re.split(r",\n(?=\")", body):
        name, _, value = line.partition('": ')
        yield name.removeprefix('"'), _list(value)


def _list(text: str) -> list[Any]:
    """A list of lists of words, which are bare or in quotes."""
    open_lists: list[list[Any]] = [[]]
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        assert match is not None, text[at : at + 40]
        at = match.end()
        if match["mark"] == "[":
            open_lists.append([])
        elif match["mark"] == "]":
            closed = open_lists.pop()
            open_lists[-1].append(closed)
        elif match["quoted"]:
            open_lists[-1].append(json.loads(match["quoted"]))
        elif match["bare"]:
            open_lists[-1].append(match["bare"])
    (((found),),) = (open_lists,)
    first: list[Any] = found[0]
    return first
