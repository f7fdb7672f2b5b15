"""``mlbench audit``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from mlbench.cli.prepare import format_option, metric_option, results_argument


class _Worst(click.Choice[str]):
    """The severity that fails, which may be left out; the folder does not stand for it."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse a folder in words."""
        if value not in self.choices:
            self.fail(
                f"{value!r} is neither 'invalidates' nor 'weakens'; a folder goes before --strict, "
                "or write --strict=invalidates",
                param,
                ctx,
            )
        return value


@click.command()
@results_argument
@click.option(
    "--check",
    "checks",
    multiple=True,
    metavar="CHECK",
    help="Only this check (repeatable). [default: all]",
)
@metric_option
@click.option(
    "--strict",
    type=_Worst(["invalidates", "weakens"]),
    is_flag=False,
    flag_value="invalidates",
    metavar="[invalidates|weakens]",
    help="Exit with 3 if a threat that is not accepted invalidates a comparison (the default), or "
    "weakens one.",
)
@format_option("text", "markdown", "csv", "json")
def audit(
    results: Path, checks: tuple[str, ...], metrics: tuple[str, ...], strict: str | None, form: str
) -> None:
    """Say what could be wrong with the comparisons of a run or of an exported folder.

    Were thresholds chosen alike? Was each method tuned by what is compared? Did a search end at
    the edge of its grid? Each threat names the comparisons that it touches, and what to do.

    \b
      invalidates   a comparison does not show what it seems to show
      weakens       a lead may be due to it
      note          a paper should say it

    \b
      mlbench audit runs/quickstart
      mlbench audit runs/quickstart --check grid-edge --check threshold
      mlbench audit runs/quickstart --strict weakens --format json

    An experiment accepts a threat with a reason, which is printed:

    \b
      audit:
        accept:
          - {check: tuning-metric, methods: [MTL-*], because: as the paper did}
    """
    from mlbench.audit import Facts, check_rules, find_threats
    from mlbench.cli.changed_code import warn_of_other_code
    from mlbench.cli.results import as_text, open_and_warn
    from mlbench.number_text import counted, listed
    from mlbench.report.render import to_csv, to_markdown
    from mlbench.report.tables.threats import no_threat, not_judged, threat_table

    folder = open_and_warn(results)
    warn_of_other_code(results, folder)
    facts = Facts.of_results(folder, metrics)
    threats = find_threats(facts, checks)
    if form == "json":
        click.echo(json.dumps([threat.record() for threat in threats], indent=2))
    elif threats:
        renderers = {"text": as_text, "markdown": to_markdown, "csv": to_csv}
        click.echo(renderers[form](threat_table(threats)), nl=form == "text")
    elif form != "csv":
        by = f" by {listed(checks)}" if checks and not threats.not_judged else ""
        click.echo(f"{no_threat(threats).removesuffix('.')}{by}.")
        for line in not_judged(threats):
            click.echo(line)
    if not (checks or metrics):  # else a rule may be for what is not looked at
        check_rules(facts)
    limit = {"invalidates": {"invalidates"}, "weakens": {"invalidates", "weakens"}}
    failing = limit.get(strict or "", ())
    if severe := sum(threat.is_open and threat.severity in failing for threat in threats):
        click.echo(
            f"--strict {strict}: {counted(severe, 'open threat')}, so the audit fails; mend the "
            "comparison, or accept a threat with a reason (`audit: accept`)",
            err=True,
        )
        sys.exit(3)
