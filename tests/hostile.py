"""PDF files that are small, and take much to read."""

from __future__ import annotations


def pdf_with(page: bytes, *more: bytes, kids: bytes = b"3 0 R", count: int = 1) -> bytes:
    """A PDF with this content on its only page, and more objects, from the fifth on."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, count),
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources 4 0 R >>",
        stream(b"/XObject << /A 5 0 R >> /Font << /F 5 0 R >>", page),  # also the resources
        *more,
    ]
    written, places = b"%PDF-1.4\n", list[int]()
    for number, each in enumerate(objects, start=1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    end = b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
    return written + end % (size, table, size, len(written))


def stream(entries: bytes, content: bytes) -> bytes:
    return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (entries, len(content), content)


def form(draws: bytes, *, of: int) -> bytes:
    """A form that draws another one, twice."""
    entries = b"/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Group << /S /Transparency >> "
    return stream(entries + b"/Resources << /XObject << /A %d 0 R >> >>" % of, draws)


DRAWN_TWICE = b"/A Do /A Do"
SELF_DRAWING = pdf_with(b"/A Do", form(DRAWN_TWICE, of=5))
