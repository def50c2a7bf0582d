"""Reads the parts of a message: header fields, text and attachments, in any encoding."""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import Message
from email.policy import Compat32
from email.utils import getaddresses
from typing import TYPE_CHECKING, NamedTuple

from overstory.display import error_text
from overstory.errors import BrokenSource, LoaderNotFound, OverstoryError
from overstory_loaders.blocks import clean_text, join_blocks
from overstory_loaders.encoding_detection import RECOGNISED_BYTES, fallback_encoding
from overstory_loaders.encoding_labels import codec_of_label
from overstory_loaders.html import parse_page
from overstory_loaders.html_blocks import page_blocks
from overstory_loaders.mail_headers import ASSUMED_ENCODING, decoded_field, text_in
from overstory_loaders.members import member_name
from overstory_loaders.text_encoding import marked_encoding

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

_MOST_QUOTED_LINES = 3
"""Maximum number of lines that are kept of a quotation directly above an answer."""
LEFT_OUT = "> […]"

_QUOTED = re.compile(r"[ \t]*(?:>|\|(?= ))")
_BELOW = re.compile(
    r"[ \t]*(?:-{2,}[ \t]*(?:original message|ursprüngliche nachricht|message d'origine|mensaje original|reply message)"
    r"[ \t]*-{2,}|_{20,})[ \t]*$",
    re.IGNORECASE,
)
"""Matches a line below which mail programs insert the entire message that is being answered."""
_HEADER = re.compile(r"[ \t*]{0,20}(?:from|von|de|da|van)[ \t]{0,20}:", re.IGNORECASE)
_SENT = re.compile(
    r"[ \t*]{0,20}(?:sent|gesendet|date|datum|envoyé|enviado|inviato|verzonden)[ \t]{0,20}:", re.IGNORECASE
)
_ATTRIBUTION = re.compile(
    r"(?=.*\d)[^>\n]*\b"
    r"(?:wrote|writes|schrieb|a écrit|escribió|ha scritto|schreef|napsal|пишет|написал)\b[^\n]{0,60}:[ \t]*$",
    re.IGNORECASE,
)
"""Matches the line above a quotation, such as "On 29 February 2024 Ada wrote:"."""
_HEADER_LINES = 4


class Unquoted(NamedTuple):
    """A text without quotations, and the number of quoted lines that were left out."""

    text: str
    left_out: int


def without_quotations(text: str) -> Unquoted:
    """Return a reply without the text that it quotes. A reply that contains nothing else is returned unchanged.

    All text below a line such as "-----Original Message-----" is left out. If an answer follows a quotation marked with
    "> ", the last lines of the quotation are kept. All other quotations are left out.
    """
    lines = text.split("\n")
    end = _end_of_answer(lines)
    kept: list[str] = []
    quoted: list[str] = []
    left_out = sum(1 for line in lines[end:] if line.strip())
    for line in lines[:end]:
        if _QUOTED.match(line):
            quoted.append(line)
            continue
        if quoted and line.strip():
            left_out += _close(kept, quoted)
            quoted = []
        elif quoted:
            continue  # a blank line inside or after a quotation is skipped
        kept.append(line)
    if quoted:
        left_out += len(quoted)
        _drop_attribution(kept)
    new = "\n".join(kept).strip()
    has_own_text = any(line.strip() and not _QUOTED.match(line) for line in kept)
    return Unquoted(new, left_out) if has_own_text else Unquoted(text, 0)


def _end_of_answer(lines: list[str]) -> int:
    for number, line in enumerate(lines):
        is_header = _HEADER.match(line) and "@" in line
        if not number or not (is_header or _BELOW.match(line)):
            continue
        following = [each for each in lines[number + 1 : number + 1 + _HEADER_LINES] if each.strip()]
        expected = _SENT if is_header else _HEADER if line.lstrip().startswith("_") else None
        if expected is None or any(map(expected.match, following)):
            return number
    return len(lines)


def _close(kept: list[str], quoted: list[str]) -> int:
    """Append the last lines of a quotation to the kept lines. Return the number of its lines that were left out."""
    full = [line for line in quoted if line.strip("> \t|")]
    last = full[-_MOST_QUOTED_LINES:]
    left_out = len(full) - len(last)
    if left_out:
        last.insert(0, LEFT_OUT)
    if last and kept and kept[-1].strip() and not _ATTRIBUTION.match(kept[-1]):
        kept.append("")
    kept += [*last, ""]
    return left_out


