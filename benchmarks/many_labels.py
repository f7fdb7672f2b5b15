"""Thousands of labels: data of the shape of EUR-Lex, and what linear models over them cost.

    python benchmarks many_labels
    python benchmarks many_labels --full
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

ROWS, FEATURES, LABELS = 19_348, 5_000, 3_993
LABELS_A_ROW = 5
WORDS = 300
"""Words of a text; about 235 of them are distinct."""
OWN_WORDS = 20
"""Words that tell of a label. A quarter of a text is drawn from those of its labels."""


def eurlex_like(
    rows: int = ROWS, features: int = FEATURES, labels: int = LABELS, seed: int = 0
) -> tuple[sparse.csr_matrix, np.ndarray]:
    """Draw texts as TF-IDF of unit length, (n, d), and their labels, (n, k) of 0 and 1.

    The r-th label has the weight 1 / (r + 10), the r-th word 1 / (r + 20). Each label occurs.
    """
    random = np.random.default_rng(seed)
    row = np.concatenate([np.arange(rows), random.integers(rows, size=rows * (LABELS_A_ROW - 1))])
    label = _ranks(random, labels, 10, row.size)
    label[random.choice(row.size, labels, replace=False)] = np.arange(labels)
    order = np.argsort(row, kind="stable")
    row, label = row[order], label[order]
    Y = np.zeros((rows, labels), dtype=np.int8)
    Y[row, label] = 1
    words = _ranks(random, features, 20, (rows, WORDS))
    vocabulary = random.permutation(features)[_ranks(random, features, 200, (labels, OWN_WORDS))]
    drawn = random.integers(np.bincount(row, minlength=rows)[:, None], size=(rows, WORDS // 4))
    telling = label[np.searchsorted(row, np.arange(rows))[:, None] + drawn]
    words[:, : WORDS // 4] = vocabulary[telling, random.integers(OWN_WORDS, size=telling.shape)]
    starts = np.arange(0, words.size + 1, WORDS)
    counts = sparse.csr_matrix((np.ones(words.size), words.ravel(), starts), (rows, features))
    counts.sum_duplicates()
    documents = np.bincount(counts.indices, minlength=features)
    counts.data = (1 + np.log(counts.data)) * np.log(rows / documents)[counts.indices]
    lengths = np.sqrt(np.add.reduceat(counts.data**2, counts.indptr[:-1]))
    counts.data /= np.repeat(lengths, np.diff(counts.indptr))
    return counts, Y


def _ranks(random: np.random.Generator, n: int, offset: int, size: int | tuple[int, int]):
    """Draw ranks from 0 to n - 1 with weights 1 / (rank + offset)."""
    weights = np.cumsum(1 / (np.arange(n) + offset))
    return np.searchsorted(weights, random.random(size) * weights[-1], side="right")
