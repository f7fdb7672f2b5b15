"""The user's files that an exported experiment names, and that have to stand beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from os.path import lexists
from pathlib import Path
from typing import TYPE_CHECKING

from mlbench.cli.changed_code import texts_in

if TYPE_CHECKING:
    from mlbench.results.plan import StoredPlan
    from mlbench.store import Summary


def code_not_in(
    folder: Path,
    results: Path,
    plan: StoredPlan,
    rows: Collection[Summary] = (),
    methods: Container[str] | None = None,
) -> list[str]:
    """Return the user's files that the experiment names and a folder lacks.

    Also those beside them that they import, where they still stand by the experiment of the
    results; and those in the folder with other code than that of the rows, marked as such. Of some
    methods, or of all and of the metrics. A file outside the experiment's folder is to stand in
    the folder itself.
    """
    from mlbench.registry.code_hash import code_of_file, files_beside
    from mlbench.registry.loading import is_file_target

    stated = plan.experiment.model_dump()["methods"]
    every = [
        *texts_in([each for name, each in stated.items() if methods is None or name in methods])
    ]
    every += plan.experiment.metrics if methods is None else ()
    ran: dict[str, set[str]] = {}
    for row in rows:
        for name, code in row.code.items():
            ran.setdefault(name, set()).add(code)
    found: dict[str, str] = {}
    elsewhere = files_elsewhere(plan, rows)
    for target in filter(is_file_target, every):
        file, _, name = target.rpartition(":")
        file = elsewhere.get(file, file)
        path = folder / file
        source = results / (plan.folder or "") / target.rpartition(":")[0]
        if (source := source.expanduser()).is_file():
            for near in files_beside(source):
                beside = str(Path(file).parent / near)
                if not lexists(folder / beside):
                    found[beside] = beside
        if not lexists(path):
            found[file] = file
        elif path.is_file() and (codes := ran.get(f"{path.name}:{name}")):
            now = code_of_file(path)
            if all(now.is_still(code) is False for code in codes):
                found[file] = f"{file} (the one there is other code)"
    return sorted(found.values())


def files_of_several(plan: StoredPlan, rows: Mapping[str, Summary]) -> dict[str, list[list[str]]]:
    """Return the user's files of which methods ran other code than others, with the methods.

    One folder has room for one of them.
    """
    from mlbench.registry.loading import is_file_target

    identities: dict[str, Mapping[str, object]] = {}
    for _, method, _, key in plan.cells:
        if key in rows:
            identities.setdefault(method, rows[key].identity)
    elsewhere = files_elsewhere(plan, rows.values())
    found: dict[str, dict[str, list[str]]] = {}
    for method, settings in plan.experiment.methods.items():
        codes = dict(_codes_in(identities.get(method)))
        for target in filter(is_file_target, dict.fromkeys(texts_in(settings.model_dump()))):
            file, _, name = target.rpartition(":")
            if code := codes.get(f"{Path(file).name}:{name}"):
                of_file = found.setdefault(elsewhere.get(file, file), {})
                of_file.setdefault(code, []).append(method)
    return {file: [*of.values()] for file, of in found.items() if len(of) > 1}


def told_of_several(file: str, methods: Iterable[Iterable[str]]) -> str:
    """Say that methods have files of one name, and what to do."""
    from mlbench.number_text import listed

    return (
        f"{listed([listed([*each]) for each in methods])} ran other code from files called {file}, "
        "and a folder has room for one: move yours into a folder with a name of its own, and write "
        f"that into the experiment (`use: NAME/{file}:...`); the keys stay, so `mlbench run` runs "
        "nothing again"
    )


def _codes_in(identity: object) -> Iterator[tuple[str, str]]:
    """Yield the names of classes in an identity, each with the hash of its code."""
    if isinstance(identity, Mapping):
        if isinstance(identity.get("code"), str):
            yield str(identity.get("name")), identity["code"]
        identity = [*identity.values()]
    for each in identity if isinstance(identity, list) else ():
        yield from _codes_in(each)


def files_elsewhere(plan: StoredPlan, rows: Iterable[Summary]) -> dict[str, str]:
    """Return the user's files that the experiment names outside its folder, with their names alone.

    By whole paths, or with ``..``. Without those of one name and other code: in one folder there is
    no room for both.
    """
    from mlbench.registry.loading import is_file_target

    stated = [plan.experiment.metrics, plan.experiment.model_dump()["methods"]]
    files = {target.rpartition(":")[0] for target in filter(is_file_target, texts_in(stated))}
    names = Counter(Path(file).name for file in files)
    codes: dict[str, set[str]] = {}
    for row in rows:
        for name, code in row.code.items():
            codes.setdefault(name.partition(":")[0], set()).add(code)
    return {
        file: name
        for file in files
        if Path(file).is_absolute() or file.startswith("~") or ".." in Path(file).parts
        if names[name := Path(file).name] == 1 or len(codes.get(name, ())) == 1
    }