def _drop_attribution(kept: list[str]) -> None:
    """Remove the line "On … Ada wrote:" above a quotation that was left out. It may be broken into two lines."""
    while kept and not kept[-1].strip():
        kept.pop()
    for count in (1, 2):
        if _ATTRIBUTION.match(" ".join(line.strip() for line in kept[-count:])):
            del kept[-count:]
            return


MOST_MAIL_PARTS = 1_000
"""Maximum number of parts that are read from a message. Any others are only counted."""

_LONGEST_TYPE_FIELD_CHARACTERS = 10_000
"""Maximum length of a field such as Content-Type. The rest is cut, because parsing parameters takes quadratic time."""

_LONGEST_STUB_CHARACTERS = 500
"""Maximum length of a plain text that may be a stub although it is longer than the HTML."""
_LEAST_REPEATED_SHARE = 0.5
_MOST_COMPARED_CHARACTERS = 100_000
_PIECE_CHARACTERS = 5
"""A plain text says the same as the HTML if it contains this fraction of its pieces of 5 letters and digits."""

_BYTES_AS_SURROGATES = re.compile("[\udc80-\udcff]")
_ID = re.compile(r"<([^<>\s]{1,900})>")
_REPLY = re.compile(r"(?i)\s*(?:re|aw|antw|sv|vs|rif|res|tr)(?:\[\d+\])?\s*:")
_HTML_QUOTES = "div.gmail_quote, blockquote[type=cite], div.moz-cite-prefix, div.yahoo_quoted, #divRplyFwdMsg ~ *"
_ENCRYPTED = frozenset({"multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime"})
_SIGNED = "signed-data"
_ASCII = frozenset({"ascii", "us-ascii", "ansi_x3.4-1968"})


@dataclass(frozen=True, slots=True)
class Attachment:
    name: str
    content: bytes


@dataclass(slots=True)
class Mail:
    """An e-mail message.

    Attributes:
        parents: ids of the earlier messages in the conversation, oldest first.
        text: text written by the author, without quotations.
        quoted_lines: number of quoted lines that were left out.
        assumed_encoding: encoding that was assumed because the declared one was missing or wrong; otherwise "".
        left_out: number of parts that were not read because there are too many.
        without_boundary: number of parts that declare inner parts but lack the line that separates them.
    """

    message_id: str = ""
    parents: Sequence[str] = ()
    sender: str = ""
    to: Sequence[str] = ()
    cc: Sequence[str] = ()
    date: str = ""
    subject: str = ""
    text: str = ""
    quoted_lines: int = 0
    attachments: list[Attachment] = field(default_factory=list[Attachment])
    assumed_encoding: str = ""
    left_out: int = 0
    encrypted: bool = False
    without_boundary: int = 0

    @property
    def parent(self) -> str:
        """Id of the message that this one replies to; "" if it is not a reply."""
        return self.parents[-1] if self.parents else ""

    @property
    def thread(self) -> str:
        """Id of the first message in the conversation."""
        return self.parents[0] if self.parents else self.message_id


def read_mail(data: bytes, source: str) -> Mail:
    """Parse a message.

    Raises:
        BrokenSource: the message has no header, or cannot be parsed.
        LoaderNotFound: the text is HTML, and the HTML parser is not installed.
    """
    try:
        if codec := marked_encoding(data):  # editors save messages with a byte order mark, or in UTF-16
            data = data.decode(codec, "replace").encode()
        message = message_from_bytes(data, policy=_MAIL_FIELDS)
        return _MailReader(message, source).mail()
    except OverstoryError:
        raise
    except Exception as error:  # Python's email package may raise many exceptions for unusual messages
        raise BrokenSource(
            f"is not a message that can be read: {type(error).__name__}: {error_text(error)}",
            source=source,
            remedy="Leave it out.",
        ) from error


