"""Time to read ARFF files, compared with liac-arff.

    MLBENCH_DATA=/path/to/datasets python benchmarks/reading_arff.py [repeats]

Without ``MLBENCH_DATA``, two files are generated. Each time is the best of several; the ratio is
liac-arff over mlbench. The time of liac-arff ends with its Python lists and does not include
conversion to arrays. Both decompress compressed files.
The last column is the time to load the parsed copy, including the hash of its content.
"""

from __future__ import annotations

import gzip
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import arff as liac
import numpy as np

from mlbench.data.arff import read_arff
from mlbench.data.dataset import Dataset
from mlbench.data.parsed_cache import Parsed, load_parsed, save_parsed

FILES = [
    "emotions/emotions.arff",
    "yeast/yeast.arff.gz",
    "scene/scene-train.arff.gz",
    "birds/birds-train.arff",
    "cal500/cal500.arff",
    "flags/flags.arff",
    "corel16k001/Corel16k001-test.arff.gz",
    "enron/enron.arff",
    "medical/medical.arff",
    "corel5k/Corel5k-sparse.arff",
    "bibtex/bibtex.arff.gz",
    "tmc2007-500/tmc2007-500.arff.gz",
]


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


def best(action: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def read_with_liac(path: Path, form: int) -> object:
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    return liac.loads(text, encode_nominal=True, return_type=form)


def main() -> None:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MLBENCH_CACHE"] = folder
        print(
            f"{'file':<28}{'rows x columns':>16}{'form':>8}"
            f"{'liac-arff':>11}{'mlbench':>9}{'ratio':>7}{'cached':>8}   (ms, best of {repeats})"
        )
        for path in real_files() or generated_files(Path(folder)):
            arff = read_arff(path)
            sparse = hasattr(arff.cells, "toarray")
            form = liac.LOD if sparse else liac.DENSE
            ours = best(lambda path=path: read_arff(path), repeats)
            theirs = best(lambda path=path, form=form: read_with_liac(path, form), repeats)
            n, d = arff.cells.shape
            names = tuple(attribute.name for attribute in arff.attributes)
            whole = Dataset("", arff.cells, np.zeros((n, 1), dtype=np.int64), ("y",), names)
            save_parsed("copy", Parsed(whole, d))
            cached = best(lambda: load_parsed("copy"), repeats)
            print(
                f"{path.name:<28}{f'{n} x {d}':>16}{'sparse' if sparse else 'dense':>8}"
                f"{theirs * 1e3:>11.1f}{ours * 1e3:>9.1f}{theirs / ours:>7.1f}{cached * 1e3:>8.1f}"
            )


if __name__ == "__main__":
    main()
