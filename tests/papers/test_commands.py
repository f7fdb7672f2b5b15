"""`mlbench paper`: interpretations, counts, and pages that quote both."""

from __future__ import annotations

import csv
import io
import json

import pytest
from click.testing import CliRunner

from mlbench.cli import main
from tests.runs import write_run

PRINTED = (
    "dataset,method,metric,mean,std,n_splits,unit\n"
    "birds,BR,macro_f1,50.0,1.0,3,percent\n"
    "birds,LP,macro_f1,40.0,1.0,3,percent\n"
    "scene,BR,macro_f1,60.0,1.0,3,percent\n"
)


def run(lab, folder, **means):
    """Write a run of two data sets in macro F1, three splits around a mean per method."""
    scores = {
        (dataset, method): [mean + off - 0.01, mean + off, mean + off + 0.01]
        for dataset, off in (("birds", 0.0), ("scene", 0.1))
        for method, mean in means.items()
    }
    write_run(lab.folder / folder, scores, name=folder.rpartition("/")[2])


@pytest.fixture
def call(lab, monkeypatch):
    """A command in this process, with the results of two interpretations and what Lee prints."""
    monkeypatch.chdir(lab.folder)
    lab.write("lee.csv", PRINTED)
    run(lab, "runs/raw", BR=0.503, LP=0.402)
    run(lab, "runs/scaled", BR=0.57, LP=0.35)

    def invoke(*words):
        published = [] if "refresh" in words else ["--published", "lee.csv"]
        return CliRunner().invoke(main, [*words, *published], catch_exceptions=False)

    return invoke


def test_the_tables(call):
    shown = call("paper", "interpretations", "runs/scaled", "runs/raw", "--format", "markdown")
    assert (shown.exit_code, shown.stderr) == (0, "")
    assert "**Interpretations of the protocol (lee)**" in shown.stdout
    rows = [line for line in shown.stdout.splitlines() if line.startswith(("| raw", "| scaled"))]
    assert rows[0].startswith("| raw | 3 | 3 | 0 | 0 | ")
    assert rows[1].startswith("| scaled | 3 | 0 | 0 | 3 | ")
    assert "| BR | **2 / 2** | 0 / 2 |" in shown.stdout
    assert "| birds | raw | 2 | 2 | 0 | 0 | " in shown.stdout
    text = call("paper", "interpretations", "runs/scaled", "runs/raw").stdout
    assert "Data sets held out" in text


def test_csv_and_json(call):
    words = ("paper", "interpretations", "runs/scaled", "runs/raw", "--format")
    lines = list(csv.DictReader(io.StringIO(call(*words, "csv").stdout)))
    assert [line["interpretation"] for line in lines] == ["raw"] * 3 + ["scaled"] * 3
    assert float(lines[0]["log10_ratio"]) > 0 > float(lines[3]["log10_ratio"])
    shown = json.loads(call(*words, "json").stdout)
    assert list(shown) == [
        "form",
        "paper",
        "interpretations",
        "methods",
        "datasets",
        "held_out",
        "figures",
    ]
    assert [each["interpretation"] for each in shown["interpretations"]] == ["raw", "scaled"]


def test_results_may_have_names_and_parts(lab, call):
    run(lab, "runs/raw-lp", LP=0.402)
    run(lab, "runs/raw-br", BR=0.503)
    shown = call(
        *(
            "paper",
            "interpretations",
            "no scale=runs/raw-lp",
            "no scale=runs/raw-br",
            "scale=runs/scaled",
        ),
        *("--format", "json"),
    )
    found = {
        each["interpretation"]: each["n"] for each in json.loads(shown.stdout)["interpretations"]
    }
    assert found == {"no scale": 3, "scale": 3}


def test_an_experiment_file_means_its_results(lab, call):
    lab.write("raw.yaml", "name: raw\n")
    lab.write("scaled.yaml", "name: scaled\n")
    shown = call("paper", "interpretations", "raw.yaml", "scaled.yaml", "--format", "json")
    found = [each["interpretation"] for each in json.loads(shown.stdout)["interpretations"]]
    assert found == ["raw", "scaled"]
    lab.write("other.yaml", "name: other\n")
    assert "other.yaml: no results in runs/other; run it" in call("reproduce", "other.yaml").stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["reproduce", "runs/raw", "runs/scaled"], "unexpected extra argument (runs/scaled)"),
        (["paper", "interpretations", "runs/raw"], "1 of 2 or more interpretations"),
        (["paper", "interpretations", "a=runs/raw", "a=runs/scaled"], "has BR on birds twice"),
        (["paper", "interpretations", "a=runs/raw", "runs/scaled"], "name all results or none"),
        (["paper", "interpretations", "=runs/raw", "runs/scaled"], "write NAME=RESULTS"),
        (["paper", "interpretations", "runs/raw", "runs/none"], "runs/none: not a results folder"),
        (["paper", "interpretations", "--brief", "runs/raw"], "No such option"),
        (["paper", "counts", "--causes", "causes.csv", "runs/raw"], "causes.csv: cannot be read"),
        (["paper", "refresh", "runs/raw"], "runs/raw: cannot be read or written"),
        (
            ["paper", "refresh", "page.md", "--table", "Table I"],
            "No such option",
        ),
        (
            ["paper", "refresh", "lee.csv"],
            "lee.csv: no command such as <!-- mlbench reproduce ... --> on lines of its own",
        ),
    ],
)
def test_wrong_input_ends_with_2(call, words, message):
    shown = call(*words)
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert message in shown.stderr