class _MailReader:
    def __init__(self, message: Message, source: str) -> None:
        self._message, self._source = message, source
        self._mail = Mail()
        self._texts: list[Unquoted] = []
        self._is_reply = False

    def mail(self) -> Mail:
        mail = self._mail
        mail.message_id = next(iter(self._ids("Message-ID")), "")
        answered = self._ids("In-Reply-To")[:1]
        mail.parents = [*(each for each in self._ids("References") if each not in answered), *answered]
        mail.sender = ", ".join(self._addresses("From"))
        mail.to, mail.cc = self._addresses("To"), self._addresses("Cc")
        mail.date = self._field("Date")
        mail.subject = self._field("Subject")
        if not (mail.message_id or mail.sender or mail.date or mail.subject):
            raise BrokenSource(
                "is not a message: it has none of the fields From, Date, Subject and Message-ID",
                source=self._source,
                remedy="Leave it out.",
            )
        self._is_reply = bool(mail.parents) or bool(_REPLY.match(mail.subject))
        for number, part in enumerate(self._leaves(self._message)):
            if number >= MOST_MAIL_PARTS:
                mail.left_out += 1
            else:
                self._read(part)
        mail.text = "\n\n".join(text for each in self._texts if (text := each.text.strip()))
        mail.quoted_lines = sum(each.left_out for each in self._texts)
        return mail

    def _leaves(self, message: Message) -> Iterator[Message]:
        """Yield the innermost parts of a message.

        If a message contains the same text in several formats, only the plain text is yielded. If the plain text is
        missing, or does not say the same, only the HTML is yielded.
        """
        kind = message.get_content_type()
        inner = message.get_payload()
        if not isinstance(inner, list) or kind in ("message/rfc822", *_ENCRYPTED):
            yield message
            return
        leaves = (leaf for part in inner if isinstance(part, Message) for leaf in self._leaves(part))
        if kind != "multipart/alternative":
            yield from leaves
            return
        found = list(leaves)
        texts = [leaf for leaf in found if leaf.get_content_maintype() == "text" and not leaf.get_filename()]
        plain = [leaf for leaf in texts if leaf.get_content_type() == "text/plain" and _bytes(leaf).strip()][:1]
        rich = [leaf for leaf in texts if leaf.get_content_type() == "text/html"]
        chosen = rich if not plain or (rich and self._is_stub(plain[0], rich)) else plain
        others = ("text/plain", "text/html", "text/enriched", "text/richtext", "text/x-amp-html")
        left_out = {id(leaf) for leaf in texts if leaf.get_content_type() in others} - {id(leaf) for leaf in chosen}
        yield from (leaf for leaf in found if id(leaf) not in left_out)

    def _is_stub(self, plain: Message, rich: Sequence[Message]) -> bool:
        """Return True if a plain text is short and says something else than the HTML, such as that there is HTML."""
        text, _ = self._text(plain)
        try:
            shown = "\n".join(self._visible(parse_page(self._text(part)[0], self._source)) for part in rich)
        except (BrokenSource, LoaderNotFound):
            return False
        return len(text) <= max(_LONGEST_STUB_CHARACTERS, len(shown)) and not _says_the_same(text, shown)

    def _read(self, part: Message) -> None:
        kind = part.get_content_type()
        name = decoded_field(part.get_filename() or "") if kind != "message/rfc822" else ""
        if kind in _ENCRYPTED and part.get_param("smime-type") != _SIGNED:
            self._mail.encrypted = True
        elif part.get_content_maintype() == "multipart":
            self._mail.without_boundary += bool(_text_of(part).strip())
        elif kind == "message/rfc822":
            self._attach_message(part)
        elif kind in ("text/plain", "text/html") and not name and not _is_attachment(part):
            text, assumed = self._text(part)
            self._mail.assumed_encoding = assumed or self._mail.assumed_encoding
            self._texts.append(self._html(text) if kind == "text/html" else self._plain(text, part))
        elif name or _is_attachment(part) or kind == "text/calendar":
            ending = mimetypes.guess_extension(kind) or ".bin"
            default = f"attachment-{len(self._mail.attachments) + 1}{ending}"
            self._attach(member_name(name, default), _bytes(part))

    def _attach(self, name: str, content: bytes) -> None:
        taken = {each.name for each in self._mail.attachments}
        stem, dot, ending = name.rpartition(".")
        number = 2
        whole = name
        while whole in taken:
            whole = f"{stem}-{number}.{ending}" if dot else f"{name}-{number}"
            number += 1
        self._mail.attachments.append(Attachment(whole, content))

    def _attach_message(self, part: Message) -> None:
        inner = part.get_payload()
        if isinstance(inner, list) and inner and isinstance(inner[0], Message):
            subject = decoded_field(str(inner[0].get("Subject") or ""))
            self._attach(
                member_name(f"{subject.replace('/', ' ')}.eml" if subject else "", "message.eml"), inner[0].as_bytes()
            )

    def _plain(self, text: str, part: Message) -> Unquoted:
        if str(part.get_param("format") or "").lower() == "flowed":
            text = _unflowed(text, delete_space=str(part.get_param("delsp") or "").lower() == "yes")
        text = clean_text(text)
        return without_quotations(text) if self._is_reply else Unquoted(text, 0)

    def _html(self, markup: str) -> Unquoted:
        page = parse_page(markup, self._source)
        whole = self._visible(page)
        if not self._is_reply:
            return Unquoted(whole, 0)
        for node in page.css(_HTML_QUOTES):
            node.decompose()
        own = self._visible(page)
        left_out = len([line for line in whole.split("\n") if line.strip()]) - len(
            [line for line in own.split("\n") if line.strip()]
        )
        rest = without_quotations(own)
        return Unquoted(rest.text, rest.left_out + left_out) if rest.text else Unquoted(whole, 0)

    def _visible(self, page: LexborHTMLParser) -> str:
        return join_blocks(page_blocks(page.root), source=self._source).text

    def _text(self, part: Message) -> tuple[str, str]:
        """Return the text of a part and, if the declared encoding is missing or wrong, the encoding assumed instead."""
        data = _bytes(part)
        declared = str(part.get_content_charset() or "utf-8")
        # Mail programs that declare ASCII often send UTF-8.
        codec = "ascii" if declared in _ASCII else codec_of_label(declared)
        if codec is not None:
            try:
                return data.decode(codec), ""
            except UnicodeError:
                pass
        for encoding in ("utf-8", fallback_encoding(data[:RECOGNISED_BYTES]), ASSUMED_ENCODING):
            try:
                return data.decode(encoding or ASSUMED_ENCODING), encoding or ASSUMED_ENCODING
            except UnicodeError:
                continue
        return data.decode(ASSUMED_ENCODING, "replace"), ASSUMED_ENCODING

    def _field(self, name: str) -> str:
        return decoded_field(self._message.get(name) or "")

    def _ids(self, name: str) -> list[str]:
        return list(dict.fromkeys(_ID.findall(" ".join(map(str, self._message.get_all(name, []))))))

    def _addresses(self, name: str) -> list[str]:
        """Return the addresses in a header field, in the form "Ada <ada@example.org>"."""
        values = [str(each) for each in self._message.get_all(name, [])]
        found: list[str] = []
        for person, mailbox in getaddresses(values):
            shown = decoded_field(person)
            if shown or mailbox:
                found.append(f"{shown} <{mailbox}>" if shown and mailbox else shown or decoded_field(mailbox))
        return found or [text for each in values if (text := decoded_field(each))]


