from __future__ import annotations

import gzip
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path

import pytest
from tests.sources import load, mail_of, mbox_of, pdf_of, write, xlsx_of

from overstory.model import Document, Link
from overstory.model.metadata import FILE_NAME
from overstory_loaders import MailLoader
from overstory_loaders.mail import _MOST_ATTACHMENTS_SHOWN, ATTACHMENT, REPLY
from overstory_loaders.mail_parts import read_mail
from overstory_loaders.members import _MOST_FILES_DEEP


def test_fields_in_bytes_without_an_encoding_are_read(tmp_path: Path) -> None:
    message = "From: Köhler <a@b.org>\nSubject: Größe\nDate: Thu, 29 Feb 2024 12:30:00 +0000\n\nText."
    for encoding in ("utf-8", "cp1252"):
        document = load(MailLoader(), write(tmp_path / f"{encoding}.eml", message.encode(encoding))).document
        assert (document.title, document.metadata["from"]) == ("Größe", "Köhler <a@b.org>")


@pytest.mark.parametrize("kind", ["mixed", "alternative", "related", "report"])
def test_a_message_whose_parts_have_another_boundary_is_reported(kind: str) -> None:
    message = f"From: a@b\nSubject: x\nContent-Type: multipart/{kind}; boundary=x\n\n--y\n\nsalt is up\n--y--\n"
    assert read_mail(message.encode(), "a.eml").without_boundary == 1


def test_the_header_of_a_message_is_metadata_and_its_title(tmp_path: Path) -> None:
    message = mail_of("Café prices", "Salt is up.", key="1@example.org", to="Bob <bob@example.org>, carl@example.org")
    message["Received"] = "from relay.example.net"
    document = load(MailLoader(), write(tmp_path / "a.eml", message.as_bytes())).document
    assert document.text == "Salt is up."
    assert document.title == "Café prices"
    assert document.metadata == {
        "from": "Ada Lovelace <ada@example.org>",
        "to": ["Bob <bob@example.org>", "carl@example.org"],
        "date": datetime(2024, 2, 29, 12, 30, tzinfo=UTC),
        "subject": "Café prices",
        "message_id": "1@example.org",
        "thread": "1@example.org",
    }


def test_attachments_are_documents_of_their_own_with_a_link_from_the_message(tmp_path: Path) -> None:
    message = mail_of("Prices", "See the files.")
    message.add_attachment(
        xlsx_of(S=[["Kind", "Price"], ["salt", 2]]), "application", "vnd.ms-excel", filename="prices.xlsx"
    )
    message.add_attachment(pdf_of(["Salt for sale"]), "application", "pdf", filename="../../etc/offer.pdf")
    message.add_attachment(pdf_of(["Another"]), "application", "pdf", filename="offer.pdf")
    message.add_attachment(b"\x89PNG", "image", "png", filename="logo.png")
    message.add_attachment(b"a,b\n", "text", "csv")
    inner = mail_of("Inner / message", "Attached.")
    message.add_attachment(inner)
    path = write(tmp_path / "a.eml", message.as_bytes())
    outcome = load(MailLoader(), path)
    names = ["prices.xlsx", "offer.pdf", "offer-2.pdf", "Inner message.eml"]
    assert [document.source for document in outcome.documents] == [str(path), *(f"{path}/{name}" for name in names)]
    assert outcome.documents[1].text == "S\n\nKind: salt | Price: 2"
    assert [document.file_metadata.get(FILE_NAME) for document in outcome.documents[1:]] == names
    assert outcome.documents[0].metadata["attachments"] == [
        *names[:3],
        "logo.png",
        "attachment-5.csv",
        "Inner message.eml",
    ]
    assert outcome.documents[0].text.startswith("See the files.\n\nAttachments: prices.xlsx, offer.pdf,")
    assert outcome.links == [
        Link(str(path), "", "", target_source=f"{path}/{name}", type=ATTACHMENT, text=name) for name in names
    ]
    # a table without rows is broken, and named by its place
    assert [error.source for error in outcome.broken] == [f"{path}/attachment-5.csv"]


