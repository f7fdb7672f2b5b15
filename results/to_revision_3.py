"""Bring references to the identities of revision 3: names and revisions in place of code."""
import json, shlex, subprocess, sys
from pathlib import Path
from mlbench.cli.prepare import prepare
from mlbench.check.reference_file import read_reference, write_reference
from mlbench.plan import differences

def settings_of(target):
    text = subprocess.run(["make", "-n", f"runs/papers/{target}"], capture_output=True, text=True).stdout
    for line in text.splitlines():
        words = shlex.split(line)
        if "run" in words and f"configs/{target}.yaml" in words:
            return tuple(words[i + 1] for i, w in enumerate(words) if w == "--set")
    raise SystemExit(target)

NEW_SPLIT = {"projection": "source_rows", "seen": "source_labels", "learn": "target"}
CHANGED = {"seen": "source_labels", "unseen": "other_labels"}
def shape(identity):
    """What is the same in both forms: all but the method, with new names."""
    new = {k: v for k, v in identity.items() if k not in ("method", "revision")}
    new["threshold"] = {"native": "default"}.get(new["threshold"], new["threshold"])
    new["split"] = {NEW_SPLIT.get(k, k): (CHANGED.get(v, v) if k == "learn" else v) for k, v in new["split"].items()}
    if new.get("tuning"):
        t = dict(new["tuning"]); t.pop("estimators", None)
        if "select" in t: t["scoring"] = t.pop("select")
        new["tuning"] = t
    return new
def params(method):
    """Flat parameters of old or new form, to be compared where both tell them."""
    out = {}
    for k, v in method.get("params", {}).items():
        if isinstance(v, dict) and "params" in v:
            out.update({f"{k}.{a}": b for a, b in params(v).items()})
        else: out[k] = v
    return out
def random_inside(method):
    told = params(method)
    return "random_state" in told or "DecisionTree" in json.dumps(method)

total = {"moved": 0, "kept": 0, "lost": 0}
for path in map(Path, sys.argv[1:]):
    target = str(path.relative_to("results").with_suffix(""))
    if target == "quickstart":
        prepared = prepare("configs/quickstart.yaml", (), Path("/tmp/x"), ())
    else:
        prepared = prepare(f"configs/{target}.yaml", (), Path("/tmp/x"), settings_of(target))
    cells = {(c.dataset, c.method, c.split): c for c in prepared.plan.cells}
    if target != "quickstart":
        whole = prepare(f"configs/{target}.yaml", (), Path("/tmp/x"), tuple(s for s in settings_of(target) if "repeats" not in s))
        cells |= {(c.dataset, c.method, c.split): c for c in whole.plan.cells}
    reference = read_reference(path)
    series = []
    for one in reference.series:
        renamed = one.method.replace("CV cut", "CV threshold")
        one = one.model_copy(update={"method": renamed})
        planned = {s: cells.get((one.dataset, one.method, int(s))) for s in one.cells}
        first = next(iter(planned.values()))
        if any(c is None for c in planned.values()):
            print(f"{path}: {one.dataset}/{one.method}: not planned"); total["lost"] += 1; series.append(one); continue
        now = json.loads(json.dumps({**first.identity, "split": {k: v for k, v in first.identity["split"].items() if k != "index"}}, sort_keys=True))
        diff = list(differences(shape(one.identity), shape(now)))
        old_p, new_p = params(one.identity["method"]), params(now["method"])
        diff += [(f"params.{k}", old_p[k], v) for k, v in new_p.items() if k in old_p and old_p[k] != v]
        if diff:
            print(f"{path}: {one.dataset}/{one.method}: {diff[:3]}"); total["lost"] += 1; series.append(one); continue
        if random_inside(one.identity["method"]):
            # other seeds by design: the old numbers stand under the revision that made them
            series.append(one.model_copy(update={"identity": {**now, "revision": one.identity["revision"]}}))
            total["kept"] += 1
            continue
        total["moved"] += 1
        newcells = {s: record.model_copy(update={"key": planned[s].key}) for s, record in one.cells.items()}
        series.append(one.model_copy(update={"identity": now, "cells": newcells}))
    write_reference(reference.model_copy(update={"series": series}), path)
print(total)
