"""MULAN data sets: ARFF files, and an XML file that lists the labels.

See Tsoumakas, Spyromitros-Xioufis, Vilcek, Vlahavas: MULAN, JMLR 12, 2011.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.parsers import expat

from mlbench.data.arff import ArffFile, read_arff
from mlbench.data.files import read_bytes
from mlbench.data.labels import labels_from
from mlbench.data.readers.format import Format, needed, read_parts
from mlbench.data.table import RawTable
from mlbench.errors import DataError
from mlbench.spelling import did_you_mean


def split_labels(arff: ArffFile, label_columns: Sequence[int], path: Path) -> RawTable:
    """Return the table with the given columns as labels, in this order.

    Raises
    ------
    DataError
        If a label column does not contain labels, or if no feature is left.
    """
    chosen = list(label_columns)
    others = [j for j in range(len(arff.attributes)) if j not in set(chosen)]
    if not others:
        raise DataError(f"{path}: all {len(chosen)} attributes are labels; no feature is left")
    labels = labels_from(arff.cells[:, chosen], [arff.attributes[j] for j in chosen], str(path))
    return RawTable(
        attributes=tuple(arff.attributes[j] for j in others),
        cells=arff.cells[:, others],
        Y=labels.Y,
        label_names=labels.names,
        known=labels.known,
    )


def read(files: Mapping[str, Path], options: Mapping[str, object]) -> RawTable:
    """Read ``train`` and ``test`` (or ``all``), with the labels listed in ``labels``, the XML file.

    Labels are found by name and keep the order of the ARFF file, which often differs from that of
    the XML file. A ``-C n`` in the relation name belongs to MEKA and is ignored.

    Raises
    ------
    DataError
        If a file is damaged, or if a label of the XML file is not an attribute of the ARFF file.
    """
    xml = needed(files, "labels", "the MULAN XML file")
    names = read_label_names(xml)

    def read_part(path: Path) -> RawTable:
        arff = read_arff(path)
        present = [attribute.name for attribute in arff.attributes]
        return split_labels(arff, find_labels(names, present, xml, path), path)

    return read_parts(files, read_part)


def find_labels(
    names: Sequence[str], attributes: Sequence[str], xml: Path, path: Path
) -> list[int]:
    """Return the columns of the named labels, in ascending order.

    Raises
    ------
    DataError
        If one of them is not an attribute.
    """
    column = {name: j for j, name in enumerate(attributes)}
    for name in names:
        if name not in column:
            raise DataError(
                f"{xml}: the label {name!r} is not an attribute of {path.name}"
                f"{did_you_mean(name, attributes)}; both files must come from the same data set"
            )
    return sorted(column[name] for name in names)


def read_label_names(path: Path) -> list[str]:
    """Return the names of all labels in a MULAN XML file, including nested ones.

    A document type declaration is rejected, which rules out entity expansion attacks.

    Raises
    ------
    DataError
        If the file is not a MULAN XML file.
    """
    names: dict[str, None] = {}
    parser = expat.ParserCreate()

    def place() -> str:
        return f"{path}:{parser.CurrentLineNumber}"

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag.rpartition(":")[2] != "label":
            return
        name = attributes.get("name")
        if not name:
            raise DataError(f'{place()}: a label without a name; write <label name="...">')
        if name in names:
            raise DataError(f"{place()}: the label {name!r} appears twice")
        names[name] = None

    def refuse(*_: object) -> None:
        raise DataError(f"{place()}: a document type (<!DOCTYPE ...>) is not allowed; remove it")

    parser.StartElementHandler = start
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(read_bytes(path), True)
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise DataError(f"{place()}: not well-formed XML: {error}") from error
    if not names:
        raise DataError(f'{path}: names no label; write <labels><label name="..."/>...</labels>')
    return list(names)


def _find(path: Path) -> dict[str, Path]:
    """Return the file and its XML file: the one with its name, or the only one in the folder."""
    xml, others = xml_of(path), sorted(path.parent.glob("*.xml"))
    if xml is None and len(others) != 1:
        raise DataError(
            f"{path}: cannot tell which attributes are labels; put a MULAN file "
            f"{_names_of_xml(path)[0]} next to it, or MEKA's `-C n` in its @relation line, or "
            "choose them with `--labels` (`label_columns` in an experiment)"
        )
    return {"all": path, "labels": xml or others[0]}


def xml_of(path: Path) -> Path | None:
    """Return the XML file with the name of an ARFF file, or with that name minus its part."""
    candidates = [path.with_name(name) for name in _names_of_xml(path)]
    return next((candidate for candidate in candidates if candidate.is_file()), None)


def _names_of_xml(path: Path) -> list[str]:
    stem = path.name[: path.name.lower().index(".arff")] if ".arff" in path.name else path.stem
    return [f"{stem}.xml", f"{_PART.sub('', stem) or stem}.xml"]


_PART = re.compile(r"[-_. ](train|test|trn|tst)$|^(train|test|trn|tst)[-_. ]", re.I)
FORMAT = Format(read, suffixes=(".arff",), find=_find, has_parts=True, labels_suffix=".xml")
