"""Checksums of the lines of an export. That of a line covers all lines up to it; an end line has their number.

So a reader notices a line that was changed, lost, added or moved when it comes to it, before it is stored.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from overstory.errors import BrokenSource

EXPORT_AGAIN = "Export the corpus again; delete a damaged shard and stage again."
_MARK = ',"checksum":"'


def sealed(lines: Iterable[str]) -> Iterator[str]:
    """Add a checksum to each line, and an end line.

    Args:
        lines: JSON objects without line ends: a header, then one for each document.
    """
    running = hashlib.sha256()
    documents = -1
    for line in lines:
        documents += 1
        running.update(line.encode())
        yield line[:-1] + _checksum(running.hexdigest())
    running.update(_end(documents))
    yield _end(documents)[:-1].decode() + _checksum(running.hexdigest())


def unsealed(lines: Iterable[bytes], source: str) -> Iterator[tuple[int, str]]:
    """Yield each line with its number, counted from 1, once its checksum is verified; the end line is not yielded.

    Raises:
        BrokenSource: a line is not as it was written, lines are missing, or lines follow the end.
    """
    running = hashlib.sha256()
    last, documents, ended = 1, -1, False
    for last, line in enumerate(map(bytes.strip, lines), start=1):  # used after the loop
        if not line:
            continue
        if ended:
            raise _broken("it follows the end of the export", source, last, "Load each export as a file of its own.")
        body = line.rpartition(_MARK.encode())[0]
        running.update(body + b"}")
        if line[len(body) :] != _checksum(running.hexdigest()).encode():
            raise _broken("its checksum is wrong: it was changed, or lines before it are missing", source, last)
        ended = body + b"}" == _end(documents)
        documents += 1
        if not ended:
            yield last, _decoded(body, source, last) + "}"
    if not ended:
        raise _broken("the export ends here without its end line: lines are missing", source, last)


def _checksum(digest: str) -> str:
    """The last member of a line."""
    return f'{_MARK}{digest}"}}'


def _end(documents: int) -> bytes:
    return b'{"overstory_export_end":%d}' % documents


def _decoded(body: bytes, source: str, number: int) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        raise _broken("it is not UTF-8", source, number) from error


def _broken(why: str, source: str, line: int, remedy: str = EXPORT_AGAIN) -> BrokenSource:
    return BrokenSource(why, source=source, line=line, remedy=remedy)
