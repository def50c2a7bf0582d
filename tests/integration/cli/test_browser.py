"""`overstory browser`: what it prints, serves (in a process of its own), opens and writes."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from tests.commands import PROGRAM, Run
from tests.commands import environment as environment_of
from tests.passages import OpenCorpus

from overstory.knowledge import Knowledge
from overstory.settings import Settings

NONE = "lynx"
"""A web browser for the terminal, which is none for Neo4j Browser."""


@pytest.fixture
def environment(settings: Settings) -> dict[str, str]:
    return environment_of(settings) | {"BROWSER": NONE}


@contextmanager
def serving(environment: dict[str, str], *arguments: str) -> Generator[str]:
    """Yield the output of the command up to serving; the command is interrupted at the end."""
    with subprocess.Popen(
        [PROGRAM, "browser", *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a test's parent may ignore it
    ) as process:
        assert process.stdout is not None
        printed = ""
        while "Ctrl-C" not in printed:
            line = process.stdout.readline()
            assert line, printed
            printed += line
        try:
            yield printed
            process.send_signal(signal.SIGINT)
            assert process.wait(120) == 0
        finally:
            process.kill()


@pytest.mark.slow
def test_the_guide_is_served_until_ctrl_c(environment: dict[str, str], shared_corpus: Knowledge) -> None:
    with serving(environment, "--corpus", shared_corpus.corpus_name) as printed:
        assert "No web browser could be opened" in printed
        assert "overstory server password" in printed
        link = parse_qs(urlsplit(re.findall(r"Browser +(\S+)", printed)[0]).query)
        (guide,) = link["arg"]
        page = httpx.get(guide).text
        assert "Albert Einstein" in page
        (style,) = re.findall(r'data-exec="style (\S+)"', page)
        assert "node.Document {" in httpx.get(style).text
        (queries,) = re.findall(r'href="(\S+)"', page)
        assert httpx.get(queries).content.startswith(b"PK")
    with pytest.raises(httpx.ConnectError):
        httpx.get(guide)


@pytest.mark.slow
def test_a_web_browser_is_opened_on_the_guide(
    environment: dict[str, str], shared_corpus: Knowledge, tmp_path: Path
) -> None:
    opened = tmp_path / "opened"
    program = tmp_path / "browser"
    program.write_text(f'#!/bin/sh\nprintf %s "$1" > {opened}\n')
    program.chmod(0o755)
    with serving(environment | {"BROWSER": f"{program} %s"}, "--corpus", shared_corpus.corpus_name) as printed:
        assert opened.read_text() in printed
        assert "cmd=guide" in opened.read_text()
    opened.unlink()
    with serving(environment | {"BROWSER": f"{program} %s"}, "--no-open", "--corpus", shared_corpus.corpus_name):
        assert not opened.exists()


def test_addresses_alone_are_printed_for_programs(overstory: Run, shared_corpus: Knowledge) -> None:
    ran = overstory("browser", "--json", "--corpus", shared_corpus.corpus_name)
    found = json.loads(ran.out)
    assert ran.code == 0
    assert found["bolt"] == shared_corpus.graph.uri
    assert found["browser"].startswith(f"{shared_corpus.graph.browser_url}/browser/?dbms=bolt")
    assert httpx.get(found["browser"]).text.startswith("<!doctype html>")


def test_queries_and_style_are_written_to_a_folder(overstory: Run, shared_corpus: Knowledge, tmp_path: Path) -> None:
    assert overstory("browser", "--save", tmp_path / "queries", "--corpus", shared_corpus.corpus_name).code == 0
    label = shared_corpus.status().corpus.label
    assert f":{label}" in (tmp_path / "queries" / "related.cypher").read_text(encoding="utf-8")
    assert f"node.{label} {{" in (tmp_path / "queries" / "overstory.grass").read_text(encoding="utf-8")
    assert (tmp_path / "queries" / "overstory-shared.zip").exists()


def test_with_several_corpora_and_no_default_one_has_to_be_named(
    overstory: Run, shared_corpus: Knowledge, open_corpus: OpenCorpus
) -> None:
    another = open_corpus()
    another.ingest_documents([])
    ran = overstory("browser", "--print")
    assert ran.code == 7
    assert another.corpus_name in ran.err
    assert "overstory browser --corpus NAME" in ran.err
