"""``mlbench methods``: list methods, show, write or validate one."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from textwrap import indent, wrap
from typing import TYPE_CHECKING, Any

import click

from mlbench.cli.prepare import given_import_option, json_option

if TYPE_CHECKING:
    from mlbench.registry.docstrings import MethodDescription, Parameter


_TEXT = '''\
"""{name}: what it does, in one line."""

from __future__ import annotations

import numpy as np

from mlbench.methods.base import MultiLabelMethod
from mlbench.methods.parameters import require_positive


class {name}(MultiLabelMethod):
    """Ridge regression of all labels at once: put your own method here.

    Parameters
    ----------
    alpha : float, default=1.0
        Weight of the penalty.
    """

    threshold = 0.5  # a label is predicted if its score is above

    def __init__(self, alpha=1.0):
        self.alpha = alpha  # the constructor only stores its parameters

    def _check_parameters(self):
        require_positive(self, "alpha")

    def fit(self, X, Y):
        """Learn from X, (n, d) dense or CSR, and Y, (n, k) of 0 and 1."""
        X, Y, _ = self._check_training(X, Y)
        penalty = self.alpha * np.eye(X.shape[1])
        self.intercept_ = Y.mean(axis=0)
        self.coef_ = np.linalg.solve((X.T @ X) + penalty, X.T @ (Y - self.intercept_))
        return self

    def _scores(self, X, tasks):
        """Return the scores, (m, k), finite; larger means more likely."""
        return X @ self.coef_ + self.intercept_
'''


@click.command()
@click.argument("name")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write. [default: NAME in lower case, with .py]",
)
def new(name: str, out: Path | None) -> None:
    """Write the file of a method of your own, which passes all checks; then change it.

    NAME is the name of its class.

    \b
      mlbench methods new MyMethod
      mlbench methods validate mymethod.py:MyMethod
    """
    from mlbench.errors import MlbenchError
    from mlbench.store.atomic import write_output

    if not name.isidentifier():
        raise MlbenchError(f"{name!r} cannot be the name of a class; write it like MyMethod")
    path = out or Path(f"{name.lower()}.py")
    if path.exists():
        raise MlbenchError(f"{path}: exists; choose another file with --out")
    write_output(path, _TEXT.format(name=name).encode())
    click.echo(f"wrote {path}")
    click.echo(f"next: mlbench methods validate {path}:{name}")
    click.echo(f"in an experiment: {{use: {path}:{name}, alpha: 1.0}}")


_WIDTH = 96
_TASKS = {
    "none": "takes no tasks: every row has all labels",
    "optional": "takes tasks, if there are any: every row then belongs to one, with one label",
    "required": "for tasks only: one label, every row belongs to one task",
}


@click.group(
    context_settings={"help_option_names": ["-h", "--help"]},
)
def methods() -> None:
    """List methods, show one, or write and validate one of your own.

    \b
      mlbench methods show mlknn
      mlbench methods new MyMethod
      mlbench methods validate my.py:MyMethod
    """


methods.add_command(new)


@methods.command("list")
@json_option
def list_methods(form: str) -> None:
    """List all methods with a short name.

    Any other estimator is named as package.module.Class or path/to/file.py:Class.

    \b
      mlbench methods list
    """
    from mlbench.errors import MethodError
    from mlbench.registry.factory import method_names

    rows: list[dict[str, str]] = []
    for name in method_names():
        try:
            rows.append(_summary(name))
        except MethodError as error:
            rows.append({"name": name, "error": str(error)})
    if form == "json":
        click.echo(json.dumps(rows, indent=2))
        return
    for row in rows:
        if "error" in row:
            click.echo(f"{row['name']}: cannot be loaded: {row['error']}")
            continue
        click.echo(f"{row['name']}: {row['title']} ({row['origin']})")
        click.echo(_paragraph(row["summary"], "    "))
        if row["source"]:
            click.echo(_paragraph(row["source"], "    "))


def _summary(name: str) -> dict[str, str]:
    from mlbench.registry.docstrings import describe

    about = describe(name)
    keys = ("name", "title", "summary", "source", "origin", "target")
    return {key: getattr(about, key) for key in keys}


@methods.command("show")
@click.argument("name")
@given_import_option
@json_option
def show(name: str, form: str) -> None:
    """Show what a method does and which parameters it has.

    NAME is a short name, package.module.Class, or path/to/file.py:Class. The package or file is
    imported.

    \b
      mlbench methods show mlknn
    """
    from mlbench.registry.docstrings import describe
    from mlbench.registry.import_policy import allow_imports

    allow_imports()
    about = describe(name)
    if form == "text":
        click.echo("\n".join(_page(about)))
        return
    described = asdict(about)
    for parameter in described["parameters"]:
        parameter["default"] = _default(parameter["default"])
    click.echo(json.dumps(described, indent=2))


@methods.command()
@click.argument("name")
@given_import_option
@click.option(
    "--param",
    "stated",
    multiple=True,
    metavar="NAME=VALUE",
    help="A parameter of the method, as YAML (repeatable).",
)
@json_option
def validate(name: str, stated: tuple[str, ...], form: str) -> None:
    """Run the checks that every method must pass; exit with 1 if one fails.

    NAME is a short name, package.module.Class, or path/to/file.py:Class. The package or file is
    imported.

    \b
      mlbench methods validate my.py:MyMethod --param alpha=0.1
    """
    from mlbench.cli.settings import parse_settings
    from mlbench.estimator_checks import CHECKS
    from mlbench.methods.parameters import check_parameters
    from mlbench.registry import make_method
    from mlbench.registry.import_policy import allow_imports

    allow_imports()
    parameters = parse_settings(stated, "--param")
    results: list[dict[str, str]] = []
    check_parameters(make_method(name, **parameters))
    for title, function in CHECKS.items():
        promise = (inspect.getdoc(function) or "").partition("\n\n")[0]
        promise = " ".join(promise.replace("``", "").removeprefix("Check that ").split())
        failure = _failure(function, name, parameters)
        results.append({"check": title, "promise": promise, "failure": failure})
        if form == "text":
            click.echo(f"{'FAILED' if failure else 'ok':<7}{promise}")
            if failure:
                click.echo(indent(failure, " " * 7))
        if wants_frame := "`input: frame`" in failure:
            break
    failed = sum(bool(result["failure"]) for result in results)
    if form == "json":
        click.echo(json.dumps(results, indent=2))
    elif wants_frame:
        click.echo(
            "stopped: the checks give features as arrays, and do not suit a method with "
            "`input: frame`; `mlbench plan CONFIG --probe` tries it on rows of your data"
        )
    else:
        click.echo(f"{len(results) - failed} of {len(results)} checks passed")
    sys.exit(1 if failed else 0)


def _failure(function: Any, name: str, parameters: dict[str, Any]) -> str:
    """Run a check; return what is wrong, or an empty string."""
    from mlbench.registry import make_method

    try:
        function(lambda: make_method(name, **parameters))
    except AssertionError as error:
        return str(error)
    except (Exception, SystemExit) as error:
        return f"{type(error).__name__}: {error}"
    return ""


def _page(about: MethodDescription) -> Iterable[str]:
    yield f"{about.name}: {about.title} ({about.origin})"
    yield _paragraph(about.summary)
    for paragraph in filter(None, about.text.split("\n\n")):
        yield ""
        yield _paragraph(paragraph)
    yield ""
    yield "Parameters" if about.parameters else "No parameters"
    for parameter in about.parameters:
        kind = f"   ({parameter.type})" if parameter.type else ""
        yield f"    {parameter.name} = {_default_text(parameter)}{kind}"
        if parameter.meaning:
            yield _paragraph(parameter.meaning, " " * 8)
    yield ""
    yield f"Tasks   {_TASKS[about.tasks]}"
    path = "yes: a grid of parameters shares work" if about.has_path else "no: every point is a fit"
    yield f"Path    {path}"
    yield f"Class   {about.target}"
    if about.source:
        yield _paragraph(about.source, "Source  ", " " * 8)


def _paragraph(text: str, margin: str = "", hanging: str | None = None) -> str:
    plain = " ".join(text.replace("``", "").split())
    lines = wrap(
        plain,
        _WIDTH,
        initial_indent=margin,
        subsequent_indent=margin if hanging is None else hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines)


def _default(value: object) -> object:
    """Return a default as a JSON value; None also means "must be given"."""
    if value is inspect.Parameter.empty:
        return None
    return value if isinstance(value, bool | int | float | str | None) else repr(value)


def _default_text(parameter: Parameter) -> str:
    empty = parameter.default is inspect.Parameter.empty
    return "(must be given)" if empty else repr(parameter.default)
