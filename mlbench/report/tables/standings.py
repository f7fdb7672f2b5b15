"""The table of standings, below one sentence that says who leads."""

import math
from collections.abc import Collection, Iterable, Sequence

from mlbench.bundle import shown_path
from mlbench.comparisons.standings import TIMES, Standing, Standings, timed_step
from mlbench.errors import MlbenchError
from mlbench.number_text import NOTHING, ScoreFormat, counted_of, listed, p_in_words
from mlbench.report.tables.origin import MARK, notes_on_departures, parts_of_bases
from mlbench.report.tables.report_data import unfinished
from mlbench.report.tables.table import Column, Scalar, Table, TableCell, TableRow
from mlbench.report.tables.times import amount, notes_on_machines
from mlbench.results.results import Results

MAX_NAMES = 4
"""How many methods the sentence names that are not told apart from the first."""
NUMBERS = ("Mean rank", "Win rate", "Best on", "Failed", "Seconds")
MAX_FAILURES = 8
"""How many failures a note names."""
RANKED = "Ranks of the means over splits, on each data set; 1 is best, ties share their ranks."


def standings_table(found: Standings, number: ScoreFormat, results: Results) -> Table:
    """Return the table of standings, with the sentence that answers as its title.

    Parameters
    ----------
    found : Standings
    number : ScoreFormat
        How scores are printed.
    results : Results
        Where they are from.
    """
    means = [found.metric.heading] if len(found.datasets) == 1 else []
    origins = note_on_origins(results, [row.method for row in found.rows])
    origin = f"{origin_of(results)}."
    return Table(
        name=f"leaderboard-{found.metric.name}",
        title=leads(found, len(results.datasets), len(results.methods)),
        corner=("#", "Method"),
        columns=tuple(map(Column, (*means, *NUMBERS))),
        rows=tuple(
            TableRow(
                (str(row.place), marked_name(results, row.method)),
                (*(_mean(row, number) for _ in means), *numbers_of(row)),
            )
            for row in found.rows
        ),
        notes=(
            *_not_run(found, results),
            told_apart(found, 0),
            RANKED,
            *_missing(found),
            *note_on_copies(results, found.datasets),
            *notes_on_fairness(results),
            seconds_in_words(results, found),
            *origins,
            origin,
        ),
        records=tuple(_record(row, found) for row in found.rows),
    )


def brief_table(found: Sequence[Standings], results: Results) -> Table:
    """Return one table of the mean ranks in several metrics, with the sentences that answer.

    Parameters
    ----------
    found : sequence of Standings
        Of the same methods, one for each metric. Methods stand in the order of the first.
    results : Results
        Where they are from.
    """
    totals = len(results.datasets), len(results.methods)
    by_method = [{row.method: row for row in each.rows} for each in found]
    methods = [row.method for row in found[0].rows]
    sets = counted_of(len(found[0].datasets), totals[0], "data set")
    return Table(
        name="leaderboard",
        title=f"Mean ranks over {sets}",
        corner=("Method",),
        columns=(*(Column(each.metric.title) for each in found), Column("Seconds")),
        rows=tuple(
            TableRow(
                (marked_name(results, method),),
                (
                    *(TableCell(f"{rows[method].mean_rank:.2f}") for rows in by_method),
                    amount(by_method[0][method].seconds),
                ),
            )
            for method in methods
        ),
        notes=(
            *_not_run(found[0], results),
            *(f"{leads(each, *totals)} {told_apart(each)}" for each in found),
            RANKED,
            *dict.fromkeys(note for each in found for note in _missing(each)),
            *note_on_copies(results, found[0].datasets),
            *notes_on_fairness(results),
            seconds_in_words(results, found[0]),
            *note_on_origins(results, methods),
            f"{origin_of(results)}.",
        ),
        records=tuple(_record(row, each) for each in found for row in each.rows),
    )


def seconds_in_words(results: Results, found: Standings) -> str:
    """Say what the column of seconds of standings holds."""
    kind = TIMES[timed_step(results)]
    told = (
        f"Seconds: the median {kind} of a method's cells that have a result, each with its tuning."
    )
    methods = {row.method for row in found.rows}
    cells = [each for each in results.cells if each.dataset in found.datasets]
    rows = [
        results.rows[each.key]
        for each in cells
        if each.method in methods and each.key in results.rows
    ]
    return " ".join([told, *notes_on_machines(rows)])


