"""Run an experiment from Python."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

from mlbench.api.experiment import Experiment, load_any
from mlbench.api.prepare import Prepared, prepare
from mlbench.api.run_cells import Run, Tell, UnfinishedError
from mlbench.api.take_over import Again
from mlbench.errors import ConfigError, MlbenchError
from mlbench.executors.executor import Executor
from mlbench.executors.local import LocalExecutor
from mlbench.plan.shards import PartOfRun, Shard
from mlbench.registry.import_policy import allow_imports
from mlbench.resources import n_cores
from mlbench.results import Results
from mlbench.spelling import refuse_unknown

Item = TypeVar("Item", bound=str | Path)
OneOrMore = str | Iterable[str]
OneOrMorePaths = str | Path | Iterable[str | Path]

_IN_PYTHON = {
    "--allow-import": "allow_import=True",
    "--out": "out=",
    "--data": "data=",
    "--rerun-changed": "rerun_changed=True",
    "--jobs": "jobs=",
    "--from": "exports=",
}


def run(
    experiment: str | Path | Mapping[str, object] | Experiment,
    *,
    out: str | Path | None = None,
    jobs: int | None = None,
    data: OneOrMorePaths = (),
    settings: OneOrMore = (),
    quick: bool = False,
    shard: str | None = None,
    datasets: OneOrMore = (),
    methods: OneOrMore = (),
    executor: Literal["local", "dask"] = "local",
    scheduler: str | None = None,
    retry_failed: bool = False,
    rerun_changed: bool = False,
    exports: OneOrMorePaths = (),
    allow_import: bool = False,
    progress: bool = True,
) -> Results:
    """Run the missing cells of an experiment, and return its results.

    Cells, keys and files are those of ``mlbench run``: start here and go on there, or the other
    way round. An interrupt keeps the finished cells.

    Parameters
    ----------
    experiment : str, Path, mapping or Experiment
        An experiment file, the name of a bundled one (``"quickstart"``), a mapping with the keys
        of an experiment file, or an `Experiment`.
    out : str or Path, optional
        The results folder; by default ``runs/NAME``.
    jobs : int, optional
        Worker processes, by default one for each core. The results do not depend on it.
    data : str, Path or sequence of these
        Folders to look for data in before the usual ones.
    settings : str or sequence of str
        Values to override: ``"protocol.splits.repeats=3"``.
    quick : bool
        Try the experiment at a small size, with the values that it lists under ``quick``; by
        default in ``runs/NAME-quick``.
    shard : str, optional
        Run a part alone: ``"3/16"``. Parts may share a results folder.
    datasets, methods : str or sequence of str
        Run the cells of these alone, by their names in tables.
    executor : {"local", "dask"}
        Where cells run: in worker processes here, or on the workers of a Dask cluster.
    scheduler : str, optional
        Address of a running Dask scheduler; by default a local cluster is started.
    retry_failed, rerun_changed : bool
        Run failed cells again, and those whose code has changed.
    exports : str, Path or sequence of these
        Folders of ``mlbench export --folder``: their finished cells count as done.
    allow_import : bool
        Import the files and packages that the experiment names. This runs their code. Estimator
        objects are imported without it.
    progress : bool
        Show progress on standard error.

    Raises
    ------
    MlbenchError
        If the experiment, its data or the folder is not as it should be.
    """
    if allow_import:
        allow_imports()
    folders = [Path(each) for each in several(data)]
    _check_workers(jobs, executor, scheduler)
    jobs = jobs or n_cores()
    try:
        folder = None if out is None else Path(out)
        loaded = load_any(experiment, folder, several(settings), folders, quick)
        again = Again(retry_failed, rerun_changed)
        taken = [Path(each) for each in several(exports)]
        prepared = prepare(loaded, folders, folder, taken, again)
        of_shard = Shard(1, 1) if shard is None else Shard.parse(shard)
        part = PartOfRun(of_shard, several(datasets), several(methods))
        work = Run.open(prepared, _tell, part, retry_failed, rerun_changed)
        if work.left:
            workers = make_executor(prepared, folders, jobs, executor, scheduler, _tell)
            work.execute(workers, jobs, not progress, sys.stderr)
    except UnfinishedError as stop:
        raise KeyboardInterrupt(str(stop)) from None
    except MlbenchError as error:
        raise type(error)(_in_python(str(error))) from None
    return work.results()


def several(given: Item | Iterable[Item]) -> tuple[Item, ...]:
    """Return what is given as a tuple; a single text or path stands for itself."""
    return (given,) if isinstance(given, str | Path) else tuple(given)


def _check_workers(jobs: int | None, executor: str, scheduler: str | None) -> None:
    if jobs is not None and (not isinstance(jobs, int) or jobs < 1):
        raise ConfigError(
            f"jobs is {jobs!r}; give the number of workers, 1 or more, or leave it out for one on "
            "each core"
        )
    refuse_unknown("there is no executor", executor, ("local", "dask"))
    if scheduler is not None and executor != "dask":
        raise ConfigError('scheduler is for Dask: give executor="dask", too')


def make_executor(
    prepared: Prepared,
    data_dirs: Sequence[Path],
    jobs: int,
    kind: str,
    scheduler: str | None,
    tell: Tell,
) -> Executor[Any]:
    """Return the executor: worker processes here, or a Dask cluster."""
    threads = prepared.plan.experiment.threads
    if kind == "dask":
        from mlbench.executors.dask.executor import DaskExecutor

        return DaskExecutor(prepared.out, data_dirs, jobs, threads, scheduler, tell)
    if scheduler is not None:
        raise MlbenchError("a scheduler is for Dask: choose the executor dask")
    return LocalExecutor(prepared.out, data_dirs, jobs, threads)


def _tell(words: str) -> None:
    print(_in_python(words), file=sys.stderr)


def _in_python(words: str) -> str:
    """Return a message with the command's options replaced by parameters of `run`."""
    for option, parameter in _IN_PYTHON.items():
        words = words.replace(option, parameter)
    return words
