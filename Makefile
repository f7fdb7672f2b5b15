# Everything a developer does has a name here. `make` alone lists them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Of all tests two run on each core, because many wait for other processes; of the fast ones, one.
CORES = $(shell $(PYTHON) -c "import os; print(os.cpu_count() or 1)")

.DEFAULT_GOAL := help
.PHONY: help install quickstart check test release before-tests compiled lint typecheck bench bench-check docs notebooks sample-report papers papers-full papers-check fingerprints clean FORCE

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 22

$(BIN)/mlbench: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(BIN)/pytest: $(BIN)/mlbench
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

install: $(BIN)/mlbench ## make .venv and install mlbench into it

quickstart: $(BIN)/mlbench ## install, run the first experiment, print its table
	$(BIN)/mlbench run configs/quickstart.yaml
	@echo 'Next: docs/first-experiment.md, or $(BIN)/mlbench --help'

check: before-tests ## lint, types, and the fast tests: the working loop
	$(BIN)/pytest -n $(CORES) --dist loadgroup -m "not slow"

test: before-tests ## lint, types, and all tests
	$(BIN)/pytest -n $$((2 * $(CORES))) --dist loadgroup

before-tests: $(BIN)/pytest
	$(MAKE) --no-print-directory --output-sync --jobs=3 lint typecheck compiled

# Test processes that find nothing compiled would all compile the same at once.
compiled: $(BIN)/pytest
	@$(BIN)/pytest -q -p no:xdist tests/api/test_compile_ahead.py -k every_method

lint: $(BIN)/pytest ## style, and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

typecheck: $(BIN)/pytest ## mypy, strict
	$(BIN)/mypy

bench: $(BIN)/pytest ## ratios of CPU time against other ways of doing the same, one table
	$(BIN)/python -m pip install --quiet --editable '.[bench]'
	rm -f build/bench.json
	$(BIN)/python benchmarks --write build/bench.json

bench-check: $(BIN)/pytest ## the same, and fail if a ratio fell below benchmarks/committed.json
	$(BIN)/python -m pip install --quiet --editable '.[bench]'
	rm -f build/bench.json
	$(BIN)/python benchmarks --write build/bench.json --check benchmarks/committed.json

# Each table and figure of the papers has a file under configs/. `make papers` runs them with the
# values under `quick:` where there are some, and `make papers-full` as the papers did. Both resume where
# they stopped; `make runs/papers/ke/table-4` runs one. Exit code 1, some cells failed, is shown
# in the tables and does not end the others.
PAPERS := $(filter-out studies/%,$(patsubst configs/%.yaml,%,$(sort $(wildcard configs/*/*.yaml))))
TIMES := ke/table-9 nam/figure-1b nam/figure-1b-2000

papers: $(PAPERS:%=runs/papers/%) ## the papers' tables and figures, in four to five hours on two cores

papers-full: $(PAPERS:%=runs/full/%) ## the same with the papers' own numbers of splits: for a weekend or a cluster

runs/papers/%: configs/%.yaml $(BIN)/mlbench FORCE
	$(BIN)/mlbench run $< --out $@ $(if $(filter $*,$(TIMES)),--jobs 1) $(shell grep -qs '^quick:' $< && echo --quick) || test $$? = 1

runs/full/%: configs/%.yaml $(BIN)/mlbench FORCE
	$(BIN)/mlbench run $< --out $@ $(if $(filter $*,$(TIMES)),--jobs 1) || test $$? = 1

# The tests of tables V to VIII are over the cells of tables II to IV; those of `make papers` over
# table IV, of which it has ten splits.
runs/papers/ke/tables-5-to-8: runs/papers/ke/merged
runs/full/ke/tables-5-to-8: runs/full/ke/merged
runs/%/ke/merged: runs/%/ke/table-2 runs/%/ke/table-3 runs/%/ke/table-4 FORCE
	$(BIN)/mlbench merge $(filter-out FORCE,$^) --into runs/$*/ke/tables-5-to-8

# The parameters of the committed folders are known, so their final fits run again without searches.
# `make runs/again/ke/table-4` checks one folder. Those of tables V to VIII are fits of tables II to IV.
# Bits depend on the kernels of OpenBLAS, so these are the reference's; where the processor lacks them,
# `make papers-check KERNELS=Haswell`.
AGAIN := $(filter-out ke/tables-5-to-8,$(filter $(patsubst results/%/params.csv,%,$(wildcard results/*/*/params.csv)), \
  $(patsubst results/%/reference.json,%,$(wildcard results/*/*/reference.json))))

papers-check: $(AGAIN:%=runs/again/%) ## fit the committed results again, and compare: about two hours on two cores

runs/again/%: KERNELS = $(shell sed -En 's/.*"blas": "openblas [^ ]* ([A-Za-z]+).*/\1/p' results/$*/reference.json | head -1)
runs/again/%: results/% $(BIN)/mlbench FORCE
	OPENBLAS_CORETYPE=$(KERNELS) $(BIN)/mlbench run $</experiment.yaml --allow-import --set protocol.tuning.params=params.csv --out $@ --quiet > /dev/null
	$(BIN)/mlbench check $@ --against $</reference.json

FORCE:

LEADERBOARDS := $(patsubst results/%/export.json,%,$(wildcard results/*/export.json))

docs: $(BIN)/pytest ## build the site in build/docs, and check that links, commands, and examples hold
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	$(BIN)/python -m sphinx -q -W --keep-going -b html -c docs . build/docs
	$(BIN)/mlbench run quickstart --out build/sample-report --quiet > /dev/null
	$(BIN)/mlbench report build/sample-report --html build/docs/sample-report.html > build/docs/sample-report.txt
	set -e; for name in $(LEADERBOARDS); do \
	  $(BIN)/mlbench leaderboard results/$$name --html build/docs/leaderboards/$$name.html; done
	$(BIN)/pytest tests/docs --deselect tests/docs/test_site.py::test_the_site_builds
	@echo 'The site: build/docs/index.html'

notebooks: $(BIN)/pytest ## run the notebooks of the documentation anew, and keep their outputs
	$(BIN)/python docs/execute_notebooks.py

sample-report: $(BIN)/pytest ## write the page of the quickstart, and the README's pictures of it; needs chromium
	$(BIN)/python docs/sample_report.py

fingerprints: $(BIN)/pytest ## write anew what numbers methods and protocol yield, where revisions were raised
	PYTHONPATH=tests $(BIN)/python -m fingerprints

# The wheel is tried from outside the checkout, in an environment that holds it and its dependencies alone.
release: $(BIN)/pytest ## build sdist and wheel, check them, and run the quickstart from the wheel
	rm -rf dist build/release
	$(BIN)/python -m build
	$(BIN)/python -m twine check --strict dist/*
	$(PYTHON) -m venv build/release
	build/release/bin/python -m pip install --quiet dist/*.whl
	cd build/release && bin/mlbench run quickstart --out quickstart
	@ls dist
	@echo "Upload these as the distribution mlbench-multilabel; mlbench on the package index is another project."

clean: ## remove what can be made again
	rm -rf docs/api/generated docs/auto_examples docs/notebooks/runs examples/runs
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .coverage*
