"""Reading ARFF files against liac-arff, and the parsed copy against reading the file again.

Without ``MLBENCH_DATA``, two files are generated. The time of liac-arff ends with its Python lists
and does not include conversion to arrays. Both decompress compressed files. The time of the parsed
copy includes the hash of its content.
"""

from __future__ import annotations

import gzip
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import arff as liac
import numpy as np
from ratios import Ratio, measure

from mlbench.data.arff import read_arff
from mlbench.data.dataset import Dataset
from mlbench.data.npz import Parsed, load_parsed, save_parsed

FILES = [
    "emotions/emotions.arff",
    "yeast/yeast.arff.gz",
    "birds/birds-train.arff",
    "cal500/cal500.arff",
    "enron/enron.arff",
    "medical/medical.arff",
    "scene/scene-train.arff.gz",
    "flags/flags.arff",
    "corel16k001/Corel16k001-test.arff.gz",
    "corel5k/Corel5k-sparse.arff",
    "bibtex/bibtex.arff.gz",
    "tmc2007-500/tmc2007-500.arff.gz",
]
SHORT = 6


def real_files() -> list[Path]:
    folders = [Path(f) for f in os.environ.get("MLBENCH_DATA", "").split(os.pathsep) if f]
    found = [next((d / name for d in folders if (d / name).is_file()), None) for name in FILES]
    return [path for path in found if path is not None]


def generated_files(folder: Path) -> list[Path]:
    rng = np.random.default_rng(0)
    header = [f"@attribute x{j} numeric" for j in range(300)]
    rows = [",".join(f"{v:.6f}" for v in row) for row in rng.normal(size=(2000, 300))]
    dense = folder / "generated-dense.arff"
    dense.write_text("\n".join(["@relation dense", *header, "@data", *rows]))
    header = [f"@attribute w{j} {{0,1}}" for j in range(2000)]
    rows = [
        "{" + ",".join(f"{j} 1" for j in np.sort(rng.choice(2000, 60, replace=False))) + "}"
        for _ in range(5000)
    ]
    sparse = folder / "generated-sparse.arff"
    sparse.write_text("\n".join(["@relation sparse", *header, "@data", *rows]))
    return [dense, sparse]


def read_with_liac(path: Path, form: int) -> object:
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    return liac.loads(text, encode_nominal=True, return_type=form)


def ratios(full: bool) -> Iterator[Ratio]:
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, MLBENCH_CACHE=folder):
        paths = real_files() or generated_files(Path(folder))
        for path in paths if full else paths[:SHORT]:
            yield from of_file(path)


def of_file(path: Path) -> Iterator[Ratio]:
    arff = read_arff(path)
    n, d = arff.cells.shape
    form = liac.LOD if hasattr(arff.cells, "toarray") else liac.DENSE
    yield measure(
        f"reading {path.name}, {n} x {d}",
        "liac-arff",
        lambda: read_arff(path),
        lambda: read_with_liac(path, form),
    )
    names = tuple(attribute.name for attribute in arff.attributes)
    whole = Dataset("", arff.cells, np.zeros((n, 1), dtype=np.int64), ("y",), names)
    save_parsed("copy", Parsed(whole, d))
    yield measure(
        f"the parsed copy of {path.name}",
        "reading it again",
        lambda: load_parsed("copy"),
        lambda: read_arff(path),
    )
