"""Export, restore and staging: a corpus as a file of JSON lines, its digest, and such files made without a database."""

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
