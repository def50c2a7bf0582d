"""What agents are told of the tools, and that the skill and the page name the same."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped] # it has no types

from overstory.examples import agent_skill
from overstory_service.mcp.calls import AnyTool
from overstory_service.mcp.results import QuotedPassage
from overstory_service.mcp.serving import READING_TOOLS, WRITING_TOOLS, listed_tool

ROOT = Path(__file__).parents[4]
TOOLS = (*READING_TOOLS, *WRITING_TOOLS)
NAMES = {tool.name for tool in TOOLS}
LONGEST_DESCRIPTION = 300
"""Characters of what an agent reads of a tool in each of its conversations."""


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_tool_has_schemas_that_say_what_it_takes_and_gives(tool: AnyTool) -> None:
    listed = listed_tool(tool)
    assert listed.output_schema is not None
    for schema in (listed.input_schema, listed.output_schema):
        Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
    assert set(listed.output_schema["properties"]) == {field.name for field in fields(tool.result)}
    assert len(tool.description) <= LONGEST_DESCRIPTION
    for each in listed.input_schema["properties"].values():  # neither texts nor lists are endless
        kinds = each.get("anyOf", [each])
        assert all({"maxLength", "pattern", "enum"} & set(kind) for kind in kinds if kind.get("type") == "string")
        assert all("maxItems" in kind for kind in kinds if kind.get("type") == "array")
        assert all("maximum" in kind for kind in kinds if kind.get("type") in ("integer", "number"))


def test_what_only_reads_says_so() -> None:
    assert all(tool.annotations.read_only_hint and tool.rights == "read" for tool in READING_TOOLS)
    assert all(tool.rights == "write" for tool in WRITING_TOOLS)
    assert {tool.name for tool in WRITING_TOOLS if tool.annotations.read_only_hint} == {"job"}


def test_results_with_text_of_documents_say_that_it_is_quoted() -> None:
    for tool in READING_TOOLS:
        said = str(listed_tool(tool).output_schema)
        has_text = any(field.name in said for field in fields(QuotedPassage) if field.name in ("text", "title"))
        assert tool.name == "corpora" or ("notice" in said and has_text)


def test_the_skill_names_the_tools_that_there_are() -> None:
    text = agent_skill().read_text(encoding="utf-8")
    head, _, body = text.partition("\n---\n")
    described = re.search(r"\((ask, .*?)\)", head)
    assert described is not None
    assert described[1].split(", ") == [tool.name for tool in READING_TOOLS]
    assert head.startswith("---\nname: overstory\ndescription: ")
    arguments = {name for tool in TOOLS for name in tool.arguments.model_fields}
    results = {field.name for tool in TOOLS for field in fields(tool.result)}
    named = set(re.findall(r"`([a-z_]+)`", body))
    assert named >= NAMES
    assert named <= NAMES | arguments | results


def test_the_page_has_a_row_for_each_tool_with_its_arguments() -> None:
    page = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([a-z_]+)` \| (.*?) \|", page, re.MULTILINE))
    assert set(rows) == NAMES
    for tool in TOOLS:
        assert set(re.findall(r"`([a-z_]+)`", rows[tool.name])) == set(tool.arguments.model_fields), tool.name
