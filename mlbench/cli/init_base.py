"""The experiment that compares methods of one's own with published results."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Sequence
from pathlib import Path
from textwrap import wrap

from mlbench.bundle import REFERENCE, published_path
from mlbench.config.relocate import relative_path
from mlbench.errors import MlbenchError
from mlbench.metrics import get_metric
from mlbench.number_text import counted, listed
from mlbench.registry.loading import is_file_target, names_in
from mlbench.report.protocol_note import protocol_note
from mlbench.results import open_results
from mlbench.results.exported import folder_texts
from mlbench.results.reference_file import parse_reference
from mlbench.results.results import Results
from mlbench.spelling import did_you_mean
from mlbench.yaml_loader import dump_flow

_WIDTH = 98


def name_of_method(use: str) -> str:
    """Return the name that a method has in tables: that of its class, or its short name."""
    name = use.rpartition(":")[2].rpartition(".")[2]
    if not re.search(r"\w", name):
        raise MlbenchError(f"--method {use}: name a class, as in mine.py:Mine")
    file, colon, _ = use.partition(":")
    if colon and "." not in file:
        raise MlbenchError(f"--method {use}: a file has its ending: {file}.py:{name}")
    return name


def refuse_missing_class(use: str) -> None:
    """Refuse a class that its file does not have; the file is read and does not run.

    Raises
    ------
    MlbenchError
        The file is there, and has no such name, or is not Python.
    """
    file, _, name = use.rpartition(":")
    path = Path(file).expanduser()
    if not is_file_target(use) or not path.is_file():
        return
    try:
        names = names_in(ast.parse(path.read_bytes()))
    except (OSError, SyntaxError, ValueError) as error:
        raise MlbenchError(f"--method {use}: {file} cannot be read as Python: {error}") from error
    if name not in names and "*" not in names:
        raise MlbenchError(
            f"--method {use}: {file} has no {name!r}{did_you_mean(name, sorted(names))}"
        )


def experiment_on(base: str, methods: Sequence[str], path: Path) -> str:
    """Return the text of an experiment that stands on published results.

    Parameters
    ----------
    base : str
        A name, or a folder.
    methods : sequence of str
        As for ``use``.
    path : Path
        The file that the text is for.

    Raises
    ------
    MlbenchError
        If there are no such results, or they are those of a run.
    """
    results = open_results(base)
    if results.source != "export":
        raise MlbenchError(
            f"{base}: is a results folder; `mlbench export {base} --folder DIR` makes a folder to "
            "stand on"
        )
    there = published_path(base)
    metrics = parse_reference(there / REFERENCE, folder_texts(there)[REFERENCE]).metrics
    use = base
    if Path(base).exists():
        use = relative_path(Path(base).absolute(), path.absolute().parent) or base
        use = use if "/" in use else f"./{use}"
    name = experiment_name(path.stem)
    return "\n".join(_lines(name, results, use, methods, metrics)) + "\n"


def _lines(
    name: str, results: Results, use: str, methods: Sequence[str], metrics: Sequence[str]
) -> list[str]:
    own = names_of_methods(methods, results.methods)
    experiment = results.plan.experiment
    tuning = experiment.protocol.tuning
    some = [*results.datasets][:2]
    first, first_use = next(iter(own.items()))
    others = dump_flow({"use": use, "datasets": some, "without": [results.methods[0]]})
    grid = {first: {"use": first_use, "tune": {"PARAMETER": [0.1, 1, 10]}}}
    scoring = tuning.scoring if isinstance(tuning.scoring, str) else listed(tuning.scoring)
    return [
        *_comment(
            f"{listed([*own])} beside {counted(len(results.methods), 'method')} of "
            f"{experiment.name} ({results.written[:10]}) on "
            f"{counted(len(results.datasets), 'data set')}. Only {listed([*own])} will run here: "
            "the scores of the others are taken over."
        ),
        f"name: {name}",
        "",
        *_comment(
            f"Data sets ({listed(results.datasets)}), protocol, metrics and limits are those of "
            f"the base. {protocol_note(experiment, results.plan.datasets)}"
        ),
        f"base: {dump_flow(use).splitlines()[0]}",
        "# A part of it:",
        f"# base: {others}",
        "",
        "methods:",
        *(f"  {dump_flow({name: {'use': method}})[1:-1]}" for name, method in own.items()),
        *_comment(
            f"A grid is searched as for the base, in {tuning.folds} folds by {scoring}:", "  "
        ),
        f"  # {dump_flow(grid)[1:-1]}",
        "",
        *_comment(
            f"Tables can show {listed([get_metric(name).title for name in metrics])}; "
            "by default those of the base."
        ),
        f"# metrics: {dump_flow([*metrics])}",
    ]


def names_of_methods(methods: Sequence[str], taken: Container[str]) -> dict[str, str]:
    """Return what each method uses, by a name that is not taken."""
    found: dict[str, str] = {}
    for use in methods:
        name = name_of_method(use)
        while name in taken or name in found:
            name = f"my {name}"
        found[name] = use
    return found


def experiment_name(text: str) -> str:
    """Return the valid name of an experiment that is most like a text."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-._")[:100] or "experiment"


def _comment(text: str, indent: str = "") -> list[str]:
    return wrap(
        text,
        _WIDTH,
        initial_indent=f"{indent}# ",
        subsequent_indent=f"{indent}# ",
        break_on_hyphens=False,
        break_long_words=False,
    )
