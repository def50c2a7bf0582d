"""The examples of docs/loaders.md run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.sources import load, write

from overstory.protocols import Loader
from overstory_loaders import (
    archive,
    code_grammars,
    csv,
    epub,
    html,
    json_records,
    mail,
    markdown,
    notebook,
    odf,
    pod,
    pptx,
    rst,
    settings_files,
    subtitles,
    text,
    xlsx,
    xml,
)
from overstory_loaders.records import Fields

PAGE = (Path(__file__).parents[3] / "docs" / "loaders.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def _loader_of_the_example() -> Loader:
    (example,) = (example for example in EXAMPLES if "class FortuneLoader" in example)
    namespace: dict[str, object] = {}
    exec(example, namespace)  # noqa: S102 # our own documentation
    made = namespace["FortuneLoader"]
    assert isinstance(made, type)
    loader: object = made()
    assert isinstance(loader, Loader)
    return loader


def test_the_loader_of_the_example_reads_sayings(tmp_path: Path) -> None:
    outcome = load(
        _loader_of_the_example(), write(tmp_path / "wise.fortune", "Salt is good.\n%\n \n%\nSo is pepper.\n")
    )
    assert [(each.source_key, each.text) for each in outcome.documents] == [
        ("1", "Salt is good."),
        ("3", "So is pepper."),
    ]
    assert outcome.messages == ["saying 2: is empty"]


@pytest.mark.parametrize(
    "names",
    [
        text.SUFFIXES,
        markdown.SUFFIXES,
        rst.SUFFIXES,
        archive.SUFFIXES,
        code_grammars.CODE_SUFFIXES,
        pod.SUFFIXES,
        text.PERL_SUFFIXES,
        html.SUFFIXES,
        json_records.LINES_SUFFIXES,
        csv.SUFFIXES,
        epub.SUFFIXES,
        mail.SUFFIXES,
        notebook.SUFFIXES,
        odf.SUFFIXES,
        settings_files.SUFFIXES,
        subtitles.SUFFIXES,
        xml.SUFFIXES,
        pptx.SUFFIXES,
        xlsx.SUFFIXES,
        Fields().text,
        Fields().title,
        Fields().id,
    ],
    ids=str,
)
def test_every_name_that_is_recognised_is_documented(names: tuple[str, ...]) -> None:
    listed = " ".join(names) if names[0].startswith(".") else "`, `".join(names)
    assert f"`{listed}`" in PAGE