def leads(found: Standings, n_datasets: int, n_methods: int) -> str:
    """Return the sentence that says who leads, in which metric and among how many."""
    metric, leaders = found.metric.title, listed(found.leaders)
    is_one = len(found.leaders) == 1
    methods = counted_of(len(found.rows), n_methods, "method")
    if len(found.datasets) == 1:
        verb = "has the best mean" if is_one else "share the best mean"
        return f"{leaders} {verb} in {metric} on {found.datasets[0]}, of {methods}."
    sets = counted_of(len(found.datasets), n_datasets, "data set")
    verb = "leads" if is_one else "share the lead"
    rank = f"{found.rows[0].mean_rank:.2f}"
    return f"{leaders} {verb} in {metric}: mean rank {rank} over {sets} and {methods}."


def told_apart(found: Standings, most: int = MAX_NAMES) -> str:
    """Return the sentence that says which methods are not told apart from the leader.

    Parameters
    ----------
    found : Standings
    most : int
        How many methods to name at most. With 0 all are named, and the numbers of the test too.
    """
    untested = listed(found.untested, most or None)
    without = f" Not tested, without a finished data set: {untested}." if untested else ""
    return f"{_told_apart(found, most)}{without}"


def _told_apart(found: Standings, most: int) -> str:
    test = found.test
    if not test.is_tested:
        return "Not tested: it takes three data sets and three methods."
    numbers = f"p = {p_in_words(test.p_iman_davenport)}"
    if not most:
        numbers = f"{f_in_words(found)}, {numbers}"
    if not test.significant:
        return f"No methods are told apart (Iman-Davenport: {numbers})."
    level = f"Nemenyi, {test.alpha:g}"
    if not most:
        level += f"; critical difference {test.critical_difference:.2f}; Iman-Davenport: {numbers}"
    it = "it" if len(found.leaders) == 1 else "them"
    if not found.not_apart:
        return f"All others are told apart from {it} ({level})."
    return f"Not told apart from {it}: {listed(found.not_apart, most or None)} ({level})."


def not_run_in_words(found: Standings) -> str:
    """Say which methods have not run on all data sets, and which are left out; "" if none."""
    if not found.not_run:
        return ""
    left_out = f" Left out: {listed(found.left_out)}." if found.left_out else ""
    ranked = {row.method for row in found.rows}
    absent = [name for name in found.not_run if name not in ranked]
    not_ranked = f" Not ranked, with no data set to its end: {listed(absent)}." if absent else ""
    not_run = listed(found.not_run, MAX_NAMES)
    return f"With cells that have not run: {not_run}.{not_ranked}{left_out}"


def f_in_words(found: Standings) -> str:
    """Return Iman and Davenport's F with its degrees of freedom."""
    test = found.test
    k, n, f = test.n_methods, test.n_datasets, test.iman_davenport
    return f"F({k - 1}, {(k - 1) * (n - 1)}) = {'infinite' if math.isinf(f) else f'{f:.2f}'}"


def require_finished(results: Results, found: Standings) -> None:
    """Refuse standings over no data set, or of one method.

    Raises
    ------
    MlbenchError
        It says which metrics have scores, if this one has none.
    """
    if found.datasets and len(found.rows) > 1:
        return
    path = shown_path(results.path)
    names = dict.fromkeys(name for row in results.rows.values() for name in row.metrics)
    if found.metric.name in names and found.not_run:
        raise MlbenchError(
            f"{path}: there is no data set on which all cells of these methods have run; run the "
            "experiment to its end, or leave methods out with --without; with cells that have not "
            f"run: {listed(found.not_run)}{_where_several_have_run(results, found)}"
        )
    if found.metric.name in names:
        raise MlbenchError(
            f"{path}: no data set is left; not finished in {found.metric.title}: "
            f"{', '.join(found.left_out)}"
        )
    known = ", ".join(name for name in names if "@" not in name)
    others = f" in {found.metric.name}; there are some in: {known}" if known else ""
    raise MlbenchError(f"{path}: there are no scores{others}")


def _where_several_have_run(results: Results, found: Standings) -> str:
    """Name the data set on which the most of these methods have run, if two or more have on one."""
    methods = {*found.not_run, *(row.method for row in found.rows)}
    unfinished = {(c.dataset, c.method) for c in results.cells if c.key not in results.rows}
    number = {
        name: sum((name, method) not in unfinished for method in methods)
        for name in results.datasets
    }
    best = max(number, key=number.__getitem__)
    return (
        f"; --dataset {best} ranks the {number[best]} that have run there"
        if number[best] > 1
        else ""
    )


