# A clean clone needs git, make and any Python 3.9 or newer with venv. Everything that is installed, built or
# stored goes into .venv and .local; nothing is installed outside this folder.

.DEFAULT_GOAL := help
.PHONY: help run down test check unit integration local bench faults fuzz load weak-model openapi setup clean

# Without its bytecode cache, each Python process compiles all that it imports again: that doubles the tests' time.
unexport PYTHONDONTWRITEBYTECODE

UV := $(shell command -v uv || echo .local/uv/bin/uv)
IN := $(UV) run --quiet --no-sync

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1	/p' $(MAKEFILE_LIST)

run: setup ## Start the API on this machine and play a short demo conversation; the API keeps running
	@$(IN) openbot-memory up
	@$(IN) openbot-memory demo

down: ## Stop the API; its data is kept in .local
	@[ ! -x .venv/bin/openbot-memory ] || .venv/bin/openbot-memory down

# ---- Before each commit ----

# The emulator mostly waits, so its tests run beside the others.
test: setup ## Run everything below: check, unit, integration, local
	@$(MAKE) --no-print-directory --jobs=2 $(if $(filter output-sync,$(.FEATURES)),--output-sync=target) \
	  local check unit integration

check: setup ## Check format, lint and types
	$(IN) ruff format --check
	$(IN) ruff check
	$(IN) pyright
	AWS_DEFAULT_REGION=eu-central-1 $(IN) cfn-lint template.yaml

unit: setup ## Test the pure rules, without input or output; seconds
	$(IN) pytest -q -n auto --dist worksteal tests/unit

integration: setup ## Test the functions against DynamoDB in memory (moto)
	$(IN) pytest -q -n auto --dist worksteal tests/integration

local: setup ## Test the real template, deployed to an emulator
	$(IN) pytest -q tests/local

openapi: setup ## Write the OpenAPI document from the request and response models
	$(IN) python -m openbot_memory_openapi.generate

# ---- On demand; each takes minutes ----

bench: setup $(if $(peers),.local/peers/made) ## Count what each route costs, into docs/performance.md; quick=1: smaller, only shown; peers=1: other memories, into docs/peers.md
	@$(if $(peers),.local/peers/bin/python tests/benchmark/peers,PYTHONPATH=tests/integration $(IN) python tests/benchmark $(if $(quick),--quick))

faults: setup ## Run operations=10000 while requests fail and functions die, from seed=1; then audit the table; quick=1: without the emulator
	@PYTHONPATH=tests/integration:tests/benchmark $(IN) python tests/faults \
	  --seed $(or $(seed),1) --operations $(or $(operations),10000) $(if $(quick),--in-process)

fuzz: setup ## Send thousands of generated requests, made from the OpenAPI document; seed=N repeats a run, examples=N scales it
	@PYTHONPATH=tests/local $(IN) python tests/fuzz $(if $(seed),--seed $(seed)) $(if $(examples),--examples $(examples))

load: setup .local/load/made ## Let users=N call the API for minutes=10; then check that nothing acknowledged is lost or doubled
	@$(IN) python tests/load $(if $(minutes),--minutes $(minutes)) $(if $(users),--users $(users))

weak-model: setup .local/weak-model/made ## Let a real, very weak model read conversations=50; then check every rule
	@$(IN) python tests/weak_model $(if $(conversations),--conversations $(conversations))

# ---- Set-up: uv, Python 3.13, and separate environments for tools whose dependencies conflict ----

setup: .local/setup ## Install the project and its tools; every other command does this first

.local/setup: pyproject.toml uv.lock src/requirements.txt .python-version | $(UV)
	@echo "Setting up: the project, the emulator and AWS SAM CLI (once; a minute or two)"
	@$(UV) python find --quiet || $(UV) python install --quiet || { \
	  echo "Python 3.13 was not found and could not be downloaded. Install it (for example with pyenv), then run make again."; \
	  exit 1; }
	$(UV) sync --quiet --locked
	UV_PROJECT_ENVIRONMENT=.local/emulator $(UV) sync --quiet --locked --only-group emulator
	UV_PROJECT_ENVIRONMENT=.local/sam $(UV) sync --quiet --locked --only-group sam
	@touch $@

.local/load/made: uv.lock | $(UV)
	@echo "Setting up: Locust"
	UV_PROJECT_ENVIRONMENT=.local/load $(UV) sync --quiet --locked --only-group load
	@touch $@

.local/weak-model/made: uv.lock | $(UV)
	@echo "Setting up: SmolLM2 135M and llama.cpp's server, which is compiled (once; some minutes; needs a C++ compiler)"
	CMAKE_ARGS=-DGGML_NATIVE=OFF UV_PROJECT_ENVIRONMENT=.local/weak-model $(UV) sync --quiet --locked --only-group weak-model
	@touch $@

.local/peers/made: tests/benchmark/peers/uv.lock uv.lock | setup
	@echo "Setting up: mem0 and LangGraph"
	UV_PROJECT_ENVIRONMENT=$(CURDIR)/.local/peers $(UV) sync --quiet --locked --project tests/benchmark/peers
	@touch $@

.local/uv/bin/uv:
	@echo "Setting up: uv, into .local/uv"
	@python3 -m venv .local/uv || { echo "python3 with venv is needed (on Debian: apt install python3-venv)."; exit 1; }
	@.local/uv/bin/python -m pip install --quiet --disable-pip-version-check uv

clean: down ## Stop the API and delete .local and .venv, with all data
	rm -rf .local .venv
