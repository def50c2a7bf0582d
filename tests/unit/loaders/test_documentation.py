"""The examples of docs/loaders.md run."""

from __future__ import annotations

import mailbox
import re
from email.message import EmailMessage
from pathlib import Path

import pytest
from tests.sources import load

from overstory.protocols import Loader
from overstory_loaders import archive, code_grammars, csv, html, json_records, markdown, pod, rst, text
from overstory_loaders.records import Fields

PAGE = (Path(__file__).parents[3] / "docs" / "loaders.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def _loader_of_the_example() -> Loader:
    (example,) = (example for example in EXAMPLES if "class MailboxLoader" in example)
    namespace: dict[str, object] = {}
    exec(example, namespace)  # noqa: S102 # our own documentation
    made = namespace["MailboxLoader"]
    assert isinstance(made, type)
    loader: object = made()
    assert isinstance(loader, Loader)
    return loader


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.strip().partition("\n")[0])
def test_every_example_runs(example: str) -> None:
    exec(example, {})  # noqa: S102 # our own documentation


def test_the_loader_of_the_example_reads_mailboxes(tmp_path: Path) -> None:
    path = tmp_path / "archive.mbox"
    message = EmailMessage()
    message["Subject"], message["Message-ID"], message["From"] = "Salt", "<1@example.org>", "ada@example.org"
    message.set_content("Sodium chloride.\n")
    attached = EmailMessage()
    attached.set_content("text")
    attached.add_attachment(b"x", maintype="application", subtype="octet-stream")
    box = mailbox.mbox(path)
    box.add(message)
    box.add(attached)
    box.close()
    outcome = load(_loader_of_the_example(), path)
    (document,) = outcome.documents
    assert (document.source_key, document.title, document.text) == ("<1@example.org>", "Salt", "Sodium chloride.")
    assert document.metadata == {"from": "ada@example.org"}
    assert outcome.messages == ["message 2: has no plain text"]


@pytest.mark.parametrize(
    "names",
    [
        text.SUFFIXES,
        markdown.SUFFIXES,
        rst.SUFFIXES,
        archive.SUFFIXES,
        code_grammars.CODE_SUFFIXES,
        pod.SUFFIXES,
        pod.WITH_CODE,
        html.SUFFIXES,
        json_records.LINES_SUFFIXES,
        csv.SUFFIXES,
        Fields().text,
        Fields().title,
        Fields().id,
    ],
    ids=str,
)
def test_every_name_that_is_recognised_is_documented(names: tuple[str, ...]) -> None:
    listed = " ".join(names) if names[0].startswith(".") else "`, `".join(names)
    assert f"`{listed}`" in PAGE
