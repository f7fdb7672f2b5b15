"""Options of the form ``--set KEY=VALUE``, with VALUE in YAML."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import Any

import click

_QUOTED = r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^']|\'\')*')"""
_SETTING = re.compile(rf"""\s*({_QUOTED}(?=\s*=)|[^=\s"'][^=]*?)\s*=(.*)""", re.DOTALL)


def parse_settings(texts: Sequence[str], option: str = "--set") -> dict[str, Any]:
    """Return the values of all ``KEY=VALUE`` that were given with an option.

    Raises
    ------
    click.BadParameter
        If a text has no key or no valid YAML, or a key occurs twice.
    """
    settings: dict[str, Any] = {}
    for text in texts:
        found = _SETTING.fullmatch(text)
        if found is None:
            raise click.BadParameter(f"{text!r}: write KEY=VALUE", param_hint=option)
        key, value = found.groups()
        key = str(_parse_value(key, "key", option)) if key[0] in "\"'" else key.strip()
        if key in settings:
            raise click.BadParameter(f"{key!r} is set twice; keep one", param_hint=option)
        settings[key] = _parse_value(value, key, option)
    return settings


def joined(context: click.Context, option: click.Parameter, values: tuple[str, ...]) -> str | None:
    """Return the values of a repeated option as one, between commas; None without one."""
    return ",".join(values) if values else None


def parse_columns(text: str) -> object:
    """Return the columns in ``--labels``: YAML, or names and positions between commas.

    Raises
    ------
    click.BadParameter
        If the text is no valid YAML, or can only be a file that does not exist.
    """
    if Path(text).suffix in (".xml", ".csv", ".gz", ".bz2"):
        raise click.BadParameter(f"{text}: no such file", param_hint="--labels")
    value = _parse_value(_PAIR.sub(r"\1: ", text), "label_columns", "--labels")
    if isinstance(value, str) and "," in value:
        return [_parse_value(part, "label_columns", "--labels") for part in value.split(",")]
    return value


_PAIR = re.compile(r"^(first|last|prefix):(?=\S)")
_KEY = re.compile(r"(\bset )?`(\w+): ([^`]+)`")
_LABELS = re.compile(r"(?<![/\w])(?<!, )label_columns(?![./\w])")


@contextmanager
def asks_for_labels(dataset: str) -> Iterator[None]:
    """Say how an option chooses the labels of a table, where none are chosen."""
    from mlbench.data.label_columns import LabelsNotChosenError, columns_are
    from mlbench.errors import MlbenchError

    try:
        yield
    except LabelsNotChosenError as error:
        example = ",".join(error.columns[-2:] if len(error.columns) > 2 else ("NAME", "NAME"))
        raise MlbenchError(
            f"{dataset}: say which columns are labels, for example `--labels {quote(example)}` (or "
            "`--set class_column=NAME`, if one column contains the class); "
            f"{_with_options(columns_are(error.columns))}"
        ) from None


@contextmanager
def in_words_of_options() -> Iterator[None]:
    """Name in errors about the keys of a data set the options that set them."""
    from mlbench.errors import DataError, MlbenchError

    try:
        yield
    except DataError as error:
        raise MlbenchError(_with_options(str(error))) from None


def _with_options(message: str) -> str:

    def option(found: re.Match[str]) -> str:
        use, key, value = found.groups()
        written = "--labels ..." if key == "label_columns" else f"--set {quote(f'{key}={value}')}"
        return f"{'use ' if use else ''}`{written}`"

    return _LABELS.sub("--labels", _KEY.sub(option, message))


def _parse_value(text: str, key: str, option: str) -> object:
    from mlbench.errors import ConfigError
    from mlbench.yaml_loader import parse_yaml

    try:
        return parse_yaml(text, Path(key)).value
    except ConfigError as error:
        raise click.BadParameter(f"{text!r} cannot be read: {error}", param_hint=option) from None
