"""Random changes of valid input, after the manner of AFL: flips, cuts, copies, splices, and words of the format."""

from __future__ import annotations

import io
import random
import zipfile

MAX_BYTES = 200_000
"""Larger inputs say nothing that smaller ones do not, and cost more."""
REPEATS = (2, 17, 1_000)

WORDS = (
    *(b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\r\n", b"\n\n", b"\x1a", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"),
    *(
        b"0",
        b"-1",
        b"1e999",
        b"NaN",
        b"4294967296",
        b"9223372036854775808",
        b"2024-02-30",
        b"0001-01-01T00:00:00+99:99",
    ),
    *(
        b"[",
        b"]",
        b"{",
        b"}",
        b"(",
        b")",
        b"<",
        b">",
        b"</",
        b"<!--",
        b"<![CDATA[",
        b"&#0;",
        b"&a;",
        b"&lt;",
        b"<!DOCTYPE",
    ),
    *(b'"', b"'", b"`", b"\\", b"\\\\", b"\\u0000", b"*", b"?", b"~", b"|", b"#", b"=", b"---\n", b"+++\n", b"...\n"),
    *(
        b"- ",
        b": ",
        b"? ",
        b"& ",
        b"&a ",
        b"*a ",
        b"<<: *a",
        b"!!python/object:os.system",
        b"!!binary ",
        b"%YAML 9.9\n",
    ),
    *(
        b"a.a.a",
        b"[[a]]",
        b"a = 1\n",
        b'"""',
        b".. ",
        b"::",
        b"=head1 ",
        b"=over ",
        b"=for ",
        b".de ",
        b".if ",
        b"\\*[",
        b"\\n[",
    ),
    *(
        b"```",
        b"<<a\n",
        b"Content-Type: multipart/mixed; boundary=a\n",
        b"Content-Transfer-Encoding: base64\n",
        b"=?utf-8?b?",
    ),
    *(
        b"\nFrom ",
        b"PK\x03\x04",
        b"PK\x05\x06",
        b"endobj",
        b"/Kids [1 0 R]",
        b"/Filter /FlateDecode",
        b"stream\n",
        b"%PDF-",
    ),
)


def mutated(content: bytes, others: list[bytes], chance: random.Random) -> bytes:
    """The content with a few changes; of a ZIP archive one member is changed, or the archive itself."""
    if content.startswith(b"PK\x03\x04") and chance.random() < 0.8:
        return _with_a_changed_member(content, others, chance)
    for _ in range(chance.choice((1, 1, 2, 3, 8))):
        content = _changed(content, others, chance)[:MAX_BYTES]
    return content


def _changed(content: bytes, others: list[bytes], chance: random.Random) -> bytes:
    start = chance.randrange(len(content) + 1)
    end = min(len(content), start + chance.choice((1, 2, 8, 64, 1_000)))
    match chance.randrange(7):
        case 0:
            return (
                content[:start]
                + bytes(byte ^ (1 << chance.randrange(8)) for byte in content[start : start + 1])
                + content[start + 1 :]
            )
        case 1:
            return content[:start] + content[end:]
        case 2:
            return content[:end] + content[start:end] * chance.choice(REPEATS) + content[end:]
        case 3:
            return content[:start] + chance.choice(WORDS) + content[start:]
        case 4:
            return content[:start] + chance.choice(WORDS) * chance.choice(REPEATS) + content[end:]
        case 5:
            other = chance.choice(others)
            cut = chance.randrange(len(other) + 1)
            return content[:start] + other[cut : cut + 1_000] + content[end:]
        case _:
            return content[:start]


def _with_a_changed_member(content: bytes, others: list[bytes], chance: random.Random) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {each.filename: archive.read(each) for each in archive.infolist()}
    changed = chance.choice(sorted(members))
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, member in members.items():
            archive.writestr(name, mutated(member, others, chance) if name == changed else member)
    return written.getvalue()
