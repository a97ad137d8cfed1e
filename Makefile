# `make lab` and `make test` each need only make and Python 3.11 or newer; `make` alone lists all targets.
PYTHON ?= python3
VENV ?= .venv
LAB_ARGS ?=
PYTEST_ARGS ?=

# Windows has the programs of an environment in another folder.
BIN := $(if $(filter Windows_NT,$(OS)),Scripts,bin)
PY := $(VENV)/$(BIN)/python
INSTALL = $(PY) -m pip --disable-pip-version-check install -qq
NBVAL := --nbval --nbval-current-env --nbval-sanitize-with tests/nbval_sanitize.cfg --nbval-cell-timeout 600 \
         --nbval-kernel-startup-timeout 300
TESTED := '.[notebook,test]'
COMPILED := tests/citests tests/counts tests/scores tests/graphs/test_edmonds.py tests/learners/boss \
            tests/learners/chen/test_search.py tests/learners/hill_climbing tests/networks/test_em.py \
            tests/networks/test_impute.py tests/networks/test_sample.py \
            --ignore tests/counts/test_dask.py

# Tests start hundreds of processes: without bytecode on disk each would compile the sources that it imports.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help lab test lint format notebooks bench leaderboard badge pins docs wheel lowest newest bounds nightly audit clean

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 12

lab: $(VENV)/.lab  ## open JupyterLab on the start page of the notebooks (LAB_ARGS="--no-browser" for a remote machine)
	$(PY) -m bnlab lab $(LAB_ARGS)

# A notebook takes longer than a file of tests: with the notebooks first, no process waits for one at the end.
test: $(VENV)/.compiled  ## unit, property, notebook and browser tests (PYTEST_ARGS="-k tree -x" for some, "-m slow" for slow ones)
	@$(PY) -m tools.browser
	@$(PY) -m pytest -n auto --dist loadfile --no-loadscope-reorder --rerun-show-tracebacks $(NBVAL) -m "not slow" $(PYTEST_ARGS) notebooks tests bnlab tools

lint: $(VENV)/.test  ## ruff and mypy
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy

format: $(VENV)/.test  ## let ruff rewrite what it can
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

notebooks: $(VENV)/.test  ## run every notebook again and store its outputs
	$(PY) -m tools.notebooks execute notebooks/*.ipynb notebooks/details/*.ipynb notebooks/course/*.ipynb

bench: $(VENV)/.bench  ## compare with other packages, side by side
	$(PY) -m benchmarks.run

leaderboard: $(VENV)/.lab  ## run what is missing of the leaderboard, other packages where installed, and print it
	$(PY) -m tools.records leaderboard
	$(PY) -m tools.records skeletons
	$(PY) -m benchmarks.leaderboard

badge: $(VENV)/.test  ## write the Binder badge into the README, with the address of this clone's origin
	$(PY) -m tools.badge

pins: $(VENV)/.created  ## resolve binder/requirements.txt anew (with Python 3.11, as Binder has it)
	$(PY) -m tools.pins

docs:  ## the library's documentation as HTML pages, in site/
	$(call fresh,docs,'.[docs]')
	.venv-docs/$(BIN)/python -m tools.docs

wheel:  ## build source archive and wheel, check both, install the wheel in a new environment, and use it there
	rm -rf dist
	$(call fresh,wheel,build twine)
	.venv-wheel/$(BIN)/python -m build --outdir dist .
	.venv-wheel/$(BIN)/python -m twine check --strict dist/*
	$(call fresh,wheel,dist/*.whl mypy)
	cp tools/wheel.py .venv-wheel/ && cd .venv-wheel && $(BIN)/python -I wheel.py && $(BIN)/python -m mypy --strict wheel.py

lowest: $(VENV)/.created  ## tests on the lowest versions of all dependencies that pyproject.toml allows
	$(PY) -m tools.lowest > build-lowest.txt
	$(call fresh,lowest,--constraint build-lowest.txt $(TESTED))
	rm build-lowest.txt
	$(call tested,lowest)

newest:  ## tests on the newest versions
	$(call fresh,newest,--upgrade --upgrade-strategy eager $(TESTED))
	$(call tested,newest)

bounds: $(VENV)/.test  ## tests of the compiled code with every index checked
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=build/bounds $(PY) -m pytest -q -p no:cacheprovider $(PYTEST_ARGS) $(COMPILED)

nightly: $(VENV)/.compiled  ## every notebook ten times, each number compared; kills, changed files; bounds, lowest, newest
	for run in 1 2 3 4 5 6 7 8 9 10; do BNLAB_NIGHTLY=1 $(PY) -m pytest -q -p no:cacheprovider $(NBVAL) notebooks || exit 1; done
	BNLAB_NIGHTLY=1 $(MAKE) test PYTEST_ARGS="--ignore tests/browser --ignore notebooks"
	$(MAKE) test PYTEST_ARGS="-m slow"
	$(MAKE) bounds
	$(MAKE) lowest
	$(MAKE) newest

audit:  ## known vulnerabilities of Binder's pins; one that the package index cannot tell of is a failure
	$(call fresh,audit,'.[audit]')
	grep '==' binder/requirements.txt > build-audit.txt
	.venv-audit/$(BIN)/python -m pip_audit --strict --no-deps --disable-pip --requirement build-audit.txt; \
	  found=$$?; rm build-audit.txt; exit $$found

clean:  ## remove the environment and everything generated
	rm -rf $(VENV) .venv-* build dist site screenshots .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "bnlab needs Python 3.11 or newer, and $(PYTHON) is: $$($(PYTHON) --version 2>&1)." >&2; \
	  echo "Name another one, for example: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

# An environment of its own, thrown away at the next call: $(call fresh,NAME,WHAT TO INSTALL).
define fresh
rm -rf .venv-$(1)
$(PYTHON) -m venv .venv-$(1)
.venv-$(1)/$(BIN)/python -m pip --disable-pip-version-check install -qq $(2)
endef

# Warnings of versions that we do not choose are not ours to mend.
define tested
.venv-$(1)/$(BIN)/python -m pytest -q -p no:cacheprovider -W default -m "not slow" --ignore tests/browser $(PYTEST_ARGS) tests bnlab
endef

# rfc3987-syntax, an optional checker that jupyter-events brings along, takes seconds at the first `import nbformat`
# and so at every start of a server or of a notebook test; nothing here needs it.
define without-slow-checker
@$(PY) -m pip --disable-pip-version-check uninstall --quiet --yes rfc3987-syntax
endef

$(VENV)/.lab: pyproject.toml $(VENV)/.created
	$(INSTALL) --editable '.[notebook]'
	$(without-slow-checker)
	@touch $@

# Bytecode comes with the first import: most of what is installed is never imported, and pip compiles on one core.
$(VENV)/.test: pyproject.toml $(VENV)/.created
	$(INSTALL) --no-compile --editable '.[notebook,test,lint]'
	$(without-slow-checker)
	@touch $@ $(VENV)/.lab

# Once, so that not every process of pytest-xdist compiles kernels and tests anew.
$(VENV)/.compiled: $(VENV)/.test
	@$(PY) -m pytest --collect-only -qq tests > /dev/null & $(PY) -m bnlab compile && wait
	@touch $@

$(VENV)/.bench: pyproject.toml $(VENV)/.lab
	$(INSTALL) --editable '.[bench]'
	@touch $@
