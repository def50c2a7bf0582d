"""Export and restore: a corpus as a file of JSON lines, and its digest."""

from overstory.transfer.export import digest, export_lines
from overstory.transfer.restore import restore_file, separate_exports, usable_exports

__all__ = ["digest", "export_lines", "restore_file", "separate_exports", "usable_exports"]
