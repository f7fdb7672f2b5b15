"""``mlbench figure``."""

from __future__ import annotations

from pathlib import Path

import click

from mlbench.cli.prepare import results_argument

STEPS = ("tune", "fit", "predict", "total")

X_LABELS = {
    "train": "training part (share, or number of samples)",
    "ratio": "negatives per positive",
}
"""What is no number of things is named on the axis by what it is."""


@click.command()
@results_argument
@click.option("--metric", help="What to draw. [default: the experiment's first metric]")
@click.option("--seconds", type=click.Choice(STEPS), help="Draw the time of a step instead.")
@click.option(
    "--x",
    "along",
    help="Number along which to draw: samples, features, labels, or one in the references.",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File to write: .svg, .png or .pdf. [default: RESULTS/figure.svg]",
)
def figure(
    results: Path, metric: str | None, seconds: str | None, along: str | None, out: Path | None
) -> None:
    """Draw scores or times against a number in which the data sets differ.

    That is their number of samples, features or labels, or a number in their references, such
    as {use: nam-toy, tasks: 8}. Needs matplotlib. Also prints the points, one line for each.

    \b
      mlbench figure runs/nam-figure-1a
      mlbench figure runs/nam-figure-1b --seconds fit --out times.svg
    """
    from mlbench.cli.results import open_results
    from mlbench.metrics import get_metric
    from mlbench.report.figure import curves, draw
    from mlbench.report.frames import result_frames

    folder = open_results(results)
    name, places = folder.places(along)
    values, _ = result_frames(folder.cells, folder.scan.rows)
    if seconds:
        quantity, y_label = f"seconds_{seconds}", f"time to {seconds} (s)"
        if seconds == "total":
            y_label = "time of a cell (s)"
    else:
        chosen = get_metric(metric or folder.plan["experiment"]["metrics"][0])
        quantity, y_label = chosen.name, chosen.title
    lines = curves(values, quantity, folder.plan["methods"], places)
    for line in lines:
        for x, mean, std, n in zip(line.x, line.mean, line.std, line.n, strict=True):
            click.echo(f"{line.method}\t{name}={x:g}\t{mean:.6g} +- {std:.3g}\t{n} splits")
        if seconds:
            click.echo(f"{line.method}\tslope {line.slope:.2f} on logarithmic axes")
    path = out or results / "figure.svg"
    title = folder.plan["experiment"]["title"] or folder.plan["experiment"]["name"]
    draw(
        lines,
        path,
        X_LABELS.get(name, f"number of {name}"),
        y_label,
        title,
        logarithmic=bool(seconds),
    )
    click.echo(f"wrote {path}", err=True)
