"""Export and restore: a corpus as a file of JSON lines, and its digest; and such files without a corpus."""

from overstory.transfer.export import digest, export_lines
from overstory.transfer.restore import restore_file, separate_exports, usable_exports
from overstory.transfer.staging import StageReport, stage

__all__ = ["StageReport", "digest", "export_lines", "restore_file", "separate_exports", "stage", "usable_exports"]
