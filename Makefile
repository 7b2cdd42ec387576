# Rhythm's two commands are `make demo` and `make test`; both build what they need.
PYTHON ?= $(or $(shell command -v python3.11 || command -v python3.13 || command -v python3.12),python3)
VENV := .venv
DEV := .venv-dev
DEV_STAMP := $(DEV)/.installed
WORKERS ?= 2

# Where this is set, every process compiles what it imports again: torch takes 8 s of processor time instead of 3.
export PYTHONDONTWRITEBYTECODE :=

# uv installs what pip would with a tenth of the work. Of pip's settings it is told those of the environment; where pip
# has others that it needs (a mirror named in pip.conf), uv finds no way and pip goes it.
into = $(1)/bin/pip install --quiet --disable-pip-version-check uv && \
	$(1)/bin/uv pip install --quiet --python $(1)/bin/python $${PIP_INDEX_URL:+--default-index "$$PIP_INDEX_URL"} \
	$${PIP_FIND_LINKS:+--find-links "$$PIP_FIND_LINKS"} $(2) || \
	$(1)/bin/pip install --quiet --disable-pip-version-check $(2)

.DEFAULT_GOAL := help
.PHONY: help demo week install test every quick check kernels format fuzz clean

help: ## Show what there is
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(VENV)/bin/rhythm: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(call into,$(VENV),-e .)
	@touch $@

$(DEV_STAMP): pyproject.toml
	$(PYTHON) -m venv $(DEV)
	$(call into,$(DEV),-e '.[dev]')
	@touch $@

install: $(VENV)/bin/rhythm ## Install Rhythm into .venv

demo: $(VENV)/bin/rhythm ## Install, then start the assistant of an invented person
	$(VENV)/bin/rhythm up --demo

week: $(VENV)/bin/rhythm ## Install, then watch one simulated week being read and planned
	$(VENV)/bin/rhythm sim play --policy planner --seed 7

test: ## Install with all extras, then run every check and every test
	$(MAKE) --jobs 2 check every

every: $(DEV_STAMP) kernels
	$(DEV)/bin/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

quick: $(DEV_STAMP) ## The tests that take seconds
	$(DEV)/bin/python -m pytest -n $(WORKERS) -m "not slow and not browser"

check: $(DEV_STAMP) ## Lint, format, types, and the arrows between the layers
	$(DEV)/bin/ruff check .
	$(DEV)/bin/ruff format --check .
	$(DEV)/bin/mypy
	$(DEV)/bin/lint-imports

kernels: $(VENV)/bin/rhythm ## Compile the kernels once, so that every process finds them
	$(VENV)/bin/rhythm sim play --policy planner --seed 7 --json >/dev/null
	$(VENV)/bin/rhythm sim play --policy planner-v2 --seed 7 --json >/dev/null
	$(VENV)/bin/rhythm bench taps --learners rhythm --people 3 --json >/dev/null

fuzz: $(DEV_STAMP) ## Ten minutes of damaged files for every reader (SECONDS=..., SEED=...)
	PYTHONPATH=src:tests $(DEV)/bin/python -m fuzz --seconds $(or $(SECONDS),600) --seed $(or $(SEED),1)

format: $(DEV_STAMP) ## Put the code into its format
	$(DEV)/bin/ruff check --fix .
	$(DEV)/bin/ruff format .

clean: ## Remove what the commands above have built
	rm -rf $(VENV) $(DEV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
