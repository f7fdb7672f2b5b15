from __future__ import annotations

import inspect

import pytest

from mlbench.registry import METHODS, resolve


@pytest.mark.parametrize(
    ("method", "column", "key", "words"),
    [
        ("mlkn", 11, "methods.A", "no method 'mlkn' (did you mean 'mlknn'?)"),
        ("{use: mlkn}", 15, "methods.A.use", "did you mean 'mlknn'"),
        ("{use: svc}", 15, "methods.A.use", "{use: br, base: svc}"),
        ("{use: null}", 15, "methods.A.use", "must be text, not null"),
        ("{k: 3}", 11, "methods.A", "the key 'use' is required here"),
        ("[mlknn]", 11, "methods.A", "a method is a name or {use: name, ...}, not ['mlknn']"),
        ("null", 11, "methods.A", "not None"),
        ("{use: mlknn, kk: 3}", 27, "methods.A.kk", "no parameter 'kk'"),
        ("{use: mlknn, tunes: {k: [1]}}", 27, "methods.A.tunes", "unknown key (did you mean 't"),
        ("{use: mlknn, params: {tune: 3}}", 36, "methods.A.params.tune", "no parameter 'tune'"),
        ("{use: mlknn, params: 3}", 27, "methods.A.params", "must be a mapping"),
        ("{use: mlknn, tune: {K2: [1]}}", 34, "methods.A.tune.K2", "no parameter 'K2'"),
        ("{use: mlknn, tune: {k: 3}}", 34, "methods.A.tune.k", "write [3]"),
        ("{use: mlknn, tune: {k: [3, 3]}}", 34, "methods.A.tune.k", "occurs twice"),
        ("{use: mlknn, tune: {s: ke-gird}}", 34, "methods.A.tune.s", "did you mean 'ke-grid'"),
        (
            "{use: ml_lspc, tune: {width: {linear: [1, 400, 400]}, lam: {linear: [1, 400, 400]}}}",
            29,
            "methods.A.tune",
            "a grid of 160000 points (the product of width, lam)",
        ),
        ("{use: mlknn, tune: [k]}", 27, "methods.A.tune", "must be a mapping"),
        ("{use: mlknn, k: 5, params: {k: 6}}", 27, "methods.A.k", "stands beside `params`"),
        ("{use: mlknn, k: 5, tune: {k: [3, 4]}}", 40, "methods.A.tune.k", "both fixed and tuned"),
        ("{use: mlknn, scoring: f1}", 27, "methods.A.scoring", "no metric 'f1'"),
        ("{use: mlknn, preprocess: true}", 27, "methods.A.preprocess", "not True"),
        ("{use: mlknn, limits: {time: 0}}", 36, "methods.A.limits.time", "more than 0"),
        ("{use: mlknn, folder: x}", 27, "methods.A.folder", "folder"),
        ("{use: br, base: logistik}", 24, "methods.A.base", "did you mean 'logistic'"),
        ("{use: br, base: logistik, C: 1}", 24, "methods.A.base", "did you mean 'logistic'"),
        (
            "{use: br, tune: {base: [logistic, logistik]}}",
            48,
            "methods.A.tune.base.1",
            "'logistik'",
        ),
        ("{use: br, tune: {base: [logistik, tree]}}", 31, "methods.A.tune.base", "'logistik'"),
        ("{use: br, tune: {base: [tree], C: [1, 2]}}", 45, "methods.A.tune.C", "no parameter 'C'"),
        ("{use: br, base: tree, C: 1}", 36, "methods.A.C", "br has no parameter 'C'"),
        ("{use: br, bse: tree}", 24, "methods.A.bse", "'bse' (did you mean 'base'?); it has C, "),
        ("{use: ecc, n_chain: 3}", 25, "methods.A.n_chain", "(did you mean 'n_chains'?)"),
        ("{use: ecc, base: tree, x: 3}", 37, "methods.A.x", "order, random_state, sampling"),
        ("{use: sklearn.linear_model.Ridge}", 15, "methods.A.use", "nothing to rank by; add one"),
        ("{use: sklearn.svm.SVCC}", 15, "methods.A.use", "did you mean 'SVC'"),
        ("{use: sklearn.smv.SVC}", 15, "methods.A.use", "no module 'sklearn.smv'"),
        ("{use: 'mine.py:Mein', alpha: 1}", 15, "methods.A.use", "did you mean 'Mine'"),
        ("{use: 'mine.py:NoEstimator'}", 15, "methods.A.use", "it has no fit, predict"),
        ("{use: 'mind.py:Mine'}", 15, "methods.A.use", "there is no file"),
        ("{use: 'broken.py:Mine'}", 15, "methods.A.use", "SyntaxError"),
        ("{use: 'leaves.py:Mine'}", 15, "methods.A.use", "SystemExit"),
        ("{use: 'mine.py:Mine'}", 15, "methods.A.use", "'alpha'"),
        ("{use: 'mine.py:Mine', alpha: 1, beta: -1}", 46, "methods.A.beta", "beta is negative"),
        ("{use: 'mine.py:Mine', alpha: 1, gamma: 1}", 46, "methods.A.gamma", "it has alpha, beta"),
    ],
)
def test_wrong_methods(tmp_path, method, column, key, words, problems):
    (tmp_path / "broken.py").write_text("class Mine(:\n")
    (tmp_path / "leaves.py").write_text("raise SystemExit(3)\n")
    text = f"name: x\ndatasets: [digits]\nmethods: {{A: {method}}}\n"
    ((at_line, at_column, message),) = problems(text)
    assert (at_line, at_column) == (3, column)
    assert message.startswith(f"{key}: ")
    assert words in message


