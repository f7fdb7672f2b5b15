"""A published folder as one small file, and the published results that come with mlbench.

A bundle, ``NAME.json.xz``, holds the files of an exported folder from which its results are read,
and its experiment. What can be computed again is left out: the keys of cells, which are hashes of
what the results depend on, scores that stand in a second file, and means. CSV files are stored by
column. Whatever would not come back letter by letter is stored as it is.

The package is built with the help of this module, so it needs the standard library alone.
"""

from __future__ import annotations

import csv
import io
import json
import lzma
from collections.abc import Callable, Iterator, Mapping, Sequence
from os.path import lexists
from pathlib import Path
from typing import Any, NamedTuple

from mlbench.errors import StoreError
from mlbench.hashing import digest
from mlbench.json_text import json_lines
from mlbench.plain_files import read_plain_file
from mlbench.resources import bundled
from mlbench.spelling import did_you_mean

SUFFIX = ".json.xz"
EXPORT = "export.json"
REFERENCE = "reference.json"
FILES = ("experiment.yaml", EXPORT, REFERENCE)
"""Those of a published folder that a bundle holds, beside CSV files."""
DERIVED = ("threats.csv",)
"""CSV files that are made of the others."""
FORM = 1
_MAX_BYTES = 256_000_000
"""Of a bundle when it is unpacked."""
_OTHER_FORM = (ValueError, LookupError, TypeError, AttributeError, csv.Error)
"""What a file of another form raises while it is taken apart."""

Texts = Mapping[str, str]
"""Contents of files by their names."""
Scores = Mapping[tuple[str, str, str], Mapping[str, float | None]]
"""By data set, method and split, and by metric."""


def published_results() -> dict[str, Path]:
    """Return the folders or bundles of published results that come with mlbench, by name."""
    home = bundled("results")
    found = {path.parent.name: path.parent for path in home.glob(f"*/{EXPORT}")}
    found |= {path.name.removesuffix(SUFFIX): path for path in home.glob(f"*{SUFFIX}")}
    return dict(sorted(found.items()))


def is_bundle(path: Path) -> bool:
    """Tell whether a path is that of a bundle."""
    return path.name.endswith(SUFFIX) and path.is_file()


def published_path(path: str | Path) -> Path:
    """Return the path of results: the one given, or that of published results of this name."""
    named = not lexists(path) and published_results().get(str(path))
    return named or Path(path)


def shown_path(path: Path) -> str:
    """Return how messages name results: published ones that come with mlbench by their name."""
    return next((name for name, there in published_results().items() if there == path), str(path))


def published_names(path: str | Path) -> str:
    """Say which names there are, where a path may be meant as one; else empty."""
    there = published_results()
    if lexists(path) or Path(path).name != str(path) or not there:
        return ""
    return f"; published results{did_you_mean(str(path), there)}: {', '.join(there)}"


def published_texts(path: Path) -> dict[str, str]:
    """Return the files of a published folder that a bundle holds, or those of a bundle.

    Raises
    ------
    StoreError
        If a bundle is damaged.
    OSError
        If a file of a folder cannot be read.
    """
    if is_bundle(path):
        return unpack(path)
    names = {*FILES, *(file.name for file in path.glob("*.csv"))} - {*DERIVED}
    return {name: _text(path / name) for name in sorted(names) if lexists(path / name)}


def _text(path: Path) -> str:
    return read_plain_file(path).decode()


def pack(texts: Texts) -> bytes:
    """Return a bundle of the files of a published folder."""
    files = {name: _stored(name, texts) for name in texts}
    value = {"mlbench_bundle": FORM, "files": files}
    content = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    return lzma.compress(content, preset=9 | lzma.PRESET_EXTREME)


