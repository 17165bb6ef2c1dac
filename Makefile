# Each target installs what it needs into .venv first; a second call finds it there.

PYTHON ?= python3
JOBS ?= auto

VENV := .venv
BIN := $(VENV)/bin
RUN := $(VENV)/.installed-run
DEV := $(VENV)/.installed-dev
PIP := $(BIN)/pip --disable-pip-version-check --quiet

FUZZ := $(VENV)/.installed-fuzz
AUDIT := $(VENV)/.installed-audit
DOCS := $(VENV)/.installed-docs
SPHINX = $(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet --jobs auto
CASES ?= 1000
RETEVAL_SCREENSHOTS ?= build/screenshots
SCREENSHOTS := report comparison robustness review start query

# Tests start programs by the hundred: compiling them anew each time is a tenth of what that costs.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help install demo test soak serve lint openapi freeze bench fuzz audit \
	docs docs-links screenshots

help:
	@echo "make demo      evaluate a small search service of our own, and print the report"
	@echo "make test      run every test with the coverage gate"
	@echo "make soak      ten times a minute of clients and faults, held to rules (SEED= SECONDS=)"
	@echo "make serve     run the service on this machine until Ctrl-C (PORT= DATA=)"
	@echo "make install   make .venv with what the service needs"
	@echo "make lint      format, lint, types and layers"
	@echo "make openapi   write openapi.yaml anew"
	@echo "make freeze    keep openapi.yaml as that of a release, which later ones must not break"
	@echo "make bench     run the benchmarks"
	@echo "make fuzz      send CASES=1000 generated requests to each route, several ways"
	@echo "make docs      build the documentation into build/docs"
	@echo "make docs-links  look up every link of it that leads elsewhere (needs a network)"
	@echo "make screenshots  have the browser tests take the pictures of the pages in docs/images"
	@echo "make audit     look the pinned versions up in an advisory database (needs a network)"

install: $(RUN)

demo: $(RUN)
	@$(BIN)/python examples/demo.py

serve: $(RUN)
	@$(BIN)/python -m service up $(if $(PORT),--port $(PORT)) $(if $(DATA),--data $(DATA))

test: $(DEV)
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder --cov --cov-report=term

soak: $(DEV)
	$(BIN)/python -m tests.soak $(if $(SEED),--seed $(SEED)) $(if $(SECONDS),--seconds $(SECONDS))

lint: $(DEV)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q tests/contract/test_layers.py tests/contract/test_sizes.py

openapi: $(RUN)
	$(BIN)/python -m service openapi > $(VENV)/openapi.yaml
	mv $(VENV)/openapi.yaml openapi.yaml

freeze:
	cp openapi.yaml docs/api/v1.yaml

fuzz: $(FUZZ)
	$(BIN)/python tests/fuzz.py $(CASES)

audit: $(AUDIT)
	$(BIN)/pip-audit --strict --require-hashes --disable-pip -r requirements/run.txt
	$(BIN)/pip-audit --strict --require-hashes --disable-pip -r requirements/dev.txt

docs: $(DOCS)
	$(SPHINX) --builder html docs build/docs

docs-links: $(DOCS)
	$(SPHINX) --builder linkcheck docs build/links

screenshots: $(DEV)
	RETEVAL_PLAIN_TEXTS=yes $(BIN)/python -m pytest -q tests/browser -k "whole or worst or keyboard"
	@mkdir -p docs/images
	@for name in $(SCREENSHOTS); do cp "$(RETEVAL_SCREENSHOTS)/$$name.png" docs/images/$$name.png || exit 1; done

bench: $(DEV)
	@for script in $$(grep -l '"figure ' benchmarks/*.py); do echo "== $$script"; $(BIN)/python "$$script" || exit 1; done

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "reteval needs Python 3.11 or newer, and '$(PYTHON)' is not: make PYTHON=python3.12 ..." >&2; \
	  exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	  echo "'$(PYTHON) -m venv' failed: install your system's venv package (python3-venv)" >&2; \
	  exit 1; }

$(RUN): requirements/run.txt pyproject.toml | $(BIN)/python
	$(PIP) install --require-hashes -r requirements/run.txt
	$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(DEV): requirements/dev.txt $(RUN)
	$(PIP) install --require-hashes -r requirements/dev.txt
	@touch $@

$(FUZZ): requirements/fuzz.txt $(DEV)
	$(PIP) install --require-hashes -r requirements/fuzz.txt
	@touch $@

$(DOCS): requirements/docs.txt $(RUN)
	$(PIP) install --require-hashes -r requirements/docs.txt
	@touch $@

$(AUDIT): requirements/audit.txt $(DEV)
	$(PIP) install --require-hashes -r requirements/audit.txt
	@touch $@