def test_numbers_that_nobody_printed(lab, call):
    run(lab, "runs/other", kNN=0.5)
    shown = call("reproduce", "runs/other")
    assert shown.exit_code == 2
    assert "data sets in print: birds, scene; in the results: birds, scene\n" in shown.stderr
    assert "methods in print: BR, LP; in the results: kNN\n" in shown.stderr


def test_each_printed_number_once(lab, call):
    lab.write(
        "causes.csv",
        "paper,table,dataset,method,metric,kind,cause\n,,birds,,,measured,scaled features\n",
    )
    words = ("paper", "counts", "runs/scaled", "runs/raw", "--causes", "causes.csv")
    shown = call(*words, "--format", "markdown").stdout
    assert "| lee | 3 | 3 | 0 | 0 | 3 | — | 2 | 0 | 0 |" in shown
    assert "| differs | measured: scaled features | 2 |" in shown
    found = json.loads(call(*words, "--format", "json").stdout)
    assert (found["tables"][0]["differs"], found["tables"][0]["cause measured"]) == (3, 2)
    lines = list(csv.DictReader(io.StringIO(call(*words, "--format", "csv").stdout)))
    assert [line["source"] for line in lines] == ["runs/scaled"] * 3


CLAIMS = """paper: lee
claims:
  - {claim: BR above LP, where: table 2, method: BR, against: LP, metric: macro_f1}
"""


def test_claims_are_those_of_a_file(call, lab):
    lab.write("claims.yaml", CLAIMS)
    words = ("paper", "claims", "runs/raw", "--claims", "claims.yaml")
    shown = CliRunner().invoke(main, [*words, "--format", "markdown"], catch_exceptions=False)
    assert shown.exit_code == 0, shown.stderr
    outcome = "holds, threshold and labels-left-out unchecked"
    assert f"| 1 | BR above LP | {outcome} | 2 | 2 | 0 | 2 | 0.5000 |" in shown.stdout
    plain = json.loads(CliRunner().invoke(main, [*words, "--format", "json"]).stdout)
    assert [each["decision"] for each in plain["claims"][0]["comparisons"]] == [1, 1]


def test_an_experiment_names_its_claims(call, lab):
    lab.write("claims.yaml", CLAIMS)
    scores = {("birds", "BR"): [0.5, 0.6], ("birds", "LP"): [0.4, 0.5]}
    write_run(lab.folder / "runs/own", scores, name="own", claims="../../claims.yaml")
    shown = CliRunner().invoke(main, ["paper", "claims", "runs/own"], catch_exceptions=False)
    assert "BR above LP" in shown.stdout
    (lab.folder / "claims.yaml").unlink()
    shown = CliRunner().invoke(main, ["paper", "claims", "runs/own"])
    assert shown.exit_code == 2
    assert "claims.yaml" in shown.stderr


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("macro_f1", "macro_f7", "claims.yaml:3:67: claims.0.metric: there is no metric"),
        ("where:", "were:", "claims.0: the key 'where' is required here"),
        ("against: LP, ", "", "against: needed, or not_judged with a reason"),
        ("paper: lee", "", "the key 'paper' is required here"),
        (CLAIMS, "- A", "expected a mapping with the keys paper, claims"),
    ],
)
def test_a_wrong_file_of_claims_is_told_with_its_line(call, lab, old, new, told):
    lab.write("claims.yaml", CLAIMS.replace(old, new))
    words = ["paper", "claims", "runs/raw", "--claims", "claims.yaml"]
    shown = CliRunner().invoke(main, words)
    assert shown.exit_code == 2
    assert told in shown.stderr


def test_results_without_claims_name_the_option(call):
    shown = CliRunner().invoke(main, ["paper", "claims", "runs/raw"])
    assert shown.exit_code == 2
    assert "name a file with --claims" in shown.stderr


PAGE = """# Mine

<!-- mlbench paper interpretations --published lee.csv
  runs/raw runs/scaled -->
old
<!-- end -->
between
<!-- mlbench reproduce runs/raw --published lee.csv -->
<!-- end -->
last
"""


def test_a_page_that_cannot_be_written_stays_whole(lab, call, monkeypatch):
    lab.write("page.md", PAGE)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    shown = call("paper", "refresh", "page.md")
    assert (shown.exit_code, "page.md: cannot be written: No space left" in shown.stderr) == (
        2,
        True,
    )
    assert (lab.folder / "page.md").read_text() == PAGE


