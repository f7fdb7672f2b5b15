"""A data set in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix, issparse

from mlbench.data.given_arrays import (
    given_features,
    given_labels,
    given_names,
    given_rows,
    given_tasks,
)
from mlbench.data.row_values import numbered_groups, ranked_times
from mlbench.data.table import Attribute, numeric_attributes
from mlbench.data.texts import Texts
from mlbench.errors import DataError
from mlbench.hashing import canonical_json
from mlbench.solvers.arrays import Flags, Floats, Ints

_ROWS_AT_A_TIME = 4096
"""Rows whose numbers are hashed together, since labels take 8 bytes then."""


OPTIONAL = ("tasks", "published_train", "known", "groups", "times")
"""The arrays that not every data set has, in the order of the fingerprint."""


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Samples, their features and their 0/1 labels.

    Attributes
    ----------
    name
        The name used in the reference; not part of the fingerprint.
    X : (n, d) float64, ndarray or csr_matrix
        Features. Sparse ones of any form become a csr_matrix. NaN marks a missing value; there are
        none unless the reference says ``missing: keep``.
    Y : (n, k) int8, 0 or 1
        Labels, of whatever type they are given; masked ones are unknown. Sums with
        ``Y.sum(axis=0)`` are right; products such as ``Y.T @ Y`` need ``Y.astype(int)``. ``(n, 1)``
        if every task has its own samples.
    label_names, feature_names
        k and d names.
    tasks : (n,) int64 or None
        Index into `task_names` of the task a sample belongs to.
    published_train : (m,) int64 or None
        Sorted row indices of the published training part; all other rows are the published test
        part. A mask of all rows is taken, too.
    known : (n, k) bool or None
        Which labels are known; None if all are. Unknown labels are 0 in Y.
    notes
        Remarks for users of the data; not part of the fingerprint.
    groups : (n,) int64 or None
        The group of each row (its patient, its album), which no split divides. Any names are
        taken, and numbered in the order in which they first occur.
    times : (n,) int64 or None
        The rank of each row in time; equal times share one. Numbers and dates are taken, and
        ranked.
    row_numbers : (n,) int64 or None
        The number of each row in the files, from 0; None if all rows are there. Not part of the
        fingerprint.
    attributes
        The columns that features are encoded from, in their order; empty if each feature is a
        number in a column of its own. Not part of the fingerprint.
    texts : Texts or None
        Columns of text, which become features in each training part; X has none of them.
    left_out
        How many attributes of the files are no features, which, and why; empty if all are used.

    Raises
    ------
    DataError
        If the shapes do not agree, if Y holds values other than 0 and 1, or X no numbers or
        infinite ones.

    Examples
    --------
    >>> import mlbench as mb
    >>> import numpy as np
    >>> mb.Dataset(
    ...     name="toy",
    ...     X=np.array([[0.5, 1.0], [1.5, 0.0], [2.5, 1.0]]),
    ...     Y=np.array([[1, 0], [0, 1], [1, 1]]),
    ...     label_names=("red", "round"),
    ...     feature_names=("weight", "size"),
    ... )
    Dataset('toy': 3 samples x 2 features (dense), 2 labels)
    """

    name: str
    X: Floats | csr_matrix
    Y: Ints
    label_names: tuple[str, ...]
    feature_names: tuple[str, ...]
    tasks: Ints | None = None
    task_names: tuple[str, ...] = ()
    published_train: Ints | None = None
    notes: tuple[str, ...] = ()
    known: Flags | None = None
    left_out: str = ""
    groups: Ints | None = None
    times: Ints | None = None
    row_numbers: Ints | None = None
    texts: Texts | None = None
    attributes: tuple[Attribute, ...] = ()

    def __post_init__(self) -> None:
        """Take arrays in any form, and reject a data set whose parts are inconsistent."""
        if not isinstance(self.name, str):
            raise DataError(f"the name of a data set is a text, not {self.name!r}")
        X = given_features(self.X, self.name)
        Y, known = given_labels(self.Y, self.known, self.name)
        given = {
            "X": X,
            "Y": Y,
            "known": known,
            "tasks": given_tasks(self.tasks, self.name),
            "published_train": given_rows(self.published_train, X.shape[0], self.name),
            "label_names": given_names(self.label_names, "label_names", self.name),
            "feature_names": given_names(self.feature_names, "feature_names", self.name),
            "task_names": given_names(self.task_names, "task_names", self.name),
        }
        for what, value in given.items():
            object.__setattr__(self, what, value)
        task_indices = self.n_samples if self.tasks is None else self.tasks.size
        if self.X.ndim != 2 or self.Y.ndim != 2:
            raise DataError(
                f"{self.name}: X and Y must be tables, not {self.X.shape}, {self.Y.shape}"
            )
        for what, found, expected in (
            ("rows in Y", self.Y.shape[0], self.n_samples),
            ("label names", len(self.label_names), self.n_labels),
            ("feature names", len(self.feature_names), self.n_features),
            ("task indices", task_indices, self.n_samples),
            (
                "texts",
                self.n_samples if self.texts is None else len(self.texts.values),
                self.n_samples,
            ),
        ):
            if found != expected:
                raise DataError(f"{self.name}: {found} {what}, but {expected} are needed")
        for what, of_rows, as_numbers in (
            ("groups", self.groups, numbered_groups),
            ("times", self.times, ranked_times),
        ):
            if of_rows is None:
                continue
            values = as_numbers(of_rows, self.name)
            if len(values) != self.n_samples:
                raise DataError(
                    f"{self.name}: {len(values)} {what} are given for {self.n_samples} rows; one "
                    "a row is needed"
                )
            object.__setattr__(self, what, values)
        if np.isinf(self.X.data if issparse(self.X) else self.X).any():
            raise DataError(f"{self.name}: X has infinite values; features must be finite, or NaN")
        if ((self.Y != 0) & (self.Y != 1)).any():
            raise DataError(f"{self.name}: labels must be 0 or 1")
        object.__setattr__(self, "Y", self.Y.astype(np.int8, copy=False))
        if self.known is not None and (
            self.known.shape != self.Y.shape or self.Y[~self.known].any()
        ):
            raise DataError(
                f"{self.name}: `known` must have the shape of Y, and unknown labels must be 0 in Y"
            )
        for name, kind in ((self.label_names, "label"), (self.feature_names, "feature")):
            if len(set(name)) < len(name):
                twice = next(one for one in name if name.count(one) > 1)
                raise DataError(f"{self.name}: two {kind}s are named {twice!r}")

    def __repr__(self) -> str:
        """Say how large it is."""
        labels = f"{len(self.task_names)} tasks" if self.task_names else f"{self.n_labels} labels"
        kind = "sparse" if issparse(self.X) else "dense"
        text = "" if self.texts is None else f" and text ({', '.join(self.texts.names)})"
        size = f"{self.n_samples} samples x {self.n_features} features ({kind}){text}, {labels}"
        return f"Dataset({self.name!r}: {size})"

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Number of columns of X."""
        return int(self.X.shape[1])

    @property
    def n_labels(self) -> int:
        """Number of columns of Y."""
        return int(self.Y.shape[1])

    @property
    def has_missing(self) -> bool:
        """Whether a feature is missing in some row."""
        values = self.X.data if issparse(self.X) else self.X
        return bool(np.isnan(values).any())

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the content: X, Y, known labels, names, tasks, groups, times, texts, split.

        The published split is included because an experiment may use it. The name of the data set
        and its notes are not. A dense and a sparse X with the same values have different
        fingerprints, because methods may treat them differently.
        """
        sha = hashlib.sha256()
        for label, array, kind in self._arrays():
            sha.update(f"{label}:{np.dtype(kind).str}:{array.shape};".encode())
            for start in range(0, len(array), _ROWS_AT_A_TIME):
                content = np.ascontiguousarray(array[start : start + _ROWS_AT_A_TIME], dtype=kind)
                sha.update(content.reshape(-1).view(np.uint8).data)
        for names in (self.label_names, self.feature_names, self.task_names):
            sha.update(repr(names).encode("utf-8", "backslashreplace"))
        if self.texts is not None:
            sha.update(canonical_json(self.texts.as_plain).encode())
        return sha.hexdigest()

    @property
    def column_names(self) -> tuple[str, ...]:
        """Names of the tasks, or of the labels where there are none."""
        return self.label_names if self.tasks is None else self.task_names

    @property
    def feature_columns(self) -> tuple[Attribute, ...]:
        """The columns that features are encoded from."""
        return self.attributes or numeric_attributes(self.feature_names)

    def optional_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays that not every data set has, by name."""
        arrays = {name: getattr(self, name) for name in OPTIONAL}
        return {name: array for name, array in arrays.items() if array is not None}

    def described(self, name: str, notes: tuple[str, ...]) -> Dataset:
        """Return the same data with another name and other notes.

        A fingerprint that has been computed is kept.
        """
        if (name, notes) == (self.name, self.notes):
            return self
        other = replace(self, name=name, notes=notes)
        if "fingerprint" in self.__dict__:
            other.__dict__["fingerprint"] = self.fingerprint
        return other

    def _arrays(self) -> Iterator[tuple[str, npt.NDArray[np.generic], str]]:
        X: Any = self.X
        if issparse(X):
            yield "X.shape", np.asarray(X.shape), "<i8"
            yield "X.data", X.data, "<f8"
            yield "X.indices", X.indices, "<i8"
            yield "X.indptr", X.indptr, "<i8"
        else:
            yield "X", X, "<f8"
        yield "Y", self.Y, "<i8"
        for name, array in self.optional_arrays().items():
            yield name, array, "|b1" if name == "known" else "<i8"
