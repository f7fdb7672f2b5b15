"""What a method's docstring says about it, in parts."""

import inspect
import re
from dataclasses import dataclass, field

from mlbench.methods.catalogue import METHODS
from mlbench.registry.factory import resolve
from mlbench.registry.plugins import method_plugins, origin_of_plugin


@dataclass(frozen=True)
class Parameter:
    """A parameter of a method, as its docstring explains it."""

    name: str
    default: object
    type: str
    meaning: str


@dataclass(frozen=True)
class MethodDescription:
    """A method in words."""

    name: str
    title: str
    summary: str
    text: str
    source: str
    origin: str
    target: str
    has_path: bool
    tasks: str
    """``"none"``, ``"optional"`` or ``"required"``."""

    parameters: tuple[Parameter, ...] = field(default=())


def describe(target: str) -> MethodDescription:
    """Describe a method from the docstring and the signature of its class.

    The first line of the docstring has the form "Title: what it does in one line". Parameters and
    references that it lacks come from the base classes.

    Raises
    ------
    MethodError
        There is no such method.
    """
    method = resolve(target)
    sections = docstring_sections(inspect.getdoc(method) or "")
    first, _, text = sections[""].partition("\n\n")
    title, colon, summary = " ".join(first.split()).partition(": ")
    if not colon:
        title, summary = method.__name__, title
    inherited = [docstring_sections(inspect.cleandoc(one.__doc__ or "")) for one in method.__mro__]
    entries: dict[str, tuple[str, str]] = {}
    for base in reversed(inherited):
        entries |= _entries(base.get("Parameters", ""))
    references = [base.get("References") for base in inherited]
    parameters = [
        Parameter(name, parameter.default, *entries.get(name, ("", "")))
        for name, parameter in inspect.signature(method).parameters.items()
        if parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
    ]
    return MethodDescription(
        name=target,
        title=title,
        summary=summary[:1].upper() + summary[1:],
        text=text.strip(),
        source=" ".join(next(filter(None, references), "").split()),
        origin=_origin(target),
        target=f"{method.__module__}:{method.__name__}",
        has_path=hasattr(method, "fit_path"),
        tasks=_tasks(method),
        parameters=tuple(parameters),
    )


def docstring_sections(text: str) -> dict[str, str]:
    """Split a numpydoc docstring into its sections; what stands before them is called ``""``."""
    parts = re.split(r"^([A-Z][A-Za-z ]+)\n-{3,}\n", text, flags=re.MULTILINE)
    return {"": parts[0].strip(), **dict(zip(parts[1::2], parts[2::2], strict=True))}


def _entries(section: str) -> dict[str, tuple[str, str]]:
    """Return the type of each name in a section and, in one line, its meaning."""
    found: dict[str, list[str]] = {}
    names: list[str] = []
    for line in section.splitlines():
        if line and not line[0].isspace():
            listed, _, kind = line.partition(":")
            names = [name.strip() for name in listed.split(",")]
            found |= {
                name: [re.sub(r",\s*(optional|default=.*)$", "", kind.strip())] for name in names
            }
        elif line:
            for name in names:
                found[name].append(line.strip())
    return {name: (kind, " ".join(words)) for name, (kind, *words) in found.items()}


def _origin(target: str) -> str:
    if target in METHODS:
        return "built-in"
    if target in method_plugins():
        return origin_of_plugin(method_plugins()[target])
    return "named in full"


def _tasks(method: type) -> str:
    if getattr(method, "needs_tasks", False):
        return "required"
    fit = inspect.signature(method.fit)  # type: ignore[attr-defined]
    return "optional" if "tasks" in fit.parameters else "none"
