"""The form of an upload, in which files may be named by `filename*` (RFC 8187).

Some clients name files outside ASCII so. RFC 7578 forbids it in forms, and the parser of Starlette skips it: a file
without `filename` would be a field.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from http import HTTPStatus
from urllib.parse import unquote

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

_PARAMETER = re.compile(r";\s*([^=;\s]+)\s*=\s*(\"(?:\\.|[^\"\\])*+\"|[^;]*)")
_EXTENDED = re.compile(r"\"?(utf-8|iso-8859-1)'[^']*'([^\s\"]*)\"?\s*", re.IGNORECASE)


@asynccontextmanager
async def upload_form(request: Request, *, most_files: int, most_fields: int) -> AsyncGenerator[FormData]:
    """Yield the form of a request; its files are closed when the block ends.

    Raises:
        HTTPException: the form cannot be read, or has more files or fields.
    """
    form = FormData()
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() == "multipart/form-data":
        async with aclosing(request.stream()) as stream:
            parser = _NamedFiles(request.headers, stream, max_files=most_files, max_fields=most_fields)
            try:
                form = await parser.parse()
            except MultiPartException as error:
                raise HTTPException(HTTPStatus.BAD_REQUEST, error.message) from error
    try:
        yield form
    finally:
        await form.close()


class _NamedFiles(MultiPartParser):
    def on_headers_finished(self) -> None:
        part = self._current_part
        name = extended_name(part.content_disposition or b"")
        if name is not None:
            part.content_disposition = (part.content_disposition or b"") + b'; filename="-"'  # makes it a file
        super().on_headers_finished()
        if name is not None and part.file is not None:
            part.file.filename = name


def extended_name(disposition: bytes) -> str | None:
    """Return the name that `filename*` of a Content-Disposition header has; None without one that can be read."""
    for name, value in _PARAMETER.findall(disposition.decode("latin-1")):
        found = _EXTENDED.fullmatch(value) if name.lower() == "filename*" else None
        if found is not None:
            try:
                return unquote(found[2], encoding=found[1], errors="strict")
            except UnicodeDecodeError:
                return None
    return None
