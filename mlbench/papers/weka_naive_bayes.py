"""Naive Bayes as WEKA computes it."""

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from mlbench.solvers.arrays import Floats, Ints, Matrix

MIN_DEVIATION = 1 / 6
"""Of a normal distribution, in cells: three deviations to either side fit into one cell."""

MIN_PROBABILITY = 1e-75
"""Of a value given a class, so that no feature alone rules out a class."""

PRECISION_OF_CONSTANTS = 0.01

_BEYOND = 40.0  # deviations from the mean at which a normal distribution has nothing left


class WekaNaiveBayes(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Naive Bayes for numeric features, as in WEKA.

    The precision of a feature is the mean difference between adjacent distinct values of training.
    Values are rounded to multiples of it, and the probability of a value given a class is that of
    the cell around it, one precision wide. A deviation is at least a sixth of the precision, so
    features that are constant within a class do no harm, as they do in scikit-learn's GaussianNB.

    Parameters
    ----------
    kernel : bool, default=False
        One normal distribution on each value of a class, with the range of the class divided by
        the square root of its number of rows as standard deviation (WEKA's option ``-K``), instead
        of one with the mean and deviation of the class.
    binary : {"numeric", "nominal"}, default="numeric"
        Whether features that are 0 or 1 in all rows of training count as numbers or as nominal.
        WEKA goes by the declared type. The probability of a nominal value is its share in the
        class, with one row added to each value.

    Attributes
    ----------
    classes_ : (C,) array
    class_prior_ : (C,) array
        The share of each class in training, with one row added to each.
    precision_ : (d,) array
        0.01 for a constant feature.

    Notes
    -----
    With kernels, WEKA does not round new values, and ends a sum of kernels at an error of 1 %.
    Here new values are rounded, and sums are exact.

    References
    ----------
    John & Langley (1995), Estimating continuous distributions in Bayesian classifiers. UAI,
    338-345. WEKA 3.8, weka.classifiers.bayes.NaiveBayes.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": ["boolean"],
        "binary": [StrOptions({"numeric", "nominal"})],
    }

    def __init__(self, kernel: bool = False, binary: str = "numeric") -> None:
        self.kernel = kernel
        self.binary = binary

    def fit(self, X: Matrix, y: NDArray[Any]) -> Self:
        """Estimate the distribution of every feature in every class.

        Parameters
        ----------
        X : (n, d) array
        y : (n,) array
            The class of each row.
        """
        self._validate_params()
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        counts = np.bincount(codes)
        self.class_prior_ = (counts + 1) / (len(codes) + len(counts))
        self.precision_ = _precision(X)
        self._nominal = ((X == 0) | (X == 1)).all(axis=0) & (self.binary == "nominal")
        cells = np.rint(X / self.precision_)[:, ~self._nominal]
        self._numeric: _Normals | _Kernels = (_Kernels if self.kernel else _Normals)(cells, codes)
        ones = _sums(X[:, self._nominal], codes)
        self._shares_of_ones = (ones + 1) / (counts[:, None] + 2)
        return self

    def predict_proba(self, X: Matrix) -> Floats:
        """Return the probability of every class, (m, C)."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        cells = np.rint(X / self.precision_)[:, ~self._nominal]
        ones = X[:, self._nominal] != 0
        likelihoods = self._numeric.log_likelihoods(cells)
        likelihoods += ones @ np.log(self._shares_of_ones).T
        likelihoods += ~ones @ np.log(1 - self._shares_of_ones).T
        return np.asarray(softmax(np.log(self.class_prior_) + likelihoods, axis=1))

    def predict(self, X: Matrix) -> NDArray[Any]:
        """Return the most likely class of every row, (m,)."""
        best = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[best])


class _Normals:
    """One normal distribution for each class and feature."""

    def __init__(self, cells: Floats, codes: Ints) -> None:
        counts = np.bincount(codes)[:, None]
        self.means = _sums(cells, codes) / counts
        variances = _sums((cells - self.means[codes]) ** 2, codes) / counts
        self.deviations = np.maximum(np.sqrt(variances), MIN_DEVIATION)

    def log_likelihoods(self, cells: Floats) -> Floats:
        """Return the logarithm of the likelihood of every class, (m, C), given cells, (m, d)."""
        columns = []
        for mean, deviation in zip(self.means, self.deviations, strict=True):
            upper = ndtr((cells - mean + 0.5) / deviation)
            lower = ndtr((cells - mean - 0.5) / deviation)
            columns.append(_log(upper - lower).sum(axis=1))
        return np.column_stack(columns)


class _Kernels:
    """One normal distribution on each value of a class and feature."""

    def __init__(self, cells: Floats, codes: Ints) -> None:
        self.by_class = [cells[codes == code] for code in range(codes.max() + 1)]

    def log_likelihoods(self, cells: Floats) -> Floats:
        """Return the logarithm of the likelihood of every class, (m, C), given cells, (m, d)."""
        likelihoods = np.zeros((len(cells), len(self.by_class)))
        for code, rows in enumerate(self.by_class):
            for values, new in zip(rows.T, cells.T, strict=True):
                likelihoods[:, code] += _log(_kernel_probability(values, new))
        return likelihoods


def _kernel_probability(values: Floats, new: Floats) -> Floats:
    """Return the mean probability of the new cells over normal distributions on the values.

    A probability depends on the distance of two cells only, so all come from one correlation of
    the numbers of values in cells with the probabilities of distances.
    """
    low, high = values.min(), values.max()
    deviation = max((high - low) / np.sqrt(len(values)), MIN_DEVIATION)
    beyond = np.ceil(_BEYOND * deviation) + 1
    new = np.clip(new, low - beyond, high + beyond)
    last = new.max()
    distances = np.arange(low - last, high - new.min() + 2) - 0.5
    probabilities = np.diff(ndtr(distances / deviation))
    numbers = np.bincount((values - low).astype(np.int64))
    sums = np.correlate(probabilities, numbers.astype(np.float64), "valid")
    return np.asarray(sums[(last - new).astype(np.int64)] / len(values))


def _precision(X: Floats) -> Floats:
    """Return the mean difference between adjacent distinct values of each column."""
    ascending = np.sort(X, axis=0)
    steps = (ascending[1:] != ascending[:-1]).sum(axis=0)
    ranges = ascending[-1] - ascending[0]
    return np.where(steps > 0, ranges / np.maximum(steps, 1), PRECISION_OF_CONSTANTS)


def _sums(rows: Floats, codes: Ints) -> Floats:
    """Return the sums over the rows of each class, (C, d)."""
    return np.asarray(np.eye(codes.max() + 1)[codes].T @ rows)


def _log(probabilities: Floats) -> Floats:
    return np.asarray(np.log(np.maximum(probabilities, MIN_PROBABILITY)))
