"""``mlbench figure``."""

from __future__ import annotations

import json
from pathlib import Path

import click

from mlbench.cli.prepare import results_argument
from mlbench.options import (
    FIGURE_KINDS,
    FIGURE_SPREADS,
    FIGURE_WIDTHS,
    TIMED_STEPS,
    FigureKind,
    FigureSpread,
    FigureWidth,
    TimedStep,
)


@click.command()
@results_argument
@click.option(
    "--kind",
    type=click.Choice(FIGURE_KINDS),
    help="[default: lines where there can be any, else bars]",
)
@click.option("--metric", help="What to draw. [default: the experiment's first metric]")
@click.option("--seconds", type=click.Choice(TIMED_STEPS), help="Draw the time of a step instead.")
@click.option(
    "--x",
    "along",
    metavar="NUMBER",
    help="Number along which lines go: samples, features, labels, one in the references of the "
    "data sets, or a fixed parameter of methods.",
)
@click.option("--dataset", "datasets", multiple=True, help="Only this data set (repeatable).")
@click.option("--method", "methods", multiple=True, help="Only this method (repeatable).")
@click.option(
    "--spread",
    type=click.Choice(FIGURE_SPREADS),
    default="interval",
    show_default=True,
    help="Bars and bands: the mean's 95 % interval, or the standard deviation over splits.",
)
@click.option(
    "--width",
    type=click.Choice(FIGURE_WIDTHS),
    default="column",
    show_default=True,
    help="3.3 or 6.9 inches.",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File to write: .svg, .png or .pdf. [default: RESULTS/figure.svg]",
)
@click.option("--json", "as_json", is_flag=True, help="Print what is drawn as JSON.")
def figure(
    results: Path,
    kind: FigureKind | None,
    metric: str | None,
    seconds: TimedStep | None,
    along: str | None,
    datasets: tuple[str, ...],
    methods: tuple[str, ...],
    spread: FigureSpread,
    width: FigureWidth,
    out: Path | None,
    as_json: bool,
) -> None:
    """Draw a figure of a results folder, finished or not, and print what is drawn.

    \b
      lines                scores or times over a number in which the data sets differ, such as
                           {use: nam-toy, tasks: 8}, or methods, such as {use: mtsda_eq, rho: 0.2}
      bars                 scores or times, a group for each data set
      tuning               scores of all candidates in the folds, for one data set
      pareto               score against time: who is better only by taking longer
      critical-difference  mean ranks over data sets, and which are not told apart
      gap                  objective and bound over the iterations of a fit, for one data set

    Needs matplotlib.

    \b
      mlbench figure runs/nam-figure-1b --seconds fit --out times.pdf
      mlbench figure runs/mine --x rho --metric micro_auc
      mlbench figure runs/quickstart --kind tuning --dataset digits --width page
    """
    from mlbench.cli.results import open_results
    from mlbench.report.figures import KINDS as DRAWN
    from mlbench.report.figures import Album, as_plain, save

    album = Album(open_results(results), metric, seconds, along, datasets, methods, spread)
    picture = DRAWN[kind or album.usual](album)
    path = out or results / "figure.svg"
    save(picture, path, width)
    lines = [json.dumps(as_plain(picture), indent=1)] if as_json else picture.lines()
    for line in lines:
        click.echo(line)
    click.echo(f"wrote {path}", err=True)