def test_threads_are_links_in_a_mailbox_and_in_a_folder(tmp_path: Path) -> None:
    first = mail_of("Salt", "Shall we buy some?", key="1@x")
    reply = mail_of("Re: Salt", "Yes.\n\nOn Thu Ada wrote 1:\n> Shall we buy some?\n", key="2@x", parents=["1@x"])
    last = mail_of("Re: Salt", "Good.", key="3@x", parents=["1@x", "2@x"])
    box = write(tmp_path / "in.mbox", mbox_of(first, reply, last))
    outcome = load(MailLoader(), box)
    assert [(document.source, document.source_key) for document in outcome.documents] == [
        (str(box), key) for key in ("1@x", "2@x", "3@x")
    ]
    assert outcome.links == [Link(str(box), "2@x", "1@x", type=REPLY), Link(str(box), "3@x", "2@x", type=REPLY)]
    assert [document.metadata["thread"] for document in outcome.documents] == ["1@x"] * 3
    assert outcome.documents[1].text == "Yes."
    assert outcome.documents[1].metadata["quoted_lines"] == 1

    for number, message in enumerate((first, reply), start=1):
        write(tmp_path / "box" / f"{number}.eml", message.as_bytes())
    folder = tmp_path / "box"
    assert load(MailLoader(), folder / "2.eml").links == [
        Link(str(folder / "2.eml"), "", "", target_source=str(folder / "1.eml"), type=REPLY)
    ]


