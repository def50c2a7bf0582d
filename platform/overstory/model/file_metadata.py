"""What is known of the file that a document was read from, by its name in the metadata."""

from __future__ import annotations

FILE_NAME = "file_name"

FOLDER = "folder"
"""Relative to the path that was given, parted by "/"; "." for what lies in it."""

SIZE = "size"
"""In bytes, of a file that is one document."""

MODIFIED = "modified"
"""When a file that is one document was changed, to the second. A digest leaves it out."""

FILE_METADATA_NAMES = frozenset((FILE_NAME, FOLDER, SIZE, MODIFIED))

OWN_NAMES = frozenset(("id", "source", "source_key", "title", "text", "page", "section", "heading"))
"""What documents and passages have themselves besides metadata."""
