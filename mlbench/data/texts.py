"""Text columns of a data set, and the vectorizer that is fitted to each training part."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mlbench.data.label_columns import columns_are
from mlbench.errors import DataError
from mlbench.hashing import canonical_json
from mlbench.number_text import counted
from mlbench.solvers.arrays import Ints
from mlbench.spelling import did_you_mean

_VECTORIZERS = {"tfidf": "TfidfVectorizer", "hashing": "HashingVectorizer"}
"""The classes of scikit-learn, by their short names."""
_NO_PARAMETERS = (
    *("input", "encoding", "decode_error", "dtype"),  # for files and bytes
    *("preprocessor", "tokenizer"),  # functions
)
_TOO_FEW_TEXTS = ("vocabulary", "no terms remain", "max_df corresponds")
"""What messages of scikit-learn say of texts that leave no word."""
_FORM = "`[note]`, or `{columns: [note], use: tfidf or hashing, min_df: 2}`"


@dataclass(frozen=True)
class Vectorizer:
    """A vectorizer of scikit-learn, with its parameters as plain values."""

    use: str = "tfidf"
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def make(self) -> Any:
        """Return a new vectorizer, not yet fitted."""
        from sklearn.feature_extraction import text

        # YAML has lists, and scikit-learn wants a tuple here
        pair = {
            name: tuple(value)
            for name, value in self.parameters.items()
            if name == "ngram_range" and isinstance(value, list)
        }
        return getattr(text, _VECTORIZERS[self.use])(**{**self.parameters, **pair})


class TextChoice(NamedTuple):
    """The option `text`: which columns are text, and what becomes of them."""

    columns: tuple[str, ...] = ()
    vectorizer: Vectorizer = Vectorizer()


NO_TEXT = TextChoice()


@dataclass(frozen=True, eq=False)
class Texts:
    """The text columns of a data set.

    Attributes
    ----------
    names : tuple of str
        Of the t columns.
    values : (n, t) array of str
        A missing text is empty.
    vectorizer
        Fitted to the training rows of each column by itself, in each split and tuning fold.
    """

    names: tuple[str, ...]
    values: npt.NDArray[np.object_]
    vectorizer: Vectorizer = Vectorizer()

    def __str__(self) -> str:
        """Say which columns there are."""
        kind = counted(len(self.names), "text column")
        return f"{kind} ({', '.join(self.names)}; {self.vectorizer.use})"

    @property
    def min_df(self) -> int:
        """In how many rows a word must be, if its vectorizer asks for a number of them."""
        least = self.vectorizer.parameters.get("min_df", 0)
        return least if isinstance(least, int) else 0

    def take(self, rows: Ints) -> Texts:
        """Return the texts of some rows."""
        return replace(self, values=self.values[rows])

    @property
    def as_plain(self) -> dict[str, Any]:
        """Names, texts and vectorizer as JSON can hold them."""
        return {
            "names": list(self.names),
            "values": self.values.tolist(),
            "use": self.vectorizer.use,
            "parameters": dict(self.vectorizer.parameters),
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Texts:
        """Return what `as_plain` has returned."""
        names = tuple(plain["names"])
        values = np.array(plain["values"], dtype=object).reshape(-1, len(names))
        return cls(names, values, Vectorizer(plain["use"], plain["parameters"]))

    def vectorized(self, train: Ints, test: Ints) -> list[tuple[Any, Any]]:
        """Fit the vectorizer to training rows, and return both parts of each column.

        Returns
        -------
        list of (CSR matrix, CSR matrix)

        Raises
        ------
        DataError
            If the training rows leave no word.
        """
        return [self._fitted(name, train, test) for name in self.names]

    def n_features(self) -> int:
        """Return how many features the texts of all rows make; a training part makes fewer.

        Raises
        ------
        DataError
            If they leave no word.
        """
        rows = np.arange(len(self.values))
        return sum(int(X.shape[1]) for X, _ in self.vectorized(rows, rows[:0]))

    def _fitted(self, name: str, train: Ints, test: Ints) -> tuple[Any, Any]:
        texts = self.values[:, self.names.index(name)]
        vectorizer = self.vectorizer.make()
        try:
            X = vectorizer.fit_transform(texts[train])
        except ValueError as error:
            raise DataError(
                f"the text column {name!r} leaves no word in {train.size} rows to learn from, of "
                f"which {np.count_nonzero(texts[train] != '')} have a text ({error}); choose other "
                "parameters of its vectorizer, larger training parts, or leave the column out"
            ) from error
        return X, vectorizer.transform(texts[test]) if test.size else X[:0]


def text_choice(option: object, source: str) -> TextChoice:
    """Return what the option `text` chooses.

    Parameters
    ----------
    option
        A column, a list of columns, or a mapping with these under ``columns``, the vectorizer under
        ``use`` (``tfidf``, the default, or ``hashing``), and its parameters; None for no text.
    source
        Where messages start.

    Raises
    ------
    DataError
        If it is something else, or the vectorizer does not accept its parameters.
    """
    if option is None:
        return NO_TEXT
    if not isinstance(option, Mapping):
        return TextChoice(_names(option, source))
    given = dict(option)
    names = _names(given.pop("columns", None), source)
    use = given.pop("use", "tfidf")
    if use not in _VECTORIZERS:
        raise DataError(
            f"{source}: text: use is {use!r}; it must be tfidf (scikit-learn's TfidfVectorizer) or "
            f"hashing (HashingVectorizer){did_you_mean(str(use), _VECTORIZERS)}"
        )
    vectorizer = Vectorizer(use, given)
    _check_parameters(vectorizer, source)
    return TextChoice(names, vectorizer)


def _names(columns: object, source: str) -> tuple[str, ...]:
    names = (columns,) if isinstance(columns, str) else columns
    if (
        not isinstance(names, list | tuple)
        or not names
        or not all(isinstance(name, str) for name in names)
        or len(set(names)) < len(names)
    ):
        raise DataError(
            f"{source}: text: {columns!r} are no names of columns; write {_FORM}, each name once"
        )
    return tuple(names)


def _check_parameters(vectorizer: Vectorizer, source: str) -> None:
    kind = _VECTORIZERS[vectorizer.use]
    allowed = set(Vectorizer(vectorizer.use).make().get_params()) - set(_NO_PARAMETERS)
    for name in vectorizer.parameters:
        if name not in allowed:
            raise DataError(
                f"{source}: text: {kind} has no parameter {name!r} that can be set here"
                f"{did_you_mean(str(name), allowed)}; known: "
                f"{', '.join(['columns', 'use', *sorted(allowed)])}"
            )
    try:
        canonical_json(dict(vectorizer.parameters))
        vectorizer.make().fit(["a text on trial"])
    except (TypeError, ValueError, re.error) as error:
        if not any(words in str(error) for words in _TOO_FEW_TEXTS):
            why = str(error).rstrip(".")
            pair = "; ngram_range takes two numbers, as [1, 2]" if "ngram_range" in why else ""
            raise DataError(
                f"{source}: text: {kind} does not accept its parameters: {why}{pair}"
            ) from error


def refuse_unknown_columns(choice: TextChoice, features: Sequence[str], source: str) -> None:
    """Refuse text columns that are not among the columns that are no labels."""
    for name in choice.columns:
        if name not in features:
            raise DataError(
                f"{source}: text: no column named {name!r}"
                f"{did_you_mean(name, features) or '; ' + columns_are([*features])}",
                "text",
            )
