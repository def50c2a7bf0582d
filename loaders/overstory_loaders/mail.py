"""Loads e-mail: single messages (`.eml`, `.emlx`), and mailboxes of any size (`.mbox`), which are read one by one."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import IO
from urllib.parse import quote

from overstory.display import counted
from overstory.errors import BrokenSource
from overstory.model import Annotation, Document, Link
from overstory.protocols import OnBroken, OnSkipped
from overstory.sources.paths import leads_outside
from overstory_loaders.blocks import clean_text, clean_title
from overstory_loaders.by_content import BEGINS_MESSAGE, format_by_content
from overstory_loaders.files import (
    WHOLE_FILE_BYTE_LIMIT,
    address,
    empty,
    has_suffix,
    open_bytes,
    read_bytes,
    reading,
    stem,
)
from overstory_loaders.mail_headers import mail_date
from overstory_loaders.mail_parts import MOST_MAIL_PARTS, Mail, read_mail
from overstory_loaders.members import load_member
from overstory_loaders.metadata import clean_metadata
from overstory_loaders.packages import is_old_office
from overstory_loaders.place import Place
from overstory_loaders.records import KEY_CHARACTER_LIMIT, KeyRegister, content_key

SUFFIXES = (".eml", ".emlx", ".mbox")
REPLY, ATTACHMENT = "REPLY_TO", "ATTACHMENT"
"""Types of the links from a message to the message it replies to, and to an attachment."""
_MOST_ATTACHMENTS_SHOWN = 20
"""Maximum number of attachments named in the text of a message. The metadata contains all of them."""
_MOST_LINKED_RECORDS = 100
"""Maximum number of links from a message to the documents of one attachment, such as the rows of a table."""
_MOST_NEIGHBOURS = 20_000
"""Maximum number of files in a folder that are searched for the message to which another message replies."""

_OUTLOOK = (
    "Save it as .eml, or read it with MarkItDown: pip install 'overstory[markitdown]' 'markitdown[outlook]', and "
    "--loader markitdown"
)
_MBOX = (".mbox",)
_EMLX = (".emlx",)
_ESCAPED = re.compile(rb">+From ")
_MESSAGE_ID = re.compile(rb"^message-id:\s*<([^<>\s]{1,900})>", re.IGNORECASE | re.MULTILINE)
_HEADER_BYTES = 2**16

Loaded = Document | Annotation | Link


class MailLoader:
    """Loader for messages and mailboxes. The title of a message is its subject or, failing that, the file name."""

    name = "mail"
    isolated = True

    def recognises(self, source: str) -> bool:
        return has_suffix(source, SUFFIXES)

    def recognises_content(self, source: str) -> bool:
        """Return True if the file begins with a message header. Mail programs often store messages without a suffix."""
        return format_by_content(source) in ("eml", "mbox")

    def why_not(self, source: str) -> BrokenSource | None:
        """Return the error for a message in Outlook's format; None for other files."""
        is_outlooks = is_old_office(source, (".msg",))
        return BrokenSource("is an Outlook message (.msg)", source=source, remedy=_OUTLOOK) if is_outlooks else None

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Loaded]:
        """Yield the documents and links in a file. Skipped attachments are not reported."""
        return self.load_container(source, on_broken=on_broken, on_skipped=lambda _: None)

    def load_container(self, source: str, *, on_broken: OnBroken, on_skipped: OnSkipped) -> Iterator[Loaded]:
        """Yield a document for each message, without the text it quotes, and the documents from its attachments.

        Sender, recipients, date and subject are metadata, and the subject is the title. They are no part of the text.
        Also yield links from each message to its attachments and to the message it replies to.
        """
        if has_suffix(source, _MBOX) or (not has_suffix(source, SUFFIXES) and format_by_content(source) == "mbox"):
            yield from _mailbox(source, on_broken, on_skipped)
            return
        data = read_bytes(source)
        if not data.strip():
            raise empty(source)
        mail = read_mail(_message_in(data) if has_suffix(source, _EMLX) else data, source)
        parent = _neighbours(source).get(mail.parent, "") if mail.parent else ""
        yield from _documents(mail, source, "", stem(source, SUFFIXES), address(source), on_broken, on_skipped)
        if parent and parent != address(source):
            yield Link(address(source), "", "", target_source=parent, type=REPLY)


