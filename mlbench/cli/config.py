"""``mlbench config``."""

import json
from pathlib import Path

import click

from mlbench.cli.prepare import allow_import_option, data_option


@click.group()
def config() -> None:
    """Validate an experiment file; print the schema of experiment files.

    \b
      mlbench config validate my.yaml
    """


@config.command()
@click.argument("config")
@data_option
@allow_import_option
def validate(config: str, data_dirs: tuple[Path, ...]) -> None:
    """Validate an experiment file without reading data: every error at once, with its line.

    \b
      mlbench config validate my.yaml
    """
    from mlbench.api.prepare import check_acceptance, notes_on_rules
    from mlbench.config.load import find_config, load_experiment
    from mlbench.number_text import counted

    loaded = load_experiment(find_config(config), data_dirs)
    check_acceptance(loaded)
    experiment = loaded.experiment
    if loaded.base is None:  # whose methods are not known here
        for note in notes_on_rules(loaded, experiment, [d.display for d in experiment.datasets]):
            click.echo(note, err=True)
    click.echo(
        f"{config}: valid: {counted(len(experiment.datasets), 'data set')}, "
        f"{counted(len(experiment.methods), 'method')}, metrics {', '.join(experiment.metrics)}; "
        "no data were read, which `mlbench plan` does"
    )


@config.command()
def schema() -> None:
    """Print the JSON schema of experiment files, for editors.

    \b
      mlbench config schema > mlbench.schema.json
    """
    from mlbench.config.schema import ExperimentConfig

    click.echo(json.dumps(ExperimentConfig.model_json_schema(by_alias=True), indent=1))
