"""``mlbench figure``."""

from __future__ import annotations

import json
from pathlib import Path

import click

from mlbench.cli.prepare import json_option, results_argument
from mlbench.options import (
    FIGURE_KINDS,
    FIGURE_SPREADS,
    FIGURE_WIDTHS,
    TIMED_STEPS,
    FigureSpread,
    FigureWidth,
    TimedStep,
)

_PAGE = 9.0
"""The height in inches that a page leaves to a figure."""


class FigureCommand(click.Command):
    """Lists the kinds of figures in its help."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the description, then the kinds."""
        super().format_help_text(ctx, formatter)
        with formatter.section("Kinds"):
            formatter.write_dl(list(FIGURE_KINDS.items()))


@click.command(cls=FigureCommand)
@results_argument
@click.option(
    "--kind",
    type=click.Choice(list(FIGURE_KINDS)),
    help="[default: lines if data sets or methods differ in a number, else bars]",
)
@click.option("--metric", help="Metric to draw. [default: the experiment's first]")
@click.option("--seconds", type=click.Choice(TIMED_STEPS), help="Draw this step's time instead.")
@click.option(
    "--x",
    "along",
    metavar="NUMBER",
    help="Number on the x-axis of lines: samples, features, labels, an option of the data "
    "sets, or a fixed parameter of the methods.",
)
@click.option("--dataset", "datasets", multiple=True, help="Only this data set (repeatable).")
@click.option("--method", "methods", multiple=True, help="Only this method (repeatable).")
@click.option(
    "--spread",
    type=click.Choice(FIGURE_SPREADS),
    help="Error bars and bands: 95 % interval of the mean, or standard deviation over splits. "
    "[default: interval]",
)
@click.option(
    "--option",
    "options",
    metavar="NAME=VALUE",
    multiple=True,
    help="An option of the kind, such as method=NAME (repeatable).",
)
@click.option(
    "--width",
    type=click.Choice(FIGURE_WIDTHS),
    default="column",
    show_default=True,
    help="3.3 or 6.9 inches.",
)
@click.option(
    "--no-title",
    is_flag=True,
    help="Leave out the title and the note, which are printed for a caption instead.",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File to write: .svg, .png or .pdf. [default: RESULTS/figure.svg]",
)
@json_option
def figure(
    results: Path,
    kind: str | None,
    metric: str | None,
    seconds: TimedStep | None,
    along: str | None,
    datasets: tuple[str, ...],
    methods: tuple[str, ...],
    spread: FigureSpread | None,
    options: tuple[str, ...],
    width: FigureWidth,
    no_title: bool,
    out: Path | None,
    form: str,
) -> None:
    """Draw a figure of a results folder, finished or not, and print its numbers.

    Needs matplotlib.

    \b
      mlbench figure runs/nam-figure-1b --seconds fit --out times.pdf
      mlbench figure runs/mine --x rho --metric micro_auc
      mlbench figure runs/quickstart --kind tuning --dataset digits --width page
    """
    from mlbench.cli.results import open_and_warn, with_data
    from mlbench.cli.settings import parse_settings
    from mlbench.report.figures import FigureRequest
    from mlbench.report.figures.drawing import save
    from mlbench.report.figures.request import get_kind

    folder = with_data(open_and_warn(results, whole=True))
    request = FigureRequest(folder, metric, seconds, along, datasets, methods, spread)
    plot = request.plot(kind, **parse_settings(options, "--option"))
    path = out or results / "figure.svg"
    place = "" if path.parent.is_dir() else ", in a new folder"
    height = save(plot, path, width, headed=not no_title)
    lines = [json.dumps(plot.as_plain(), indent=1)] if form == "json" else plot.lines()
    for line in lines:
        click.echo(line)
    if no_title:
        click.echo(f"caption: {plot.heading}. {plot.note}", err=True)
    n_datasets = len(request.datasets)
    if n_datasets > 1 and get_kind(kind or request.usual).of_one_dataset:
        click.echo(
            f"of {request.datasets[0]}, the first of {n_datasets} data sets; --dataset chooses",
            err=True,
        )
    if height > _PAGE and width == "column":
        click.echo(
            f"the figure is {height:.1f} inches high, more than a page: --width page puts panels "
            "side by side, and --method and --dataset draw fewer",
            err=True,
        )
    click.echo(f"wrote {path}{place}", err=True)
