"""Which files can be uploaded."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter, Request
from starlette.responses import Response

from overstory.sources.installed import Format, known_formats
from overstory_service.hosted import Admitted, hosted
from overstory_service.sending import PROBLEMS, Sent

router = APIRouter(prefix="/v1", tags=["documents"], responses=PROBLEMS)


@dataclass(frozen=True, slots=True)
class FormatList:
    """Kinds of files that loaders recognise."""

    formats: tuple[Format, ...]


@router.get("/formats", response_model=None, responses={200: {"model": FormatList}})
async def formats(request: Request, access: Admitted) -> Response:
    """Which kinds of files this service reads, and what keeps it from reading others."""
    access.require("write")
    return Sent(FormatList(await hosted(request).run(request, known_formats)))
