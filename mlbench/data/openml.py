"""Data sets of OpenML (Vanschoren et al., SIGKDD Explorations 15, 2013): ``openml:40589``.

A number of OpenML is one version of a data set. Fetching it writes a card, which pins the file by
its SHA-256; from then on it is a data set like any other.
"""

import socket
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
from scipy.sparse import issparse

from mlbench.data.add import add
from mlbench.data.arff import ArffFile, read_arff
from mlbench.data.files import decompressed_blocks
from mlbench.data.labels import truth_values
from mlbench.errors import DataError
from mlbench.yaml_loader import dump_yaml, load_yaml

_IGNORED = ("ignore_attribute", "row_id_attribute")


def fetch_openml_files(number: int, folder: Path, stall_seconds: float) -> None:
    """Download a data set of OpenML, and write its file and its card to a folder.

    scikit-learn's `fetch_openml` does the download and compares the MD5 that OpenML states.

    Raises
    ------
    DataError
        If it cannot be downloaded or read, or has no target.
    """
    from sklearn.datasets import fetch_openml

    name = f"openml-{number}"
    with tempfile.TemporaryDirectory(dir=folder, prefix=".openml-") as downloads:
        try:
            with _timeout(stall_seconds), warnings.catch_warnings(action="ignore"):
                details = fetch_openml(
                    data_id=number,
                    data_home=downloads,
                    target_column=None,
                    n_retries=1,
                    parser="liac-arff",  # the other one takes TRUE and FALSE for no categories
                ).details
        except Exception as error:  # scikit-learn does not say what it raises for odd answers
            raise DataError(f"openml:{number} cannot be downloaded: {error}") from error
        ending = f"{urlsplit(details['url']).path}.gz"
        stored = next(p for p in Path(downloads).rglob("*.gz") if str(p).endswith(ending))
        source = Path(downloads) / f"{name}.arff"
        with source.open("wb") as stream:
            stream.writelines(decompressed_blocks(stored, ".gz"))
        arff = read_arff(source)
        options = _options(arff, details, name)
        try:
            add(source, folder, name=name, settings=options, force=True)
        except DataError as error:
            raise DataError(str(error).replace(str(source), f"openml:{number}")) from None
    card = folder / f"{name}.yaml"
    content = load_yaml(card).value
    content["title"] = f"{details['name']}, version {details['version']}, of OpenML"
    content["files"]["all"]["urls"] = [details["url"]]
    content["home"] = f"https://www.openml.org/d/{number}"
    content["citation"] = _text(details.get("citation"))
    content["terms"] = _text(details.get("licence"))
    card.write_text(dump_yaml(content), encoding="utf-8")


def _options(arff: ArffFile, details: dict[str, object], name: str) -> dict[str, object]:
    """Return the reader options: targets with two values are labels, others are classes."""
    targets = _names(details.get("default_target_attribute"))
    if not targets:
        raise DataError(
            f"{name}: OpenML states no target for it; download its file from "
            f"{details['url']}, and add it with `mlbench data add FILE --labels COLUMNS`"
        )
    labels, classes, missing = [], [], False
    for j, attribute in enumerate(arff.attributes):
        column = arff.cells[:, [j]]
        values = column.data if issparse(column) else column
        if attribute.name not in targets:
            missing |= bool(np.isnan(values).any())
        elif truth_values(attribute.values) is None or set(np.unique(values[~np.isnan(values)])) - {
            0,
            1,
        }:
            classes.append(attribute.name)
        else:
            labels.append(attribute.name)
    ignored = [one for key in _IGNORED for one in _names(details.get(key))]
    options = {
        "label_columns": labels,
        "class_column": classes,
        "ignore": ignored,
        "missing": "keep" if missing else "",
    }
    return {key: value for key, value in options.items() if value}


def _names(given: object) -> list[str]:
    several = given if isinstance(given, list) else str(given or "").split(",")
    return [name.strip() for name in several if name.strip()]


def _text(given: object) -> str:
    return "; ".join(map(str, given)) if isinstance(given, list) else str(given or "")


@contextmanager
def _timeout(seconds: float) -> Iterator[None]:
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(seconds)
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)
