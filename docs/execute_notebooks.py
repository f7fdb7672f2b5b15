"""Execute the notebooks of docs/notebooks anew and keep their outputs: `make notebooks`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).with_name("notebooks")


def execute(path: Path, folder: Path) -> nbformat.NotebookNode:
    """Run a notebook in a new kernel and in a folder of its own; return it with its outputs.

    Raises
    ------
    CellExecutionError
        If a cell raises.
    """
    notebook = nbformat.read(path, as_version=4)
    paths = (str(Path(sys.executable).parent), os.environ["PATH"])
    environment = {**os.environ, "PATH": os.pathsep.join(paths)}
    client = NotebookClient(
        notebook, timeout=600, kernel_name="python3", record_timing=False, coalesce_streams=True
    )
    return client.execute(cwd=str(folder), env=environment)


def main() -> None:
    """Execute each notebook in a temporary folder, and write it with its outputs."""
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        with TemporaryDirectory() as folder:
            notebook = execute(path, Path(folder))
        notebook.metadata = {key: notebook.metadata[key] for key in ("kernelspec", "language_info")}
        notebook.metadata.language_info.pop("version", None)
        nbformat.write(notebook, path)
        print(path, file=sys.stderr)


if __name__ == "__main__":
    main()