def test_tables_in_a_page_are_refreshed(lab, call):
    lab.write("page.md", PAGE)
    shown = call("paper", "refresh", "page.md")
    assert (shown.exit_code, shown.stdout) == (0, "page.md: rewritten\n")
    text = (lab.folder / "page.md").read_text()
    first, second = text.split("between")
    assert first.startswith(PAGE[: PAGE.index("old")])
    assert "**Interpretations of the protocol (lee)**" in first
    assert "\nold\n" not in first
    assert "**Printed values and ours (lee)**" in second
    assert text.endswith("<!-- end -->\nlast\n")
    assert call("paper", "refresh", "page.md").stdout == "page.md: nothing has changed\n"


def test_tables_of_a_report_are_refreshed_too(lab, call):
    lab.write("page.md", "<!-- mlbench report runs/raw --table scores -->\n<!-- end -->\n")
    assert call("paper", "refresh", "page.md").exit_code == 0
    assert "\n**Macro F1**\n" in (lab.folder / "page.md").read_text()
    lab.write("page.md", "<!-- mlbench report runs/raw --html -->\n<!-- end -->\n")
    assert "cannot have --html" in call("paper", "refresh", "page.md").stderr


def test_a_page_without_an_end_stays_as_it_is(lab, call):
    lab.write("page.md", "<!-- mlbench reproduce runs/raw --published lee.csv -->\nmine\n")
    shown = call("paper", "refresh", "page.md")
    assert shown.exit_code == 2
    assert "page.md:1: no <!-- end --> between this command and the next" in shown.stderr
    assert (lab.folder / "page.md").read_text().endswith("mine\n")


def test_text_before_the_next_command_is_kept_where_an_end_is_missing(lab, call):
    page = PAGE.replace("<!-- end -->\nbetween", "between")
    lab.write("page.md", page)
    shown = call("paper", "refresh", "page.md")
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert "page.md:3: no <!-- end --> between this command and the next" in shown.stderr
    assert (lab.folder / "page.md").read_text() == page


def test_commands_in_code_blocks_are_examples(lab, call):
    example = "```text\n<!-- mlbench reproduce runs/none -->\n(the tables)\n<!-- end -->\n```\n"
    lab.write("page.md", example + PAGE)
    assert call("paper", "refresh", "page.md").exit_code == 0
    assert (lab.folder / "page.md").read_text().startswith(example)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("runs/none --strictly", "page.md:2: No such option"),
        ("runs/none --published lee.csv", "page.md:2: runs/none: not a results folder"),
        ('"runs/raw --published lee.csv', "page.md:2: No closing quotation"),
    ],
)
def test_a_bad_command_in_a_page_is_told(lab, call, words, message):
    lab.write("page.md", f"# Mine\n<!-- mlbench reproduce {words} -->\n<!-- end -->\n")
    shown = call("paper", "refresh", "page.md")
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert message in shown.stderr


def test_a_metric_under_whose_printed_name_nothing_ran_has_no_table(lab, call):
    lab.write(
        "two.csv",
        "dataset,method,metric,mean,std,n_splits,unit,ours\n"
        "birds,BR,F1,50.0,1.0,3,percent,macro_f1\n"
        "birds,SVM,F-score,45.0,1.0,3,percent,macro_f1\n",
    )
    shown = CliRunner().invoke(main, ["reproduce", "runs/raw", "--published", "two.csv"])
    assert shown.exit_code == 0
    assert "as named                 1      0        0               0        1" in shown.stdout
    assert shown.stdout.count("F-score") == 0
    assert "Printed, but not run: SVM (birds, Macro F1)." in shown.stdout


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "lee,,,LR,,measured,luck",
            "why.csv:2: there is no printed number of lee, LR; write names",
        ),
        (",,wine,,,measured,luck", "why.csv:2: there is no printed number of wine; write names"),
        ("kee,,,LR,,measured,luck", ""),
        ("LEE,,Birds,br,,measured,luck", ""),
    ],
)
def test_a_cause_is_about_numbers_that_there_are(lab, call, line, message):
    lab.write("why.csv", f"paper,table,dataset,method,metric,kind,cause\n{line}\n")
    shown = call("paper", "counts", "runs/raw", "--causes", "why.csv")
    assert shown.exit_code == (2 if message else 0)
    assert message in shown.stderr


def test_counts_needs_a_printed_number(lab, call):
    run(lab, "runs/other", SVM=0.5)
    assert call("paper", "counts", "runs/raw", "runs/other").exit_code == 0
    shown = call("paper", "counts", "runs/other")
    assert shown.exit_code == 2
    assert "runs/other: no printed number of lee has a score in these results" in shown.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("runs/raw runs/raw --published lee.csv", "unexpected extra argument (runs/raw)"),
        ("runs/raw --published lee.csv --causes why.csv", "No such option"),
        ("runs/raw --published lee.csv --strict", "a command in a file cannot have --strict"),
        ("runs/raw --published lee.csv --format csv", "a command in a file cannot have --format"),
    ],
)
def test_a_command_in_a_page_is_checked_as_one_that_is_typed(lab, call, words, message):
    lab.write("page.md", f"<!-- mlbench reproduce {words} -->\nold\n<!-- end -->\n")
    shown = call("paper", "refresh", "page.md")
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert message in shown.stderr
    assert "old" in (lab.folder / "page.md").read_text()