def unpack(path: Path) -> dict[str, str]:
    """Return the files that a bundle holds.

    Raises
    ------
    StoreError
        If it cannot be read, or is no bundle.
    """
    try:
        reader = lzma.LZMADecompressor()
        content = reader.decompress(path.read_bytes(), _MAX_BYTES)
        if not reader.eof:
            raise ValueError("it is cut off, or far too large")
        value = json.loads(content)
        form, stored = value["mlbench_bundle"], dict(value["files"])
        if form != FORM:
            raise ValueError(f"written in form {form}, and this version reads form {FORM}")
        texts: dict[str, str] = {}
        for name in sorted(stored, key=lambda name: stored[name][0] == "reference"):  # needs scores
            how, packed = stored[name]
            texts[name] = _WAYS[how].unpack(packed, texts)
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (lzma.LZMAError, RecursionError, *_OTHER_FORM) as error:
        words = " ".join(str(error).split())[:200]
        raise StoreError(f"{path}: damaged ({type(error).__name__}: {words})") from None
    return {name: texts[name] for name in stored}


def _stored(name: str, texts: Texts) -> tuple[str, Any]:
    """Return how a file is stored, and what is stored of it."""
    for how, way in _WAYS.items():
        if way.suits(name):
            try:
                stored = way.pack(texts[name], texts)
                if way.unpack(stored, texts) == texts[name]:
                    return how, stored
            except _OTHER_FORM:
                continue
    raise AssertionError(name)


def _pack_csv(text: str, texts: Texts) -> list[list[str]]:
    head, *lines = csv.reader(io.StringIO(text, newline=""))
    return [head, *map(list, zip(*lines, strict=True))]


def _unpack_csv(stored: Sequence[Sequence[str]], texts: Texts) -> str:
    head, *columns = stored
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(zip(*columns, strict=True))
    return file.getvalue()


def _pack_json(text: str, texts: Texts) -> Any:
    return json.loads(text)


def _unpack_json(stored: Any, texts: Texts) -> str:
    return "\n".join(json_lines(stored)) + "\n"


def _pack_reference(text: str, texts: Texts) -> Any:
    reference = json.loads(text)
    known = _scores(texts)
    for series, split, cell in _cells(reference):
        place = (series["dataset"], series["method"], split)
        if cell["scores"] == _scores_of(cell, known.get(place, {}), reference["metrics"]):
            cell["scores"] = None
        if cell["key"] == _key(series, split):
            cell["key"] = None
    return reference


def _unpack_reference(stored: Any, texts: Texts) -> str:
    reference = json.loads(json.dumps(stored))
    known = _scores(texts)
    for series, split, cell in _cells(reference):
        if cell["scores"] is None:
            place = (series["dataset"], series["method"], split)
            cell["scores"] = _scores_of(cell, known.get(place, {}), reference["metrics"])
        if cell["key"] is None:
            cell["key"] = _key(series, split)
    return _unpack_json(reference, texts)


def _cells(reference: Any) -> Iterator[tuple[Any, str, Any]]:
    for series in reference["series"]:
        for split, cell in series["cells"].items():
            yield series, split, cell


def _key(series: Any, split: str) -> str:
    """Return the hash of what a cell depends on."""
    identity = series["identity"]
    return digest({**identity, "split": {**identity["split"], "index": int(split)}})


def _scores(texts: Texts) -> Scores:
    found: dict[tuple[str, str, str], dict[str, float | None]] = {}
    _, *lines = csv.reader(io.StringIO(texts.get("scores.csv", "\n"), newline=""))
    for dataset, method, split, metric, text in lines:
        value = float(text) if text else None
        found.setdefault((dataset, method, split), {})[metric] = value
    return found


def _scores_of(
    cell: Any, known: Mapping[str, float | None], metrics: Sequence[str]
) -> dict[str, float | None]:
    return {name: known[name] for name in metrics if name in known and cell["status"] == "ok"}


class _Way(NamedTuple):
    """How a file can be stored."""

    suits: Callable[[str], bool]
    """Tells by the name of a file whether it may be stored so."""
    pack: Callable[[str, Texts], Any]
    unpack: Callable[[Any, Texts], str]


_WAYS = {
    "reference": _Way(lambda name: name == REFERENCE, _pack_reference, _unpack_reference),
    "json": _Way(lambda name: name.endswith(".json"), _pack_json, _unpack_json),
    "csv": _Way(lambda name: name.endswith(".csv"), _pack_csv, _unpack_csv),
    "text": _Way(lambda name: True, lambda text, _: text, lambda stored, _: str(stored)),
}
"""The first that brings a file back letter by letter counts."""
