from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("method", "column", "key", "words"),
    [
        ("mlkn", 11, "methods.A", "no method 'mlkn' (did you mean 'mlknn'?)"),
        ("{use: mlkn}", 15, "methods.A.use", "did you mean 'mlknn'"),
        ("{use: svc}", 15, "methods.A.use", "{use: br, base: svc}"),
        ("{use: null}", 15, "methods.A.use", "must be text, not None"),
        ("{k: 3}", 11, "methods.A", "the key 'use' is needed here"),
        ("[mlknn]", 11, "methods.A", "a method is a name or {use: name, ...}, not ['mlknn']"),
        ("null", 11, "methods.A", "not None"),
        ("{use: mlknn, kk: 3}", 27, "methods.A.kk", "no parameter 'kk'"),
        ("{use: mlknn, tunes: {k: [1]}}", 27, "methods.A.tunes", "unknown key (did you mean 't"),
        ("{use: mlknn, params: {tune: 3}}", 36, "methods.A.params.tune", "no parameter 'tune'"),
        ("{use: mlknn, params: 3}", 27, "methods.A.params", "must be a mapping"),
        ("{use: mlknn, tune: {K2: [1]}}", 34, "methods.A.tune.K2", "no parameter 'K2'"),
        ("{use: mlknn, tune: {k: 3}}", 34, "methods.A.tune.k", "write [3]"),
        ("{use: mlknn, tune: {k: [3, 3]}}", 34, "methods.A.tune.k", "stands twice"),
        ("{use: mlknn, tune: {s: ke-gird}}", 34, "methods.A.tune.s", "did you mean 'ke-grid'"),
        ("{use: mlknn, tune: [k]}", 27, "methods.A.tune", "must be a mapping"),
        ("{use: mlknn, k: 5, tune: {k: [3, 4]}}", 40, "methods.A.tune.k", "both fixed and tuned"),
        ("{use: mlknn, select: f1}", 27, "methods.A.select", "no metric 'f1'"),
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
