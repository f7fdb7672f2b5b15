"""A probabilistic label tree of napkinXC: an example of a tool that keeps its models in files."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from napkinxc.models import PLT
from scipy import sparse
from sklearn.utils import check_random_state

from mlbench.methods.base import MultiLabelMethod
from mlbench.methods.parameters import require_count, require_positive


class LabelTree(MultiLabelMethod):
    """Logistic regressions in the nodes of a tree of labels, scored by products along its paths.

    Parameters
    ----------
    arity : int, default=2
        Children of a node.
    max_leaves : int, default=100
        Labels below the lowest nodes.
    C : float, default=10.0
        Inverse strength of the penalty.
    random_state : int, RandomState or None, default=None
    """

    label_order_counts = True  # clusters of labels start from some that are drawn by number

    def __init__(self, arity=2, max_leaves=100, C=10.0, random_state=None):
        self.arity = arity
        self.max_leaves = max_leaves
        self.C = C
        self.random_state = random_state

    def _check_parameters(self):
        for name in ("arity", "max_leaves"):
            require_count(self, name)
        require_positive(self, "C")

    def fit(self, X, Y):
        """Fit the tree, and keep the files that napkinXC writes with the model."""
        X, Y, _ = self._check_training(X, Y)
        self._constants = Y[0, self.constant_labels_]
        self.n_labels_ = Y.shape[1]
        labels = [np.flatnonzero(row).tolist() for row in Y]
        seed = check_random_state(self.random_state).randint(1, 2**31 - 1)
        self.files_ = {}
        if len(self.constant_labels_) < Y.shape[1]:
            with TemporaryDirectory() as folder:
                self._tree(folder, seed).fit(sparse.csr_matrix(X, dtype=np.float32), labels)
                self.files_ = {path.name: path.read_bytes() for path in Path(folder).iterdir()}
        return self

    def _scores(self, X, tasks):
        """Return probabilities, (m, k)."""
        scores = np.zeros((X.shape[0], self.n_labels_))
        for row, pairs in zip(scores, self._found(X), strict=False):
            for label, probability in pairs:
                row[label] = probability
        scores[:, self.constant_labels_] = self._constants
        return scores

    def _found(self, X):
        """Return for each row the pairs of a label and its probability."""
        if not self.files_:
            return []
        with TemporaryDirectory() as folder:
            for name, content in self.files_.items():
                (Path(folder) / name).write_bytes(content)
            tree = self._tree(folder, 1)
            tree.load()
            return tree.predict_proba(sparse.csr_matrix(X, dtype=np.float32), top_k=self.n_labels_)

    def _tree(self, folder, seed):
        return PLT(
            folder,
            arity=self.arity,
            max_leaves=self.max_leaves,
            liblinear_c=self.C,
            liblinear_solver="L2R_LR",  # the default one draws numbers that no seed reaches
            seed=seed,
            threads=1,
        )
