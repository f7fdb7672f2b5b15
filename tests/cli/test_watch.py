"""The live table of a run."""

from __future__ import annotations

import io
from types import SimpleNamespace

from rich.console import Console

from mlbench.cli.watch import progress_table
from mlbench.results.plan import PlannedCell

DATASETS, METHODS = ("flags", "yeast"), ("BR", "[b]LP[/b]")
CELLS = [
    PlannedCell(dataset, method, split, f"{dataset}-{method}-{split}")
    for dataset in DATASETS
    for method in METHODS
    for split in range(2)
]
PLAN = SimpleNamespace(
    cells=CELLS,
    datasets=dict.fromkeys(DATASETS),
    methods=METHODS,
    experiment=SimpleNamespace(name="small"),
)


def printed(statuses, running=()):
    console = Console(file=io.StringIO(), width=100)
    console.print(progress_table(PLAN, statuses, running))
    return console.file.getvalue()


def test_each_method_has_a_row_with_its_cells_on_each_data_set():
    statuses = {"flags-BR-0": "ok", "flags-BR-1": "ok", "yeast-BR-0": "timeout"}
    text = printed(statuses, ["yeast/BR/1", "yeast/[b]LP[/b]/0"])
    assert "small: 3 of 8 cells" in text
    (br,) = (line for line in text.splitlines() if "BR" in line)
    (lp,) = (line for line in text.splitlines() if "LP" in line)
    assert [word.strip() for word in br.split("│")[1:-1]] == [
        "BR",
        "2/2",
        "0/2, 1 failed, 1 running",
    ]
    assert [word.strip() for word in lp.split("│")[1:-1]] == [
        "[b]LP[/b]",
        "0/2",
        "0/2, 1 running",
    ]
    assert "1 failed: `mlbench status` says why" in text


def test_nothing_is_said_of_failures_where_there_are_none():
    assert "failed" not in printed({cell.key: "ok" for cell in CELLS})