def test_a_mailbox_is_parted_at_its_from_lines(tmp_path: Path) -> None:
    body = "From here on it is quiet.\n\nFrom the sea."
    content = mbox_of(mail_of("One", body, key="a/b@x"), mail_of("One again", "x", key="a/b@x"), mail_of("Two", "y"))
    for path in (write(tmp_path / "in.mbox", content), write(tmp_path / "in.mbox.gz", gzip.compress(content))):
        assert MailLoader().recognises(str(path))
        outcome = load(MailLoader(), path)
        assert [document.title for document in outcome.documents] == ["One", "Two"]
        assert outcome.documents[0].text.endswith(body)
        assert len(outcome.documents[1].source_key) == 32  # of its content, as it has no id
        assert outcome.messages == ["1 message left out because an earlier one has the same Message-ID"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_a_message_may_be_saved_with_a_byte_order_mark_or_in_utf_16(tmp_path: Path, encoding: str) -> None:
    message = "From: Åse <a@b.org>\nSubject: Lease\nContent-Type: text/plain; charset=utf-8\n\nThe café is closed.\n"
    document = load(MailLoader(), write(tmp_path / "a.eml", message.encode(encoding))).document
    assert (document.title, document.metadata["from"], document.text) == (
        "Lease", "Åse <a@b.org>", "The café is closed."
    )  # fmt: skip


PLAIN = b"From: ada@x\nSubject: x\nContent-Type: text/plain; "


@pytest.mark.parametrize(
    ("content", "text", "assumed"),
    [
        (PLAIN + b"charset=iso-8859-1\n\ncaf\xe9", "café", ""),
        (PLAIN + b"charset=klingon\n\ncaf\xc3\xa9", "café", "utf-8"),
        (PLAIN + b"charset=us-ascii\n\ncaf\xe9", "café", "cp1252"),
        (PLAIN + b"charset=utf-8\nContent-Transfer-Encoding: base64\n\nY2Fmw6k=", "café", ""),
        (
            PLAIN + b"format=flowed\n\nsoft \nbreaks\n> quoted \n> too\n-- \nAda",
            "soft breaks\n> quoted too\n-- \nAda",
            "",
        ),
        (b"From: ada@x\nContent-Type: text/html\n\n<h1>Salt</h1><p>is up<br>again", "Salt\n\nis up\nagain", ""),
        (b"From: ada@x\nSubject: =?utf-8?b?Y2Fmw6k?= =?klingon?q?x=E9?=\n\nx", "x", ""),
    ],
)
def test_encodings_are_believed_as_far_as_they_are_true(
    tmp_path: Path, content: bytes, text: str, assumed: str
) -> None:
    document = load(MailLoader(), write(tmp_path / "a.eml", content)).document
    assert document.text == text
    assert document.metadata.get("assumed_encoding", "") == assumed


def test_of_alternatives_plain_text_is_read_and_files_among_them_too(tmp_path: Path) -> None:
    message = mail_of("Re: Salt", "plain")
    message.add_alternative("<p>plain</p>", subtype="html")
    html = message.get_payload()[1]  # type: ignore[index] # the part just added
    assert isinstance(html, EmailMessage)
    html.add_attachment(pdf_of(["In the alternative"]), "application", "pdf", filename="a.pdf")
    documents = load(MailLoader(), write(tmp_path / "a.eml", message.as_bytes())).documents
    assert documents[0].text == "plain\n\nAttachments: a.pdf"
    assert [document.text for document in documents[1:]] == ["In the alternative"]


def test_quotations_in_html_are_left_out_of_replies_only(tmp_path: Path) -> None:
    body = '<p>Yes.</p><div class="gmail_quote">Ada wrote: <blockquote>Come?</blockquote></div>'
    message = mail_of("Fwd: Salt", "")
    message.set_content(body, subtype="html")
    assert "Come?" in load(MailLoader(), write(tmp_path / "a.eml", message.as_bytes())).document.text
    message.replace_header("Subject", "Re: Salt")
    reply = load(MailLoader(), write(tmp_path / "b.eml", message.as_bytes())).document
    assert reply.text == "Yes."
    assert reply.metadata["quoted_lines"] == 2


def test_messages_in_messages_are_read_to_a_depth(tmp_path: Path) -> None:
    message = mail_of("0", "innermost")
    for level in range(1, _MOST_FILES_DEEP + 3):
        outer = mail_of(str(level), "around")
        outer.add_attachment(message)
        message = outer
    outcome = load(MailLoader(), write(tmp_path / "a.eml", message.as_bytes()))
    assert len(outcome.documents) == _MOST_FILES_DEEP + 1
    assert outcome.messages[0].endswith(f"is not read: it is nested more than {_MOST_FILES_DEEP} files deep")


def test_many_attachments_are_in_the_metadata_alone(tmp_path: Path) -> None:
    message = mail_of("x", "y")
    names = [f"{number}.bin" for number in range(_MOST_ATTACHMENTS_SHOWN + 5)]
    for name in names:
        message.add_attachment(b"\0", "application", "octet-stream", filename=name)
    document = load(MailLoader(), write(tmp_path / "a.eml", message.as_bytes())).document
    assert document.metadata["attachments"] == names
    assert document.text.endswith(f"{names[_MOST_ATTACHMENTS_SHOWN - 1]} and 5 more")


def test_a_message_without_a_text_is_its_subject(tmp_path: Path) -> None:
    assert load(MailLoader(), write(tmp_path / "a.eml", mail_of("We meet at 3", "").as_bytes())).document.text == (
        "We meet at 3"
    )
    untitled = b"From: ada@example.org\n\n"
    assert load(MailLoader(), write(tmp_path / "b.eml", untitled)).document.text == "b"


RICH = "<p>Dear Bo,</p><p>the rent of the kiln in {} is 840 euro from May.</p><p>Ida Moss</p>"


@pytest.mark.parametrize(
    ("plain", "rich", "text"),
    [
        ("Your mail program cannot show this message.", RICH.format("Aarhus"), "the rent of the kiln in Aarhus is 840"),
        ("View this message in your browser: https://example.org/m?id=aGVsbG8gd29ybGQ", "<p>Sold.</p>", "Sold."),
        ("Diese Nachricht ist im HTML-Format. Öffnen Sie sie im Browser.", RICH.format("Köln"), "in Köln is 840"),
        ("此邮件为HTML格式。", "<p>租金从五月起为每月八百四十欧元。</p>", "租金从五月起为每月八百四十欧元。"),
        ("Dear Bo,", RICH.format("Brell"), "in Brell is 840"),
        (
            "Dear Bo,\nthe rent of\nthe *kiln* in Brell is\n840 euro from May.",
            RICH.format("Brell"),
            "the *kiln* in Brell",
        ),
        ("The whole text. " * 50, "<p>Click here.</p>", "The whole text."),
        ("The whole text.", "<img src=a.png>", "The whole text."),
        ("租金从五月起\n为每月八百四十欧元。", "<p>租金从五月起为每月八百四十欧元。</p>", "租金从五月起\n为"),
    ],
)
def test_the_html_is_read_if_the_plain_text_is_a_stub(tmp_path: Path, plain: str, rich: str, text: str) -> None:
    message = mail_of("Rent", plain)
    message.add_alternative(rich, subtype="html")
    document = load(MailLoader(), write(tmp_path / "a.eml", message.as_bytes())).document
    assert text in document.text
    assert (document.text == plain.strip()) == (text in plain)


def test_a_mailbox_is_read_message_by_message(tmp_path: Path) -> None:
    broken = b"\n\nFrom x Thu Jan  1 00:00:00 1970\n\nno header"
    path = write(tmp_path / "in.mbox", mbox_of(mail_of("One", "x", key="1@x")) + broken)
    said: list[str] = []
    items = MailLoader().load(str(path), on_broken=lambda error: said.append(str(error)))
    assert isinstance(next(items), Document)
    assert said == []
    assert list(items) == []
    assert said == [f"{path}: record 2: is not a message: it has none of the fields From, Date, Subject and Message-ID"]


def test_each_of_several_fields_in_undeclared_bytes_keeps_its_own_text() -> None:
    data = b"From: J\xe9r\xf4me <j@x.org>\r\nTo: \xc9va <e@x.org>\r\nTo: Bj\xf6rn <b@x.org>\r\n\r\nHi.\r\n"
    mail = read_mail(data, "a.eml")
    assert (mail.sender, mail.to) == ("Jérôme <j@x.org>", ["Éva <e@x.org>", "Björn <b@x.org>"])
