# Everything a developer does has a name here. `make` alone lists them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help install quickstart test lint typecheck bench docs clean

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

test: $(BIN)/pytest lint typecheck ## lint, types, and all tests
	$(BIN)/pytest

lint: $(BIN)/pytest ## style, and the contract between the rooms
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

typecheck: $(BIN)/pytest ## mypy, strict
	$(BIN)/mypy

bench: $(BIN)/pytest ## ratios against other ways of doing the same, side by side
	$(BIN)/python -m pip install --quiet --editable '.[bench]'
	@for file in benchmarks/*.py; do echo; echo "== $$file"; $(BIN)/python $$file || exit 1; done

docs: $(BIN)/pytest ## check that the links and commands of the documentation hold
	$(BIN)/pytest tests/docs

clean: ## remove what can be made again
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
