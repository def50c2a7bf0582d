"""Exports a corpus to a file, restores it from the file, and stages documents as such files without a database."""

from overstory.transfer.export import digest, export_lines
from overstory.transfer.restore import restore_file, separate_exports, usable_exports
from overstory.transfer.shard_folders import shard_folder
from overstory.transfer.shards import ShardJob, models_of
from overstory.transfer.stage_on_ray import stage_engine
from overstory.transfer.staged_folder import StageReport, stage

__all__ = [
    "ShardJob",
    "StageReport",
    "digest",
    "export_lines",
    "models_of",
    "restore_file",
    "separate_exports",
    "shard_folder",
    "stage",
    "stage_engine",
    "usable_exports",
]
