"""The CSV files of the package, line by line."""

from __future__ import annotations

import csv
from importlib.resources import files

PAPERS: dict[str, str] = {
    "ke": "Ke, Pan, Yin, Huang: structured multi-task learning (SMTL)",
    "han2010": "Han et al., AAAI 2010: multi-task sparse discriminant analysis (MtSDA)",
    "ji2009": "Ji, Ye, IJCAI 2009: joint dimensionality reduction and classification",
    "nam": "Nam, Hachiya, Sugiyama: multi-label least-squares probabilistic classifiers",
    "yu2005": "Yu, Yu, Tresp, SIGIR 2005: multi-output regularized projection (MORP)",
}


def published_table(paper: str, table: str = "scores") -> list[dict[str, str]]:
    """Return the lines of a file that belong to one paper.

    Parameters
    ----------
    paper : str
        One of :data:`PAPERS`.
    table : str
        ``scores``, ``times``, ``pvalues``, ``protocols``, ``datasets``, ``conventions`` or
        ``caveats``.
    """
    text = files(__package__).joinpath(f"{table}.csv").read_text(encoding="utf-8")
    return [line for line in csv.DictReader(text.splitlines()) if line["paper"] == paper]