class _MailFields(Compat32):
    """Decodes header fields, even those that old programs wrote without declaring their encoding."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        if name.lower().startswith("content-") and len(value) > _LONGEST_TYPE_FIELD_CHARACTERS:
            value = value[:_LONGEST_TYPE_FIELD_CHARACTERS].rpartition(";")[0]
        return name, value

    def header_fetch_parse(self, name: str, value: str) -> str:
        del name
        has_bytes = _BYTES_AS_SURROGATES.search(value)
        return text_in(value.encode("utf-8", "surrogateescape"), None) if has_bytes else value


_MAIL_FIELDS = _MailFields()


def _says_the_same(plain: str, rich: str) -> bool:
    """Return True if a plain text contains most of a rich text. Otherwise it only asks to read the rich text."""
    said, full = _pieces(plain[:_MOST_COMPARED_CHARACTERS]), _pieces(rich[:_MOST_COMPARED_CHARACTERS])
    return len(said & full) >= _LEAST_REPEATED_SHARE * len(full)


def _pieces(text: str) -> set[str]:
    """Return all runs of 5 letters and digits, across white space and marks. They also compare texts without spaces."""
    letters = "".join(filter(str.isalnum, text.lower()))
    last = max(0, len(letters) - _PIECE_CHARACTERS)
    return {letters[start : start + _PIECE_CHARACTERS] for start in range(last + 1)} if letters else set()


def _is_attachment(part: Message) -> bool:
    return part.get_content_disposition() == "attachment"


def _bytes(part: Message) -> bytes:
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""


def _text_of(part: Message) -> str:
    content = part.get_payload()
    return content if isinstance(content, str) else ""


def _unflowed(text: str, *, delete_space: bool) -> str:
    """Join each line that ends with a space to the next line, because that is how flowed text is written (RFC 3676)."""
    lines: list[list[str]] = []
    continues = False
    depth = 0
    for line in text.replace("\r\n", "\n").split("\n"):
        body = line.lstrip(">")
        quoted = len(line) - len(body)
        body = body.removeprefix(" ")
        if continues and quoted == depth and body != "-- ":
            lines[-1].append(body)
        else:
            lines.append([f"{'>' * quoted} {body}" if quoted else body])
        continues, depth = body.endswith(" ") and body != "-- ", quoted
        if continues and delete_space:
            lines[-1][-1] = lines[-1][-1][:-1]
    return "\n".join("".join(parts) for parts in lines)
