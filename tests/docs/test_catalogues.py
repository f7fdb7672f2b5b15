"""The pages name everything that the catalogues hold."""

from __future__ import annotations

import re
from pathlib import Path

from mlbench.audit.checks import CHECKS
from mlbench.cli import COMMANDS
from mlbench.data.cards import GENERATED
from mlbench.data.readers import FORMATS
from mlbench.metrics import METRICS
from mlbench.options import FIGURE_KINDS

DOCS = Path(__file__).parents[2] / "docs"


def first_column(page, heading):
    """Return the code words in the first column of the table below a heading."""
    table = (DOCS / page).read_text().partition(f"| {heading} |")[2].partition("\n\n")[0]
    cells = re.findall(r"^\| (`[^|]*) \|", table, re.MULTILINE)
    return [word for cell in cells for word in re.findall(r"`([^`]+)`", cell)]


def test_data_formats():
    text = (DOCS / "data.md").read_text()
    item = text.partition("- **format**")[2].partition("- **files**")[0]
    assert [name for name in (*FORMATS, GENERATED) if f"`{name}`" not in item] == []


def test_checks_of_the_audit():
    text = (DOCS / "audit-checks.md").read_text()
    assert sorted(re.findall(r"^## (.*)$", text, re.MULTILINE)) == sorted(CHECKS)
    listed = re.findall(r"^\| \[(.*?)\]", (DOCS / "audit.md").read_text(), re.MULTILINE)
    assert sorted(listed) == sorted(CHECKS)


def test_commands():
    table = (DOCS / "commands.md").read_text()
    assert [
        name for name in COMMANDS if not re.search(rf"^\| .*`(mlbench )?{name}\b", table, re.M)
    ] == []


def test_figures():
    assert first_column("figures.md", "`--kind`") == list(FIGURE_KINDS)


def test_metrics():
    assert sorted(first_column("metrics.md", "name")) == sorted(METRICS)


def test_metrics_whose_lower_values_are_better_have_an_arrow():
    rows = re.findall(r"^\| `(\w+)`( ↓)? \|", (DOCS / "metrics.md").read_text(), re.MULTILINE)
    arrows = {name for name, arrow in rows if arrow}
    assert arrows == {name for name, metric in METRICS.items() if not metric.greater_is_better}


def test_architecture_lists_every_package_and_module_once():
    modules = {path.stem for path in (DOCS.parent / "mlbench").glob("*.py")}
    packages = {path.parent.name for path in (DOCS.parent / "mlbench").glob("*/__init__.py")}
    listed = first_column("architecture.md", "package or module")
    assert sorted(listed) == sorted(modules - {"__init__", "__main__"} | packages)
