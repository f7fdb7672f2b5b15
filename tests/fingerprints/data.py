"""Small data that are the same everywhere: numpy guarantees the streams, and decimals are few.

Other data move all numbers: give them a name of their own, and new cases are what they make.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse


@dataclass(frozen=True)
class Data:
    """Training rows, their labels, new rows, and the tasks of both where there are some."""

    X: Any
    Y: Any
    new: Any
    tasks: Any = None
    new_tasks: Any = None

    def shortened(self, count: int) -> Data:
        """Keep the first new rows only."""
        new_tasks = None if self.tasks is None else self.new_tasks[:count]
        return replace(self, new=self.new[:count], new_tasks=new_tasks)

    @property
    def known(self) -> dict[str, Any]:
        """What ``fit`` is told besides features and labels."""
        return {} if self.tasks is None else {"tasks": self.tasks}

    @property
    def known_of_new(self) -> dict[str, Any]:
        """What ``predict`` is told besides features."""
        return {} if self.tasks is None else {"tasks": self.new_tasks}


def dense() -> Data:
    """Make more rows than features, of different scales, and labels that are correlated."""
    random = np.random.RandomState(20)
    shared, own = random.randn(48, 2), random.randn(48, 6)
    X = np.round((own + shared @ random.randn(2, 6)) * [1, 1, 2, 0.5, 1, 3] + 0.5, 2)
    margins = X @ np.round(random.randn(6, 4), 1) / 2 + shared[:, :1] + 0.8 * random.randn(48, 4)
    Y = (margins - np.median(margins, axis=0) > [0, 0.4, -0.3, 0.8]).astype(np.int64)
    return Data(X[:40], Y[:40], X[40:])


def sparse_rows() -> Data:
    """Make fewer rows than features, most of them 0, as those of texts are."""
    random = np.random.RandomState(21)
    topics = random.rand(48, 3) > 0.6
    shares = 0.03 + topics @ (0.25 * (random.rand(3, 44) < 0.4))
    X = np.where(random.rand(48, 44) < shares, np.round(0.1 + random.rand(48, 44), 2), 0)
    Y = np.column_stack([topics, topics[:, 0] | topics[:, 1]])
    Y = (Y ^ (random.rand(*Y.shape) < 0.1)).astype(np.int64)
    return Data(sparse.csr_matrix(X[:40]), Y[:40], sparse.csr_matrix(X[40:]))


def with_tasks() -> Data:
    """Make one label over three tasks of different sizes, which are alike but not equal."""
    random = np.random.RandomState(22)
    tasks = np.repeat([0, 1, 2], [22, 17, 21])[random.permutation(60)]
    X = np.round(random.randn(60, 5) + 0.3 * tasks[:, None], 2)
    weights = np.round(random.randn(5) + 0.6 * random.randn(3, 5), 1)
    y = (X * weights[tasks]).sum(axis=1) + 1.5 * random.randn(60) > 0.4
    Y = y[:, None].astype(np.int64)
    return Data(X[:48], Y[:48], X[48:], tasks[:48], tasks[48:])


def wide() -> Data:
    """Have fewer rows than features, and store their zeros."""
    data = sparse_rows()
    return replace(data, X=data.X.toarray(), new=data.new.toarray())


def narrow_sparse() -> Data:
    """Have more rows than features, and store no zeros."""
    data = sparse_rows()
    common = np.argsort(data.X.getnnz(axis=0), kind="stable")[-9:]
    return replace(data, X=data.X[:, common], new=data.new[:, common])


def many_labels() -> Data:
    """Have more labels than there are clusters or labelsets of a few."""
    data = dense()
    random = np.random.RandomState(24)
    margins = data.X @ np.round(random.randn(6, 9), 1) + 2 * random.randn(40, 9)
    return replace(data, Y=(margins > np.linspace(-1, 3, 9)).astype(np.int64))


def one_class() -> Data:
    """Add a label that is never set and one that always is."""
    data = dense()
    n = len(data.Y)
    return replace(data, Y=np.column_stack([np.zeros(n, int), data.Y, np.ones(n, int)]))


def one_class_task() -> Data:
    """Let one task have no positives."""
    data = with_tasks()
    return replace(data, Y=np.where(data.tasks[:, None] == 1, 0, data.Y))


FORMS = {
    "dense": dense,
    "sparse": sparse_rows,
    "tasks": with_tasks,
    "wide": wide,
    "narrow sparse": narrow_sparse,
    "many labels": many_labels,
    "one class": one_class,
    "one class in a task": one_class_task,
}
