"""The recipe for the folds of KEEL, with files as KEEL has them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from sklearn.model_selection import RepeatedKFold

from mlbench.data import load_dataset
from mlbench.data.split_files import read_split_file

PAGE = Path(__file__).parents[2] / "docs/splits.md"
HEAD = """@relation birds
@attribute Size real [0, 9]
@attribute Kind {owl, wren}
@inputs Size
@outputs Kind
@data
"""


def test_parts_become_a_table_and_its_splits(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.RandomState(0)
    rows = [f"{rng.randint(9)}.5, {('owl', 'wren')[rng.randint(2)]}" for _ in range(31)]
    splits = [*RepeatedKFold(n_splits=2, n_repeats=5, random_state=1).split(rows)]
    for number, parts in enumerate(splits):
        for ending, part in zip(("tra", "tst"), parts, strict=True):
            text = HEAD + "".join(f"{rows[row]}\n" for row in part)
            Path(f"birds-5x2-{number}{ending}.dat").write_text(text)
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    exec(compile(code, str(PAGE), "exec"), {})
    data = load_dataset({"use": "whole.arff", "class_column": "Kind"})
    found = read_split_file(Path("splits.csv"))
    assert (data.n_samples, len(found.splits)) == (31, 10)

    def described(ours):
        return sorted(zip(data.X[ours, 0], data.Y[ours, 1], strict=True))

    for ours, theirs in zip(found.splits, splits, strict=True):
        for mine, other in zip(ours, theirs, strict=True):
            cells = [rows[row].split(", ") for row in other]
            assert described(mine) == sorted((float(x), kind == "wren") for x, kind in cells)
