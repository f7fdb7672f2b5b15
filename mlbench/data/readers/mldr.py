"""R data files with an object of class ``mldr``, as the R package mldr.datasets keeps them.

See Charte, Charte: Working with multilabel datasets in R: the mldr package, The R Journal 7, 2015.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from scipy.sparse import csc_matrix, csr_matrix

from mlbench.data.files import finite_number
from mlbench.data.labels import labels_from
from mlbench.data.rdata import Numbers, RDataError, RList, RObject, RTexts, read_rdata, texts_of
from mlbench.data.readers.format import Format, needed
from mlbench.data.table import Attribute, Cells, RawTable
from mlbench.errors import DataError

_COMPUTED = (".labelcount", ".SCUMBLE")
"""Columns that mldr adds to the data; they are computed from the labels."""
_DENSE = 1 / 3
"""From this share of values that are not zero, a dense table takes less memory."""


def read(files: Mapping[str, Path], options: Mapping[str, object]) -> RawTable:
    """Read ``all``, an ``.rda`` or ``.rds`` file with one object of class ``mldr``.

    Its data frame has the attributes and the labels as columns; ``labels$index`` says which columns
    are labels. The columns ``.labelcount`` and ``.SCUMBLE`` are left out. A text column is numeric
    if all its values are numbers, and nominal if the object says so.

    Raises
    ------
    DataError
        If the file is damaged or truncated, or holds no such object.
    """
    path = needed(files, "all", "the .rda file")
    try:
        objects = read_rdata(path)
    except RDataError as error:
        raise DataError(f"{path}: {error}") from error
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error}") from error
    frame, labels, kinds = _parts_of(objects, path)
    names = texts_of(frame.attributes.get("names"))
    if not frame.items or len(names) != len(frame.items) or len(set(names)) < len(names):
        raise DataError(f"{path}: the columns of `dataset` need names that differ")
    columns = [_column(*pair, kinds, path) for pair in zip(names, frame.items, strict=True)]
    rows = columns[0][1].length
    for attribute, values in columns:
        if values.length != rows:
            raise DataError(
                f"{path}: column {attribute.name!r} has {values.length} rows, others have {rows}"
            )
    chosen = set(labels)
    if not chosen or not chosen <= set(range(len(names))):
        raise DataError(f"{path}: labels$index must name columns 1 to {len(names)}")
    features = [
        column
        for place, column in enumerate(columns)
        if place not in chosen and column[0].name not in _COMPUTED
    ]
    named = [columns[place] for place in labels]
    read_labels = labels_from(
        np.column_stack([values.dense() for _, values in named]),
        [attribute for attribute, _ in named],
        str(path),
    )
    return RawTable(
        attributes=tuple(attribute for attribute, _ in features),
        cells=_table(features, rows),
        Y=read_labels.Y,
        label_names=read_labels.names,
        known=read_labels.known,
    )


def _parts_of(
    objects: Mapping[str, RObject], path: Path
) -> tuple[RList, list[int], dict[str, str]]:
    """Return the data frame, the positions of its labels, and the declared types."""
    found = [x for x in objects.values() if isinstance(x, RList) and "mldr" in x.classes]
    if len(found) != 1:
        there = ", ".join(name for name in objects if name) or "none with a name"
        raise DataError(
            f"{path}: needs one object of class mldr, and has {len(found)} (objects: {there}); "
            "save a data set of the R package mldr or mldr.datasets"
        )
    inside = found[0].named()
    frame, labels, stated = (inside.get(name) for name in ("dataset", "labels", "attributes"))
    index = labels.named().get("index") if isinstance(labels, RList) else None
    if not isinstance(frame, RList) or not isinstance(index, Numbers):
        raise DataError(f"{path}: the mldr object has no `dataset`, or no `labels$index`")
    places = index.dense()
    if not np.isfinite(places).all():
        raise DataError(f"{path}: labels$index has a missing value")
    kinds = {}
    if isinstance(stated, RTexts):
        names = texts_of(stated.attributes.get("names"))
        kinds = dict(zip(names, texts_of(stated), strict=False))
    return frame, (places.astype(np.int64) - 1).tolist(), kinds


def _column(
    name: str, value: RObject, kinds: Mapping[str, str], path: Path
) -> tuple[Attribute, Numbers]:
    match value:
        case Numbers(kind="integer", attributes={"levels": RTexts() as levels}):
            return _factor(name, value, texts_of(levels), path)
        case Numbers():
            if np.isinf(value.values).any():
                raise DataError(f"{path}: column {name!r} has an infinite value")
            return Attribute(name), value
        case RTexts():
            texts = [None if text is None else text.strip() for text in value.values]
            return _text_column(name, texts, kinds.get(name, ""))
    raise DataError(f"{path}: column {name!r} is neither numbers, a factor nor texts")


def _factor(
    name: str, codes: Numbers, levels: Sequence[str], path: Path
) -> tuple[Attribute, Numbers]:
    """Return codes that start at 0; a level is the text of a value."""
    full = codes.dense() - 1
    known = ~np.isnan(full)
    if known.any() and not (full[known].min() >= 0 and full[known].max() < len(levels)):
        raise DataError(f"{path}: column {name!r} has a code that is none of its levels")
    values = {text: place for place, text in enumerate(dict.fromkeys(map(str.strip, levels)))}
    places = np.array([values[text.strip()] for text in levels], dtype=np.float64)
    full[known] = places[full[known].astype(np.int64)]
    return Attribute(name, "nominal", tuple(values)), Numbers.from_dense("double", full)


def _text_column(name: str, texts: Sequence[str | None], kind: str) -> tuple[Attribute, Numbers]:
    numbers = [np.nan if text in (None, "?") else finite_number(text or "") for text in texts]
    if not kind.startswith("{") and None not in numbers:
        return Attribute(name), Numbers.from_dense("double", np.array(numbers, dtype=np.float64))
    values = [each.strip(" '\"") for each in re.split(",", kind.strip("{} "))]
    places = {each: place for place, each in enumerate(values)}
    codes = [np.nan if text in (None, "?") else places.get(str(text)) for text in texts]
    if kind.startswith("{") and None not in codes:
        return Attribute(name, "nominal", tuple(values)), Numbers.from_dense(
            "double", np.array(codes, dtype=np.float64)
        )
    missing = np.array([np.nan if text is None else 0.0 for text in texts])
    return Attribute(name, "text"), Numbers.from_dense("double", missing)


def _table(columns: Sequence[tuple[Attribute, Numbers]], rows: int) -> Cells:
    """Return the features, sparse if most of them are zero."""
    starts = np.cumsum([0, *(values.places.size for _, values in columns)])
    if starts[-1] > _DENSE * rows * len(columns):
        return np.column_stack([values.dense() for _, values in columns])
    data = np.concatenate([values.values for _, values in columns] or [np.empty(0)])
    places = np.concatenate([values.places for _, values in columns] or [np.empty(0, np.int64)])
    return csr_matrix(csc_matrix((data, places, starts), shape=(rows, len(columns))))


FORMAT = Format(read, suffixes=(".rda", ".rds", ".rdata"))
