"""What a source file imports, and where that stands; nothing is run."""

import ast
from collections.abc import Iterator
from pathlib import Path

_BY_CALL = ("import_module", "__import__")


def imports_in(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield every import as (dotted name, level); the last part need not be a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, 0) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield f"{node.module}.{alias.name}" if node.module else alias.name, node.level
        elif isinstance(node, ast.Call) and node.args:
            name = getattr(node.func, "attr", getattr(node.func, "id", None))
            text = getattr(node.args[0], "value", None)
            if name in _BY_CALL and isinstance(text, str):
                imported = text.lstrip(".")
                yield imported, len(text) - len(imported)


def locate(folder: Path, imported: str) -> Path | None:
    """Return the file of a module below a folder, or of the module that holds the last part."""
    parts = imported.split(".")
    for tail in (parts, parts[:-1]):
        for path in (
            folder.joinpath(*tail).with_suffix(".py"),
            folder.joinpath(*tail, "__init__.py"),
        ):
            if tail and path.is_file():
                return path.resolve()
    return None
