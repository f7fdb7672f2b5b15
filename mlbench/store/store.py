"""A results folder: one verified file per finished cell, or many of them packed into one.

::

    plan.json               the cells of the experiment, and its settings
    experiment.yaml         the experiment as it was given
    published.csv           a paper's printed values, where the experiment names such a file
    taken-over.json         cells of exports, where there are such
    rows/ab/abcdef....json  one row per cell, with a hash of its content
    packs/....sqlite        rows that were brought into one file
    predictions/....npz     scores and labels, where they are kept
    partial/.../....json    searches that were cut off, to go on from
    searches/....json       finished searches that cells share
    running/....json        who is at work here
    worker.log              what methods printed
    damaged/                files that were set aside
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass, field
from operator import methodcaller
from os.path import lexists
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from mlbench.errors import StoreError
from mlbench.options import PUBLISHED_FILE
from mlbench.spelling import did_you_mean
from mlbench.store.atomic import is_temporary, remove_stale_files, write_atomically, write_text
from mlbench.store.checksum import DamagedFileError, seal, sealed_content
from mlbench.store.pack_file import Pack
from mlbench.store.packing import pack_files, pack_rows, precedence, rescue
from mlbench.store.paths import FOLDERS, inside, names_in, path_of_key, read_file
from mlbench.store.plain_values import InternTable, gc_paused
from mlbench.store.predictions import decompressed
from mlbench.store.row import SCHEMA, Row, Summary, row_from_json, summary_of, to_plain
from mlbench.store.row_files import row_files, row_path
from mlbench.store.strict_json import parse_json

if TYPE_CHECKING:
    import numpy as np

TAKEN_OVER = "taken-over.json"
_PLAN_FILES = ("plan.json", "experiment.yaml", PUBLISHED_FILE, TAKEN_OVER)
"""The file of cells that other folders ran; see :mod:`mlbench.results.taken_over`."""

_START_OF_PLAN = re.compile(rb'\s*\{\s*"schema":')
_UNPARSABLE = (ValueError, LookupError, TypeError)

Kept = TypeVar("Kept", Row, Summary)


@dataclass
class Scan(Generic[Kept]):
    """Rows of a results folder: whole, or what most commands need of them."""

    rows: dict[str, Kept] = field(default_factory=dict)
    """By the key of the cell."""
    damaged: dict[Path, str] = field(default_factory=dict)
    """What is wrong with files that are not what was written."""


class Store:
    """A results folder, for reading and writing.

    Parameters
    ----------
    root : Path
        The folder; it is made when something is first written.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def row_path(self, key: str) -> Path:
        """Return where the row of a cell is written; it may be packed later."""
        return row_path(self.root, key)

    def write_row(self, row: Row) -> None:
        """Write a row durably; a failure never replaces a result.

        Raises
        ------
        OSError
            If it could not be written; nothing is left behind.
        """
        if not row.is_ok:
            there = self.scan([row.key]).rows.get(row.key)
            if there is not None and there.is_ok:
                return
        write_text(self.row_path(row.key), seal("row", to_plain(row)))

    def read_row(self, path: Path) -> Row:
        """Read the file of a row and verify it.

        Raises
        ------
        DamagedFileError
            If it is torn, empty, altered, no row, or stands under another cell's name.
        OSError
            If it cannot be read at all.
        """
        return row_from_json(sealed_content(read_file(path), "row"), path.stem)

    @gc_paused()
    def scan(self, keys: Iterable[str] | None = None) -> Scan[Row]:
        """Read the rows of some cells, or all rows."""
        return self._read(keys, lambda row: row, Pack.rows)

    @gc_paused()
    def summaries(self, keys: Iterable[str]) -> Scan[Summary]:
        """Read what most commands need of the rows of some cells; of packed rows only columns."""
        return self._read(keys, summary_of, Pack.summaries)

    def keys(self) -> set[str]:
        """Return the keys of all rows that are there and can be found."""
        found = {*row_files(self.root).files}
        for path in pack_files(self.root):
            with contextlib.suppress(FileNotFoundError, DamagedFileError), Pack(path) as pack:
                found |= pack.index().keys()
        return found

    def prune(self, keys: Set[str]) -> None:
        """Remove the rows and predictions of some cells, for good."""
        arrived = row_files(self.root, keys)
        for key in keys:
            for path in (*arrived.older.get(key, ()), arrived.files.get(key)):
                if path is not None:
                    path.unlink(missing_ok=True)
            self.predictions_path(key).unlink(missing_ok=True)
        if pack_files(self.root):
            pack_rows(self.root, without=keys)

    def _read(
        self,
        keys: Iterable[str] | None,
        of_row: Callable[[Row], Kept],
        of_pack: Callable[[Pack, set[str] | None], Iterator[tuple[int, Kept]]],
    ) -> Scan[Kept]:
        """Read single files, then packs: a row may be packed meanwhile, but never unpacked."""
        wanted = None if keys is None else set(keys)
        scan = Scan[Kept]()
        for row in self._unpacked_rows(wanted, scan.damaged):
            scan.rows[row.key] = of_row(row)
        missing = None if wanted is None else wanted - scan.rows.keys()
        while missing is None or missing:
            try:
                packed = self._read_packs(of_pack, missing)
            except FileNotFoundError:  # it was packed into another one meanwhile
                continue
            scan.damaged.update(packed.damaged)
            scan.rows = {**packed.rows, **scan.rows}
            break
        return scan

    def _unpacked_rows(self, wanted: set[str] | None, damaged: dict[Path, str]) -> Iterator[Row]:
        arrived = row_files(self.root, wanted)
        interned = InternTable()
        for key, path in arrived.files.items():
            try:
                yield row_from_json(sealed_content(read_file(path), "row"), key, interned)
            except FileNotFoundError:  # it was packed meanwhile
                continue
            except OSError as error:
                raise StoreError(f"{path}: cannot be read: {error.strerror}") from error
            except DamagedFileError as problem:
                damaged[path] = str(problem)

    def _read_packs(
        self,
        read: Callable[[Pack, set[str] | None], Iterator[tuple[int, Kept]]],
        wanted: set[str] | None,
    ) -> Scan[Kept]:
        scan = Scan[Kept]()
        rows, versions = scan.rows, dict[str, int]()
        for path in pack_files(self.root):
            try:
                with Pack(path) as pack:
                    for version, row in read(pack, wanted):
                        key = row.key
                        if key not in rows or precedence(version, row) > precedence(
                            versions[key], rows[key]
                        ):
                            rows[key], versions[key] = row, version
                    if pack.damage:
                        path.lstat()  # what is gone is not damaged
                        scan.damaged[path] = pack.damage
            except DamagedFileError as problem:
                scan.damaged[path] = str(problem)
        return scan

    def set_aside(self, path: Path) -> Path:
        """Move a damaged file out of the way, and return its new path.

        The readable rows of a pack are copied to another one first.
        """
        if path in pack_files(self.root):
            rescue(self.root, path)
        target = inside(self.root, "damaged") / f"{path.name}.{time.time_ns()}"
        target.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):  # another run on this folder was first
            path.rename(target)
        return target

    def predictions_path(self, key: str) -> Path:
        """Return where the predictions of a cell are kept, if they are."""
        return path_of_key(self.root, ("predictions",), key, ".npz")

    def kept_predictions(self) -> set[str]:
        """Return the keys of all cells whose predictions are there."""
        return {name.removesuffix(".npz") for name in names_in(inside(self.root, "predictions"))}

    def write_predictions(self, key: str, data: bytes) -> str:
        """Keep the file of a cell's scores and labels and return its SHA-256.

        The row is to be written after it, and holds that hash.
        """
        write_atomically(self.predictions_path(key), lambda file: file.write(data))
        return hashlib.sha256(data).hexdigest()

    def read_predictions(self, row: Summary) -> dict[str, np.ndarray]:
        """Return the arrays of a cell: ``rows``, ``scores`` and ``labels`` of the test part.

        Where samples were drawn for each label by itself, ``tasks`` are the labels' numbers.

        Raises
        ------
        StoreError
            If none were kept, or the file is not the one that the row was written with.
        """
        path = self.predictions_path(row.key)
        if row.predictions is None:
            raise StoreError(
                f"{path}: no predictions were kept; set keep_predictions: true and run again"
            )
        if not lexists(path):
            raise StoreError(f"{path}: is missing; `mlbench run` computes it again")
        try:
            data = read_file(path)
        except (OSError, DamagedFileError) as error:
            reason = getattr(error, "strerror", None) or error
            raise StoreError(f"{path}: cannot be read: {reason}") from None
        return decompressed(data, path, row.predictions)

    def write_plan(
        self,
        plan: dict[str, Any],
        experiment_text: str,
        published_text: str | None = None,
        taken_over_text: str | None = None,
    ) -> None:
        """Write the cells and settings, from which reports are made."""
        if taken_over_text is not None:
            write_text(self.root / TAKEN_OVER, taken_over_text)
        write_text(self.root / "plan.json", json.dumps({"schema": SCHEMA, **plan}, indent=1))
        write_text(self.root / "experiment.yaml", experiment_text)
        if published_text is not None:
            write_text(self.root / PUBLISHED_FILE, published_text)
        if taken_over_text is None:
            (self.root / TAKEN_OVER).unlink(missing_ok=True)

    @contextlib.contextmanager
    def plan_as_before_on_error(self) -> Iterator[None]:
        """Put the plan, and what is kept beside it, back as it was if what is done here fails."""
        paths = [self.root / name for name in _PLAN_FILES]
        before = {path: read_file(path) if lexists(path) else None for path in paths}
        try:
            yield
        except Exception:
            for path, content in before.items():
                if content is None:
                    path.unlink(missing_ok=True)
                else:
                    write_atomically(path, methodcaller("write", content))
            raise

    def has_plan(self) -> bool:
        """Tell whether the folder has a plan of an earlier run."""
        return (self.root / "plan.json").exists()

    @gc_paused()
    def read_plan(self) -> dict[str, Any]:
        """Return the plan of the latest run, as it stands in its file.

        Raises
        ------
        StoreError
            If the folder holds no results, or its plan is no JSON of this version.
        """
        path = self.root / "plan.json"
        try:
            plan = parse_json(read_file(path))
            if plan["schema"] != SCHEMA:
                raise StoreError(f"{path}: written by another version of mlbench; run it again")
            return dict(plan)
        except (FileNotFoundError, NotADirectoryError):
            near = _nearest_folder(self.root)
            if not self.root.exists():
                lacks = "there is no such file or folder"
            elif inside(self.root, "rows").is_dir():
                lacks = (
                    "it has rows and no plan, as after a merge of several experiments; `mlbench "
                    f"run CONFIG --out {self.root}` writes one"
                )
            elif inside(self.root, "export.json").is_file():
                lacks = "it is an exported folder; give the folder of the run"
            elif inside(self.root, "slurm").is_dir():
                lacks = "nothing has been submitted or run here yet"
            else:
                lacks = (
                    "it has neither the plan.json of `mlbench run` nor the export.json of "
                    "`mlbench export --folder`"
                )
            raise StoreError(f"{self.root}: not a results folder ({lacks}){near}") from None
        except (OSError, DamagedFileError) as error:
            reason = getattr(error, "strerror", None) or error
            raise StoreError(f"{path}: cannot be read: {reason}") from None
        except _UNPARSABLE as error:
            raise StoreError(
                f"{path}: damaged ({type(error).__name__}: {str(error)[:200]}); `mlbench run` on "
                "the same folder writes it again"
            ) from None

    def check_writable(self, option: str = "--out") -> None:
        """Refuse a folder that is not for results.

        Parameters
        ----------
        option : str
            The option that names the folder.

        Raises
        ------
        StoreError
            If it holds other things and no results, or a link in place of a subfolder.
        """
        for name in FOLDERS:
            inside(self.root, name)
        names = {name for name in names_in(self.root) if not is_temporary(name)}
        other = sorted(names - {*FOLDERS, TAKEN_OVER, "worker.log"})
        if other and not self._has_results():
            raise StoreError(
                f"{self.root}: holds other files ({', '.join(other[:3])}"
                f"{', ...' if len(other) > 3 else ''}) and no results of mlbench; "
                f"choose a new or empty folder with {option}"
            )

    def _has_results(self) -> bool:
        with contextlib.suppress(OSError, DamagedFileError):
            if _START_OF_PLAN.match(read_file(self.root / "plan.json")):
                return True
        return bool(row_files(self.root).files or pack_files(self.root))

    def remove_stale_files(self) -> None:
        """Remove temporary files that are more than a day old, left by writers that were killed."""
        if self.root.is_dir():
            remove_stale_files(self.root, [inside(self.root, name) for name in FOLDERS])


def _nearest_folder(missing: Path) -> str:
    """Name the results that may be meant: beside a folder that is not there, or in ``runs``."""
    parent = missing.parent
    beside = parent if parent != Path() and parent.is_dir() else Path("runs")
    names = (path.parent.name for path in beside.glob("*/plan.json"))
    return did_you_mean(missing.name.removesuffix(".yaml"), names, f"{beside}/")