@pytest.mark.parametrize(
    ("method", "column", "key", "words"),
    [
        ("{use: smtl, lam: -1}", 26, "methods.A.lam", "SMTL: lam must be a number above 0; got -1"),
        ("{use: smtl, params: {lam: -1}}", 35, "methods.A.params.lam", "above 0; got -1"),
        ("{use: smtl, tune: {lam: [0.1, -1]}}", 44, "methods.A.tune.lam.1", "above 0; got -1"),
        ("{use: smtl, tune: {lam: {linear: [-1, 1, 11]}}}", 33, "methods.A.tune.lam", "got -1.0"),
        ("{use: insdif, tune: {ratio: {linear: [0.1, 2, 2000]}}}", 35, "methods.A.tune.ratio", "1"),
        ("{use: mlknn, limit: 3}", 27, "methods.A.limit", "unknown key (did you mean 'limits'?)"),
        ("{use: br, base: 'mine.py:Asked', alpha: 2}", 47, "methods.A.alpha", "must be below 1"),
        ("{use: 'mine.py:Names', selection: x}", 37, "methods.A.selection", "selection must be no"),
        ("{use: mlknn, random_state: 3, k: 0}", 27, "methods.A.random_state", "no parameter"),
        ("{use: lspc, random_state: -1}", 26, "methods.A.random_state", "from 0 to 2**32 - 1"),
        ("{use: br, base: linear_svc, C: -1}", 42, "methods.A.C", "'C' parameter of LinearSVC"),
        ("{use: br, base: {use: logistic, C: -1}}", 24, "methods.A.base", "in the range (0.0"),
        ("{use: sklearn.svm.SVC, kernel: rgb}", 37, "methods.A.kernel", "The 'kernel' parameter"),
        ("{use: 'mine.py:Asked', alpha: 2}", 37, "methods.A.alpha", "alpha must be below 1; got 2"),
    ],
)
def test_wrong_values(problems, method, column, key, words):
    text = f"name: x\ndatasets: [digits]\nmethods: {{A: {method}}}\n"
    first = problems(text)[0]
    assert first[:2] == (3, column)
    assert first[2].startswith(f"{key}: ")
    assert words in first[2]


@pytest.mark.parametrize("name", METHODS)
def test_every_wrong_value_of_a_method_is_told_at_once(problems, name):
    parameters = [p for p in inspect.signature(resolve(name)).parameters if p != "base"]
    given = "".join(f"    {parameter}: nonsense\n" for parameter in parameters)
    tuned = "".join(f"      {parameter}: [nonsense]\n" for parameter in parameters)
    head = "name: x\ndatasets: [digits]\nmethods:\n"
    expected = [f"methods.A.{parameter}: " for parameter in parameters]
    if parameters:
        found = problems(f"{head}  A:\n    use: {name}\n{given}")
        for (line, _, message), key in zip(found, expected, strict=True):
            assert line == 6 + expected.index(key)
            assert message.startswith(key)
            assert "got 'nonsense'" in message
        found = problems(f"{head}  A:\n    use: {name}\n    tune:\n{tuned}")
        assert [line for line, *_ in found] == list(range(7, 7 + len(parameters)))


def test_wrong_values_of_a_range_are_told_once(problems):
    grid = "{use: smtl, tune: {lam: {linear: [-1, 1, 11]}, tol: [-1, 0]}}"
    found = problems(f"name: x\ndatasets: [digits]\nmethods: {{A: {grid}}}\n")
    assert [message.partition(":")[0] for _, _, message in found] == [
        "methods.A.tune.lam",
        "methods.A.tune.tol",
        "methods.A.tune.tol.1",
    ]


def test_values_that_are_wrong_together_only_are_told_of_the_grid(problems):
    head = "name: x\ndatasets: [digits]\nmethods:\n  A:\n    use: mine.py:Range\n"
    for grid in ("{low: [1, 4], high: [5, 3]}", "{high: [7, 9, 3], low: [2, 1, 4]}"):
        ((line, _, message),) = problems(f"{head}    tune: {grid}\n")
        assert line == 6
        assert message.startswith("methods.A.tune: low must be below high (at the point ")
        assert "low=4" in message
        assert "high=3" in message