def _message_in(data: bytes) -> bytes:
    """Return the message in a file of Apple Mail, without the length in its first line and the property list below."""
    first, _, rest = data.partition(b"\n")
    end = rest.rfind(b"<?xml")
    return rest[: end if end >= 0 and b"<plist" in rest[end:] else None] if first.strip().isdigit() else data


def _mailbox(source: str, on_broken: OnBroken, on_skipped: OnSkipped) -> Iterator[Loaded]:
    repeated = 0
    number = 0
    with KeyRegister() as keys, open_bytes(source) as stream:
        for number, data in enumerate(_messages(stream, source, on_broken), start=1):
            place = Place(source, record=number)
            try:
                mail = read_mail(data, source)
                key = _key(mail, keys, place)
            except BrokenSource as error:
                on_broken(place.broken(error.reason, remedy=error.remedy))
                continue
            if not key:
                repeated += 1
                continue
            below = f"{address(source)}/{quote(key, safe='@.+-_=')}"
            yield from _documents(mail, source, key, f"{stem(source, SUFFIXES)} {number}", below, on_broken, on_skipped)
            if mail.parent and mail.parent != key:
                yield Link(address(source), key, mail.parent, type=REPLY)
    if not number:
        raise empty(source, "it has no messages")
    if repeated:
        on_broken(
            BrokenSource(
                f"{counted(repeated, 'message')} left out because an earlier one has the same Message-ID",
                source=source,
                remedy="Ignore this if they are copies, as in archives of several folders.",
                hides=False,
            )
        )


def _key(mail: Mail, keys: KeyRegister, place: Place) -> str:
    """Return the document key of a message; "" if an earlier message has the same id.

    The key is the message's id or, if it has no usable id, a hash of its content.
    """
    if not mail.message_id or len(mail.message_id) > KEY_CHARACTER_LIMIT:
        return keys.claim_content(content_key({"from": mail.sender, "date": mail.date, "text": mail.text}), place)
    key = clean_title(mail.message_id)
    if keys.holds(key):
        return ""
    keys.claim(key, place)
    return key


def _documents(
    mail: Mail, source: str, key: str, untitled: str, below: str, on_broken: OnBroken, on_skipped: OnSkipped
) -> Iterator[Loaded]:
    """Yield the document of a message, the documents from its attachments, and links to these documents.

    Args:
        untitled: title for a message without a subject.
        below: address of the folder in which the attachments seem to lie.
    """
    which = f"message {key!r}: " if key else ""
    if mail.encrypted:
        on_broken(
            BrokenSource(
                f"{which}is encrypted; only its header was read",
                source=source,
                remedy="Decrypt it in your mail program, and save it again.",
                hides=False,
            )
        )
    if mail.without_boundary:
        on_broken(
            BrokenSource(
                f"{which}declares parts, but lacks the line that separates them; its text was not read",
                source=source,
                remedy="Open it in your mail program, and save its text as .txt.",
                hides=False,
            )
        )
    if mail.left_out:
        on_broken(
            BrokenSource(
                f"{which}has more than {MOST_MAIL_PARTS:,} parts; {counted(mail.left_out, 'part')} left out",
                source=source,
                remedy="Save its attachments as files.",
            )
        )
    title = clean_title(mail.subject) or clean_title(untitled)
    yield Document(
        source=address(source),
        source_key=key,
        text=_text(mail, title),
        title=title,
        metadata=clean_metadata(_metadata(mail), dates_in_text=False).values,
    )
    for attachment in mail.attachments:
        place = f"{below}/{attachment.name}"
        linked = 0
        for item in load_member(attachment.content, attachment.name, place, on_broken=on_broken, on_skipped=on_skipped):
            yield item
            if isinstance(item, Document) and linked < _MOST_LINKED_RECORDS:
                linked += 1
                yield Link(
                    address(source),
                    key,
                    item.source_key,
                    target_source=item.source,
                    type=ATTACHMENT,
                    text=attachment.name,
                )


