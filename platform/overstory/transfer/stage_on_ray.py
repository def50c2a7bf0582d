"""Writes shards with actors on a Ray cluster.

If an actor fails, Ray restarts it and repeats its unfinished tasks. A shard may therefore be written several times, but
always with the same content.
"""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from overstory.errors import ExtraMissing, ModelError, SettingsError
from overstory.transfer.shards import Shard, ShardJob, Slice
from overstory.transfer.staged_folder import (
    SLICES_AHEAD,
    Refusal,
    StageEngine,
    StageProcesses,
    StageWorker,
    with_threads,
)

LOCAL = "ray"
_ADDRESS = re.compile(r"ray(://\S+)?")


def stage_engine(
    job: ShardJob, workers: int | None, *, on: str | None, cpus: float = 1.0, gpus: float = 0.0
) -> StageEngine | None:
    """Return the engine that writes the shards, or None to write them in this process.

    Args:
        workers: without Ray, the number of worker processes; None for no such processes. With Ray, the number of
            actors; None for as many as the cluster has processors for.
        on: address of a Ray cluster, as in `StageActors`; None to use processes on this machine without Ray.
        cpus: number of processors that Ray reserves for each actor.
        gpus: number of GPUs that Ray reserves for each actor.

    Raises:
        SettingsError: `workers` is less than 1, or `on` is neither "ray" nor a Ray address.
        ExtraMissing: Ray is not installed.
    """
    if workers is not None and workers < 1:
        raise SettingsError(f"The number of workers must be at least 1, got {workers}.", remedy="Pass at least 1.")
    if on is None:
        return None if workers is None else StageProcesses(job, workers)
    if not _ADDRESS.fullmatch(on):
        raise SettingsError(f"{on!r} is not a Ray cluster.", remedy='Pass "ray", or an address like ray://HOST:10001.')
    return StageActors(job, on, workers, cpus=cpus, gpus=gpus)


class StageActors:
    """A `StageEngine` that writes shards with Ray actors. Each actor loads its own copy of the models."""

    def __init__(self, job: ShardJob, address: str, workers: int | None, *, cpus: float, gpus: float) -> None:
        """
        Args:
            address: "ray://HOST:PORT", or "ray" for the cluster to which this machine belongs. If it belongs to none,
                "ray" starts a cluster on this machine.
            workers: number of actors; None for as many as the cluster has processors for.

        Raises:
            ExtraMissing: Ray is not installed.
        """
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # turns off Ray's telemetry
        try:
            self._ray: Any = import_module("ray")  # Ray is an optional dependency
        except ImportError as error:
            raise ExtraMissing("ray", extra="ray") from error
        self._job = with_threads(job, max(1, int(cpus)))
        self._address, self._workers = address, workers
        self._each: dict[str, float] = {"num_cpus": cpus, "num_gpus": gpus}

    def shards(self, slices: Iterable[Slice]) -> Iterator[Shard]:
        with self._connected(), self._actors() as actors:
            writing: dict[Any, int] = {}  # map from each pending result to the number of the actor that computes it
            for some in slices:
                yield from self._written(writing, wait=len(writing) >= SLICES_AHEAD * len(actors))
                idlest = min(range(len(actors)), key=list(writing.values()).count)
                writing[actors[idlest].write.remote(some)] = idlest
            running = set(range(len(actors)))
            while writing:
                # End idle actors, because an actor whose node was lost may be waiting for a free processor.
                for number in running - set(writing.values()):
                    self._ray.kill(actors[number])
                running &= set(writing.values())
                yield from self._written(writing, wait=True)

    def _written(self, writing: dict[Any, int], *, wait: bool) -> Iterator[Shard]:
        """Yield the shards that are finished, and remove them from `writing`.

        Args:
            wait: if True, wait until at least one shard is finished.
        """
        pending = list(writing)
        if not pending:
            return
        found, _ = self._ray.wait(pending, num_returns=1 if wait else len(pending), timeout=None if wait else 0)
        for each in found:
            try:
                answer: Shard | Refusal = self._ray.get(each)
            except self._ray.exceptions.RayError as error:
                raise ModelError(
                    f"A Ray worker failed: {str(error).strip().splitlines()[-1]}",
                    remedy="All machines of the cluster need this version of Overstory, and the same models.",
                ) from error
            del writing[each]
            if isinstance(answer, Refusal):
                raise answer.error()
            yield answer

    @contextmanager
    def _connected(self) -> Generator[None]:
        """If the program is already connected, use and keep that connection."""
        if self._ray.is_initialized():
            yield
            return
        try:
            if self._address == LOCAL:
                self._ray.init(include_dashboard=False, log_to_driver=False)
            else:
                self._ray.init(self._address, log_to_driver=False)
        except (OSError, ImportError, RuntimeError, ValueError) as error:
            raise SettingsError(
                f"No Ray cluster was found at {self._address}: {error}",
                remedy='Start a cluster, or pass "ray" to use this machine.',
            ) from error
        try:
            yield
        finally:
            self._ray.shutdown()

    @contextmanager
    def _actors(self) -> Generator[list[Any]]:
        self._check_room()
        processors = self._ray.cluster_resources().get("CPU", 1)
        count = self._workers or int(processors / (self._each["num_cpus"] or 1)) or 1
        made = self._ray.remote(StageWorker).options(**self._each, max_restarts=-1, max_task_retries=-1)
        actors = [made.remote(self._job) for _ in range(count)]
        try:
            yield actors
        finally:
            for actor in actors:
                self._ray.kill(actor)

    def _check_room(self) -> None:
        """Raise `SettingsError` if no machine in the cluster can run a worker.

        Without this check, Ray would wait forever without a message.
        """
        machines = [node["Resources"] for node in self._ray.nodes() if node["Alive"]]
        wanted = {"CPU": self._each["num_cpus"], "GPU": self._each["num_gpus"]}
        if not any(all(has.get(name, 0) >= most for name, most in wanted.items()) for has in machines):
            raise SettingsError(
                f"No machine in the cluster has {wanted['CPU']:g} processors and {wanted['GPU']:g} GPUs for a worker.",
                remedy="Reserve fewer for each worker: --worker-cpus, --worker-gpus.",
            )