def origin_of(results: Results) -> str:
    """Return the name of the results, their last day, and the versions of mlbench."""
    rows = results.rows.values()
    day = max((row.finished[:10] for row in rows if row.finished), default=results.written[:10])
    versions = sorted({row.environment["mlbench"] for row in rows if "mlbench" in row.environment})
    version = f"mlbench {listed(versions)}" if versions else ""
    return ", ".join(filter(None, (results.plan.experiment.name, day, version)))


def numbers_of(row: Standing) -> tuple[TableCell, ...]:
    """Return the mean rank, the win rate, on how many it is best and fails, and the seconds."""
    return (
        TableCell(f"{row.mean_rank:.2f}"),
        TableCell(f"{100 * row.win_rate:.0f} %"),
        TableCell(str(row.n_best)),
        TableCell(str(row.n_failed)),
        amount(row.seconds),
    )


def _not_run(found: Standings, results: Results) -> list[str]:
    if not (words := not_run_in_words(found)):
        return []
    ranked = {row.method for row in found.rows}
    remedy = (
        "Run the experiment to its end to rank over all data sets."
        if ranked <= {*found.not_run}
        else "--without METHOD leaves such methods out, so that ranks are over more."
    )
    have_run = unfinished([cell.key in results.rows for cell in results.cells])
    return [*filter(None, [have_run]), f"{words} {remedy}"]


def _missing(found: Standings) -> list[str]:
    notes = []
    if found.lacking:
        pairs = [f"{method} on {name} ({why})" for (name, method), why in found.lacking.items()]
        notes.append(
            f"Not finished: {listed(pairs, MAX_FAILURES)}. Such methods share the last ranks "
            "there; nothing is filled in."
        )
    if found.left_out and not found.not_run:
        notes.append(f"Left out, since not finished: {listed(found.left_out)}.")
    return notes


def note_on_copies(results: Results, datasets: Collection[str]) -> list[str]:
    """Say which data sets have the same content, so that ranks count it several times."""
    alike: dict[str, list[str]] = {}
    for name, facts in results.plan.datasets.items():
        if name in datasets:
            alike.setdefault(facts.fingerprint, []).append(name)
    copies = [listed(names) for names in alike.values() if len(names) > 1]
    told = f"The same data by several names, which ranks count as often: {'; '.join(copies)}."
    return [told] if copies else []


def notes_on_fairness(results: Results) -> list[str]:
    """Say which methods depart from the common protocol, and what tells of other threats."""
    audit = "`mlbench audit` says what could be wrong with these comparisons."
    return [*notes_on_departures(results), audit]


def marked_name(results: Results, method: str) -> str:
    """Return a method's name, with a mark if others' published results have its scores."""
    return f"{method}{MARK}" if results.origins[method] else method


def note_on_origins(results: Results, methods: Iterable[str]) -> list[str]:
    """Say where the scores of marked methods are from."""
    origins = dict.fromkeys(filter(None, (results.origins[name] for name in methods)))
    if not origins:
        return []
    parts = parts_of_bases(results)
    return [
        f"{MARK} Taken over, not run here: {'; '.join(origins)}.",
        *(parts[each] for each in origins if each in parts),
    ]


def _mean(row: Standing, number: ScoreFormat) -> TableCell:
    return TableCell(NOTHING if row.mean is None else number.number(row.mean))


def _record(row: Standing, found: Standings) -> dict[str, Scalar]:
    test = found.test
    return {
        "metric": found.metric.name,
        "place": row.place,
        "method": row.method,
        "mean_rank": row.mean_rank,
        "win_rate": row.win_rate,
        "best_on": row.n_best,
        "failed_on": row.n_failed,
        "mean": row.mean,
        "seconds": row.seconds,
        "told_apart": row.is_apart if test.is_tested and row.is_tested else None,
        "n_datasets": len(found.datasets),
        "n_methods": len(found.rows),
        "n_tested": test.n_methods,
        "critical_difference": _defined(test.critical_difference),
        "iman_davenport": _defined(test.iman_davenport),
        "p_iman_davenport": _defined(test.p_iman_davenport),
    }


def _defined(value: float) -> float | None:
    return value if math.isfinite(value) else None
