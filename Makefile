# Every target does its own set-up in .venv: all it takes is Python 3.11 or newer, and make.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/
READY := $(VENV)/ready

.PHONY: demo test test-all lint fix bench bench-check bench-keep golden notebooks clean

demo: $(READY)
	$(RUN)hiddenhand tournament kronions --bot random --bot heuristic --players 4 --boards 500 --seed 1 --out runs/demo
	$(RUN)hiddenhand tournament truf --bot random --bot heuristic --boards 100 --seed 1
	$(RUN)hiddenhand tournament kosmogonia --bot random --bot heuristic --players 4 --boards 500 --seed 1
	$(RUN)hiddenhand report runs/demo

test: lint
	$(RUN)python -m pytest

test-all: lint
	$(RUN)python -m pytest -m ""

lint: $(READY)
	$(RUN)ruff format --check .
	$(RUN)ruff check .
	$(RUN)mypy

fix: $(READY)
	$(RUN)ruff check --fix .
	$(RUN)ruff format .

bench: $(READY)
	$(RUN)hiddenhand bench --against openspiel

bench-check: $(READY)
	$(RUN)python -m experiments.ratchet

bench-keep: $(READY)
	$(RUN)python -m experiments.ratchet --keep

golden: $(READY)
	$(RUN)python -m tests.golden.write
	$(RUN)python -m tests.readme
	$(RUN)python -m experiments.dictionary

notebooks: $(READY)
	$(RUN)python -m tests.run_notebooks

clean:
	rm -rf $(VENV)

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c "import sys; sys.exit('Python 3.11 or newer is needed: make PYTHON=...') if sys.version_info < (3, 11) else 0"
	$(PYTHON) -m venv $(VENV)
	$(RUN)pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[dev]"
	@touch $(READY)
