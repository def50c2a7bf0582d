"""Documents read, embedded and extracted without a database, to be loaded later or elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from overstory import index, sources, transfer
from overstory.errors import SourceError
from overstory.index import LoadReport
from overstory.knowledge.loading import Loading, hearing_broken, listed_paths
from overstory.model import Metadata
from overstory.sources import ReadOptions
from overstory.transfer import StageReport


class Staging(Loading):
    """Documents read, embedded and extracted without a database, to be loaded later or elsewhere."""

    def stage(
        self,
        paths: str | Path | Sequence[str | Path],
        folder: str | Path,
        *,
        loader: str | None = None,
        strict: bool = False,
        metadata: Metadata | None = None,
        workers: int | None = None,
        on: str | None = None,
        worker_cpus: float = 1.0,
        worker_gpus: float = 0.0,
        options: ReadOptions | None = None,
    ) -> StageReport:
        """Writes what `ingest` and `index` compute for each document by itself (chunks, vectors, mentions, facts) to
        files in a folder, which `ingest` takes: on this machine, or on the one that has the database. No server is
        started or asked.

        The folder holds the shards of these paths alone. Killed, the same call goes on with what is missing; called
        again, it computes the shards with changed documents. Annotations, and the links of graphs, are left out.

        Args:
            paths, loader, strict, metadata, options: as of `ingest`.
            folder: a new one, or one that was staged before.
            workers: processes that embed and extract, each with models of its own; without them, this process embeds.
            on: where workers run: "ray" for the Ray cluster that this machine is of, or else one of this machine alone,
                "ray://HOST:PORT" for another; None for this machine without Ray. On a cluster there are as many workers
                as it has processors for, if `workers` is left out.
            worker_cpus, worker_gpus: what Ray keeps for each worker.

        Raises:
            BrokenSource, SettingsError, LoaderNotFound: as `ingest`; also for fewer than 1 worker, and a cluster that
                is not there or has no room for a worker.
            ExtraMissing: Ray is not installed.
            SourceError: nothing was read, one of the paths is an export, or the folder cannot be written or has other
                files in it.
            ModelError: a model cannot be used, or two workers ended unexpectedly over the same documents.
        """
        heard = LoadReport()
        report = StageReport(broken=heard.broken, skipped=heard.skipped, decoded=heard.decoded)
        given = index.checked_metadata(metadata or {})
        named, on_broken = listed_paths(paths), hearing_broken(heard, strict=strict)
        exports, _ = transfer.separate_exports(named)
        if exports:
            raise SourceError(f"{exports[0]} is an export already.", remedy="Load it: overstory ingest")
        target = transfer.shard_folder(str(folder))
        engine = transfer.stage_engine(
            self._shard_job(target.address), workers, on=on, cpus=worker_cpus, gpus=worker_gpus
        )
        read = self._read(
            named, heard, sources.Coverage(), on_broken, options or ReadOptions(), loader=loader, from_uri=None
        )
        transfer.stage(
            index.with_metadata(read, given),
            target,
            self.embedder,
            self.extractor,
            engine=engine,
            report=report,
            on_broken=on_broken,
            progress=self.progress,
        )
        return report

    def _shard_job(self, folder: str) -> transfer.ShardJob:
        models = transfer.models_of(self.embedder, self.extractor)
        embedding = self.settings.embedding
        if self._embedder_name:  # that of a corpus may be another than that of the settings
            embedding = replace(embedding, embedder=self._embedder_name)
        return transfer.ShardJob(folder, embedding, self.settings.extraction, models)
