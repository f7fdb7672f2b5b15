"""Download the files of a data set, check them, and move them into place."""

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from mlbench.data.card_checks import check_file
from mlbench.data.cards import (
    Card,
    CardFile,
    card_name,
    card_places,
    load_card,
    openml_number,
)
from mlbench.data.download import MirrorError, OnProgress, Watch, download
from mlbench.data.search_path import COMPRESSIONS, fetched_data_dir, locate_in, search_path
from mlbench.errors import DataError

Progress = Callable[[str, int, int | None], None]

STALL_SECONDS = 30.0
DEADLINE_SECONDS = 6 * 3600.0


@dataclass(frozen=True)
class Fetched:
    """One file of a data set that is in place; `url` is None if it already was."""

    role: str
    path: Path
    url: str | None


def fetch(
    name: str,
    target_dir: str | Path | None = None,
    progress: Progress | None = None,
    *,
    data_dirs: Sequence[str | Path] = (),
    stall_seconds: float = STALL_SECONDS,
    deadline_seconds: float = DEADLINE_SECONDS,
) -> list[Fetched]:
    """Download the missing files of a data set.

    Parameters
    ----------
    name
        The name on a card, or ``openml:40589``; a data set of OpenML gets a card.
    target_dir
        Where to put the files. By default the user's cache; then a file anywhere on the search
        path is not downloaded again.
    progress
        Called with the path on the card, the bytes received, and the total bytes if the server
        reports them.
    data_dirs
        Folders to search before the default ones, for cards and, unless `target_dir` is given,
        for files.
    stall_seconds
        A server that sends less than a kilobyte of the file in this time is abandoned for the
        next mirror.
    deadline_seconds
        So is one that has not sent the whole file in this time; what came is kept, and the next
        mirror, or the next call, continues from there.

    Raises
    ------
    DataError
        If no address serves a file, if the served file has another hash, if the card has no
        address or no hash for a file (all other files are downloaded first), if a file already
        exists with other content, or if another process is fetching into the same folder.
    """
    target = Path(target_dir) if target_dir is not None else fetched_data_dir()
    cards = [*data_dirs, *([target_dir] if target_dir is not None else [])]
    number = openml_number(name)
    if number is not None and card_name(name) not in card_places(cards):
        return [_fetch_from_openml(number, target, stall_seconds)]
    card = load_card(name, cards)
    looked_in = search_path(data_dirs) if target_dir is None else [target]
    watch = Watch(stall_seconds, deadline_seconds)
    done, by_hand = [], []
    for role, file in card.files.items():
        present = _already_there(card, file, looked_in)
        if present is not None:
            done.append(Fetched(role, present, None))
        elif not card.urls(role) or (file.sha256 is None and file.plain_sha256 is None):
            by_hand.append(file.path)
        else:
            with _only_fetcher(target):
                done.append(_fetch_one(card, role, target, progress, watch))
    if by_hand:
        raise DataError(
            f"{name}: no download with a checksum is known for {', '.join(by_hand)}"
            + (f"; {len(done)} other file(s) are in place" if done else "")
            + f".\n{card.by_hand.strip() or card.remedy}"
        )
    return done


def _fetch_from_openml(number: int, target: Path, stall_seconds: float) -> Fetched:
    from mlbench.data.openml import fetch_openml_files

    with _only_fetcher(target):
        fetch_openml_files(number, target, stall_seconds)
    card = load_card(f"openml-{number}", [target])
    return Fetched("all", target / card.files["all"].path, card.files["all"].urls[0])


def _already_there(card: Card, file: CardFile, folders: Sequence[Path]) -> Path | None:
    found = locate_in(file.path, folders)
    if found is None:
        return None
    state, expected, got = check_file(found, file)
    if state == "differs":
        raise DataError(
            f"{card.name}: {found} already exists, but is not the file on the card "
            f"(SHA-256 expected {expected}, got {got}); move it away to download the right one"
        )
    return found


def _fetch_one(
    card: Card, role: str, target: Path, progress: Progress | None, watch: Watch
) -> Fetched:
    file = card.files[role]
    failures = []
    for url in card.urls(role):
        watch.start()
        suffix = next((s for s in COMPRESSIONS if urlsplit(url).path.endswith(s)), "")
        final = target / (file.plain_path + suffix)
        part = final.with_name(final.name + ".part")
        _refuse_links(card, target, part)
        try:
            final.parent.mkdir(parents=True, exist_ok=True)
            report = _reporter(progress, file.path)
            _download_checked(url, part, suffix, file, report, watch)
            part.replace(final)
        except MirrorError as error:
            failures.append(f"  {url}\n    {error}")
        except OSError as error:
            raise DataError(f"{card.name}: cannot write {final}: {error}") from error
        else:
            return Fetched(role, final, url)
    by_hand = f"\nBy hand: {card.by_hand.strip()}" if card.by_hand else ""
    raise DataError(
        f"{card.name}: {file.path} could not be downloaded:\n"
        + "\n".join(failures)
        + f"\nHome page of the data: {card.home or 'unknown'}{by_hand}"
    )


def _refuse_links(card: Card, target: Path, part: Path) -> None:
    """Refuse to write through a link that leads out of the data folder."""
    if part.is_symlink() or not part.resolve().is_relative_to(target.resolve()):
        raise DataError(
            f"{card.name}: {part} is or lies behind a link that leads out of {target}; "
            "remove the link, or fetch into another folder"
        )


def _download_checked(
    url: str,
    part: Path,
    suffix: str,
    file: CardFile,
    report: OnProgress,
    watch: Watch,
) -> None:
    """Complete the partial file and check it; if a resumed file is wrong, start over once."""
    resumed = part.exists() and part.stat().st_size > 0
    if not (resumed and check_file(part, file, suffix)[0] == "ok"):
        download(url, part, report, watch)
    state, expected, got = check_file(part, file, suffix)
    if state == "ok":
        return
    part.unlink()
    if not resumed:
        raise MirrorError(
            f"is not the file on the card: SHA-256 expected {expected}, got {got}; discarded"
        )
    _download_checked(url, part, suffix, file, report, watch)


def _reporter(progress: Progress | None, path: str) -> OnProgress:
    def report(done: int, total: int | None) -> None:
        if progress is not None:
            progress(path, done, total)

    return report


@contextlib.contextmanager
def _only_fetcher(target: Path) -> Iterator[None]:
    """Let one process at a time fetch into a folder; the lock is released when it exits."""
    lock = target / ".fetch.lock"
    try:
        target.mkdir(parents=True, exist_ok=True)
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise DataError(f"cannot write to the data folder {target}: {error}") from error
    try:
        _lock(handle, target)
        yield
    finally:
        os.close(handle)


def _lock(handle: int, target: Path) -> None:
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise DataError(
            f"another mlbench process is fetching into {target}: wait until it finishes"
        ) from error