def _text(mail: Mail, title: str) -> str:
    """Return the text of a message, followed by the names of its attachments. A message without either is its title."""
    shown = ", ".join(each.name for each in mail.attachments[:_MOST_ATTACHMENTS_SHOWN])
    more = len(mail.attachments) - _MOST_ATTACHMENTS_SHOWN
    listed = f"Attachments: {shown}{f' and {more} more' if more > 0 else ''}" if shown else ""
    return clean_text(f"{mail.text or (title if mail.subject else '')}\n\n{listed}") or title


def _metadata(mail: Mail) -> dict[str, object]:
    found: dict[str, object] = {
        "from": mail.sender,
        "to": list(mail.to),
        "cc": list(mail.cc),
        "date": mail_date(mail.date) if mail.date else "",
        "subject": mail.subject,
        "message_id": mail.message_id,
        "in_reply_to": mail.parent,
        "thread": mail.thread,
        "attachments": [each.name for each in mail.attachments],
        "quoted_lines": mail.quoted_lines,
        "assumed_encoding": mail.assumed_encoding,
    }
    return {name: value for name, value in found.items() if value}


def _messages(stream: IO[bytes], source: str, on_broken: OnBroken) -> Iterator[bytes]:
    lines: list[bytes] = []
    size = 0
    number = 0
    after_blank = True
    for line in chain(_lines(stream, source), [b""]):
        is_end = not line
        if is_end or (after_blank and line.startswith(b"From ") and BEGINS_MESSAGE.match(line)):
            if number and size <= WHOLE_FILE_BYTE_LIMIT:
                yield b"".join(lines)
            elif number:
                on_broken(
                    Place(source, record=number).broken(
                        f"is longer than {WHOLE_FILE_BYTE_LIMIT // 2**20} MiB", remedy="Save its attachments as files."
                    )
                )
            lines, size = [], 0
            number += 1
        elif not number:
            if line.strip():
                raise BrokenSource(
                    "is not a mailbox: it does not begin with a line 'From ADDRESS DATE'",
                    source=source,
                    remedy="If it is a single message, name it .eml.",
                )
        else:
            size += len(line)
            if size <= WHOLE_FILE_BYTE_LIMIT:
                lines.append(line[1:] if line.startswith(b">") and _ESCAPED.match(line) else line)
            else:
                lines.clear()
        after_blank = not line.strip()


def _lines(stream: IO[bytes], source: str) -> Iterator[bytes]:
    with reading(source):
        while line := stream.readline(2**20):
            yield line


def _neighbours(source: str) -> dict[str, str]:
    """Return a map from message id to file path for the messages in the same folder."""
    folder = Path(address(source)).parent
    try:
        changed = folder.stat().st_mtime_ns
    except OSError:
        return {}
    return _ids_in(folder.as_posix(), changed)


@functools.lru_cache(maxsize=4)
def _ids_in(folder: str, _changed: int) -> dict[str, str]:
    found: dict[str, str] = {}
    by_name_first = sorted(
        Path(folder).iterdir(), key=lambda path: (path.suffix.lower() not in (".eml", ".emlx"), path)
    )
    for path in by_name_first[:_MOST_NEIGHBOURS]:
        if leads_outside(path) or (
            path.suffix.lower() not in (".eml", ".emlx") and format_by_content(path.as_posix()) != "eml"
        ):  # `format_by_content` never blocks on a named pipe
            continue
        try:
            with path.open("rb") as stream:
                head = re.split(rb"\r?\n\r?\n", stream.read(_HEADER_BYTES), maxsplit=1)[0]
        except OSError:
            continue
        if (identity := _MESSAGE_ID.search(head)) is not None:
            found.setdefault(identity[1].decode("utf-8", "replace"), path.as_posix())
    return found
