"""``mlbench methods new``: the file of a first method of one's own."""

from __future__ import annotations

from pathlib import Path

import click

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
