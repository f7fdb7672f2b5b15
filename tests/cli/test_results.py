from __future__ import annotations

from rich.table import Table

from mlbench.cli.results import print_rich


def test_no_name_is_cut_where_there_is_no_terminal(capsys):
    table = Table("name", "description", "count", box=None)
    table.add_row("Expected calibration error " * 2, "a text of some length " * 4, "1")
    print_rich(table)
    assert len(capsys.readouterr().out.splitlines()) == 2
