"""The plan that all tasks of a submission share, in a file that does not change."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from mlbench.config.load import LoadedExperiment, check_experiment
from mlbench.config.parameter_keys import has_typed_keys
from mlbench.config.schema import ExperimentConfig
from mlbench.dataset_facts import DatasetFacts
from mlbench.errors import MlbenchError
from mlbench.number_text import listed
from mlbench.plain_files import read_plain_text
from mlbench.plan import Plan
from mlbench.plan.pending import drift
from mlbench.results.plan import PlannedCell
from mlbench.store.atomic import write_text
from mlbench.yaml_loader import parse_yaml


class SharedPlan(BaseModel):
    """An experiment with the facts about its data, and what it was when it was submitted."""

    model_config = ConfigDict(frozen=True, strict=True)

    experiment: str
    """The text of the experiment, with its settings."""
    datasets: dict[str, DatasetFacts]
    """By their names in tables."""
    cells: tuple[PlannedCell, ...]
    code: dict[str, dict[str, str]]
    """The provenance of each method's classes and user metrics, by its name in tables."""
    source: str = ""
    """The file of the experiment; empty in plans of older versions."""

    @classmethod
    def of(cls, plan: Plan, text: str, source: Path) -> SharedPlan:
        """Return what tasks need of a plan and the text and the file of its experiment."""
        cells = tuple(PlannedCell(c.dataset, c.method, c.split, c.key) for c in plan.cells)
        code = {cell.method: cell.code for cell in plan.cells}
        return cls(experiment=text, datasets=plan.facts, cells=cells, code=code, source=str(source))

    @classmethod
    def read(cls, path: Path) -> SharedPlan:
        """Read the file.

        Raises
        ------
        MlbenchError
            If it cannot be read, or is not the plan of a submission.
        """
        try:
            return cls.model_validate_json(read_plain_text(path))
        except OSError as error:
            reason = f"cannot be read: {error.strerror or error}"
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            reason = f"not as `mlbench submit` wrote it ({first['msg']})"
        raise MlbenchError(f"{path}: {reason}; submit again")

    def write(self, folder: Path) -> Path:
        """Write a file whose name depends on its content, and return its path."""
        text = self.model_dump_json()
        path = folder / f"plan-{sha256(text.encode()).hexdigest()[:12]}.json"
        write_text(path, text)
        return path

    def load(
        self, path: Path, data: Sequence[Path], settings: Sequence[str], quick: bool
    ) -> LoadedExperiment:
        """Check the experiment, whose paths start where they do in a file.

        Raises
        ------
        MlbenchError
            If the plan is of the experiment in another file, or its experiment is not valid.
        """
        if self.source and path.resolve() != Path(self.source).resolve():
            raise MlbenchError(
                f"{path}: the plan is of another experiment, {self.source}; name that, or submit "
                "this one"
            )
        source = parse_yaml(self.experiment, path, has_typed_keys)
        return check_experiment(source, data, settings, quick)

    def facts(self, experiment: ExperimentConfig) -> dict[str, DatasetFacts]:
        """Return the facts about the data sets of an experiment, by their names in tables.

        Raises
        ------
        MlbenchError
            If they are not those of the plan.
        """
        if unknown := [d.display for d in experiment.datasets if d.display not in self.datasets]:
            raise MlbenchError(
                f"the submitted plan has no data set {listed(unknown)}; submit again"
            )
        return self.datasets

    def refuse_changes(self, plan: Plan) -> None:
        """Refuse a plan of cells that are not those that were submitted.

        Raises
        ------
        MlbenchError
            It says which methods have changed.
        """
        now = {(cell.dataset, cell.method, cell.split): cell for cell in plan.cells}
        then = [(now.get((c.dataset, c.method, c.split)), c) for c in self.cells]
        others = dict.fromkeys(c.method for cell, c in then if cell is None or cell.key != c.key)
        code = {cell.method: cell.code for cell in plan.cells if cell.method not in others}
        drifted = [
            f"{name} of {method} ({old[:12]} -> {new[:12]})"
            for method in code
            for name, (old, new) in drift(self.code.get(method, {}), code[method]).items()
        ]
        told = [f"settings, code or data of {listed(list(others))}"] if others else []
        told += [f"other code: {listed(drifted)}"] if drifted else []
        if told:
            raise MlbenchError(
                f"changed since the submission: {'; '.join(told)}. Nothing was run; submit again"
            )
