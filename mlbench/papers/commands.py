"""``mlbench paper``."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mlbench.cli.leaderboard import leaderboard
from mlbench.cli.prepare import format_option
from mlbench.cli.report import report
from mlbench.cli.reproduce import (
    compare_numbers,
    nothing_in_common,
    numbers_options,
    print_tables,
    reproduce,
)

if TYPE_CHECKING:
    from mlbench.results.results import Results


@click.group()
def paper() -> None:
    """Study a paper: its claims, its printed numbers, and interpretations of its protocol.

    \b
      mlbench paper interpretations raw=runs/mine-raw scaled=runs/mine-scaled
      mlbench paper claims results/ke/table-4 results/ke/table-2
      mlbench paper counts results/ke/table-3 results/ke/table-4
    """


@paper.command()
@click.argument("results", nargs=-1, required=True, type=click.Path())
@numbers_options
def interpretations(results: tuple[str, ...], form: str, **chosen: Any) -> None:
    """Rank the interpretations of a protocol by the printed numbers.

    An interpretation settles what the paper leaves open. Several RESULTS, or variants of methods
    (BR tree, BR logistic), are interpretations of one protocol: how many printed numbers each
    explains, jointly and by method and data set, with its likelihood, and how the best one does on
    data sets held out. NAME=RESULTS names an interpretation; results of the same name are parts of
    one.

    \b
      mlbench paper interpretations raw=runs/mine-raw scaled=runs/mine-scaled
      mlbench paper interpretations results/ke/table-4 results/ke/table-3 --method RAkEL
    """
    from mlbench.errors import MlbenchError
    from mlbench.papers import interpretation_tables as tables
    from mlbench.papers.interpretations import compare_interpretations, names_of_parts

    named = [_name_and_results(each) for each in results]
    names = [name for name, _ in named]
    if any(names) and not all(names):
        unnamed = next(each for name, each in named if not name)
        raise MlbenchError(f"{unnamed}: name all results or none: NAME={unnamed}")
    comparisons = [compare_numbers(each, **chosen) for _, each in named]
    if not any(names):
        names = names_of_parts(comparisons)
    compared = compare_interpretations(list(zip(names, comparisons, strict=True)))
    print_tables(
        form,
        tables.interpretation_tables(compared),
        tables.interpretations_as_plain(compared),
        tables.interpretation_records(compared),
    )


def _name_and_results(text: str) -> tuple[str, str]:
    from mlbench.errors import MlbenchError

    name, equals, results = text.partition("=")
    if not equals or Path(text).exists():
        return "", text
    if not name.strip() or not results:
        raise MlbenchError(f"{text!r}: write NAME=RESULTS")
    return name.strip(), results


@paper.command()
@click.argument("results", nargs=-1, required=True, type=click.Path())
@numbers_options
@click.option(
    "--causes",
    type=click.Path(path_type=Path),
    metavar="FILE.csv",
    help="Why numbers differ (paper,table,dataset,method,metric,kind,cause).",
)
def counts(results: tuple[str, ...], form: str, causes: Path | None, **chosen: Any) -> None:
    """Count the printed numbers of whole papers by verdict.

    Each printed number counts once, in the first of the RESULTS where it can be compared.

    \b
      mlbench paper counts results/ke/table-3 results/ke/table-4 --causes results/causes.csv
    """
    from mlbench.errors import MlbenchError
    from mlbench.papers.count_tables import count_records, count_tables, counts_as_plain
    from mlbench.papers.counts import count_numbers, read_causes, refuse_unknown

    known = read_causes(causes) if causes else []
    comparisons = [compare_numbers(each, **chosen, allow_none=True) for each in results]
    printing = [each for each in comparisons if each.printed]
    if printing and not any(each.lines for each in printing):
        raise MlbenchError(nothing_in_common(printing[0]))
    if not (chosen["table"] or chosen["methods"] or chosen["datasets"]):
        refuse_unknown(known, {value for each in comparisons for value in each.printed})
    counted = count_numbers(comparisons, known)
    print_tables(form, count_tables(counted), counts_as_plain(counted), count_records(counted))


@paper.command()
@click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--claims",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE.yaml",
    help="The claims. [default: `claims:` of the experiment, or those of its paper]",
)
@format_option("text", "markdown", "csv", "json")
def claims(results: tuple[Path, ...], file: Path | None, form: str) -> None:
    """Judge what a paper claims by the comparisons in RESULTS.

    A claim says which method is better than which others, and in what. Only controlled comparisons
    count: tuned by what is compared, cut alike, with no search at the end of its grid. Each claim
    holds, is contradicted or undecided, or nothing here can be compared with it.

    \b
      mlbench paper claims results/ke/table-4 results/ke/table-2 results/ke/table-3
      mlbench paper claims runs/mine --claims lee-claims.yaml

    \b
    A file of claims:
      paper: lee
      claims:
        - claim: A has a higher macro F1 than B and C
          where: section 5, table 2
          method: A
          against: [B, C]
          metric: macro_f1
    """
    from mlbench.cli.results import open_and_warn
    from mlbench.papers.claim_tables import PaperClaims, claim_table, claims_as_plain
    from mlbench.papers.claims import claims_of, read_claims
    from mlbench.papers.judged_claims import judge_claims

    folders: dict[Path, list[Results]] = {}
    for path in results:
        folder = open_and_warn(path)
        folders.setdefault(file or claims_of(folder), []).append(folder)
    known = [(read_claims(stated), here) for stated, here in folders.items()]
    papers = [
        PaperClaims(stated.paper, tuple(judge_claims(stated.claims, here)))
        for stated, here in known
    ]
    table = claim_table(papers)
    print_tables(form, [table], claims_as_plain(papers), table)


@paper.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
def refresh(files: tuple[Path, ...]) -> None:
    """Write the tables in Markdown FILES anew.

    The commands `<!-- mlbench report ... -->`, `<!-- mlbench reproduce ... -->`,
    `<!-- mlbench leaderboard ... -->`, and `<!-- mlbench paper ... -->` with claims, counts or
    interpretations run again, and the lines up to `<!-- end -->` are replaced.

    \b
      mlbench paper refresh results/ke/REPORT.md
    """
    from mlbench.papers.refresh import refresh_file

    commands = {
        "report": report,
        "reproduce": reproduce,
        "leaderboard": leaderboard,
        "paper interpretations": interpretations,
        "paper counts": counts,
        "paper claims": claims,
    }
    for file in files:
        changed = refresh_file(file, commands)
        click.echo(f"{file}: {'rewritten' if changed else 'nothing has changed'}")
