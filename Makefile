# Everything is set up from a clean clone: git, make and any Python 3.9 or newer with venv are enough.
# What is set up, built or kept lies in .venv and .local; nothing is installed outside this folder.

.DEFAULT_GOAL := help
.PHONY: help run demo down test check unit integration local bench peers faults poisoning load weak-model openapi fuzz setup clean

UV := $(shell command -v uv || echo .local/uv/bin/uv)
IN := $(UV) run --quiet --no-sync

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1	/p' $(MAKEFILE_LIST)

run: setup ## Start the API on this machine, play a short conversation, and leave the API running
	@$(IN) openbot-memory up
	@$(IN) openbot-memory demo

demo: setup ## Play the conversation again
	@$(IN) openbot-memory demo

down: ## Stop the API; its data stays in .local
	@[ ! -x .venv/bin/openbot-memory ] || .venv/bin/openbot-memory down

test: check unit integration local ## Everything: lint, types and all tests

check: setup ## Format, lint and types
	$(IN) ruff format --check
	$(IN) ruff check
	$(IN) pyright
	AWS_DEFAULT_REGION=eu-central-1 $(IN) cfn-lint template.yaml

unit: setup ## The rules, without any input or output
	$(IN) pytest -q -n auto tests/unit

integration: setup ## The functions and the store, against DynamoDB in this process
	$(IN) pytest -q -n auto tests/integration

local: setup ## The template, built and deployed to an emulator of its own
	$(IN) pytest -q tests/local

bench: setup ## Count what each route costs in DynamoDB, into docs/performance.md; quick=1 is smaller and only shows it
	@PYTHONPATH=tests/integration $(IN) python tests/benchmark $(if $(quick),--quick)

peers: .local/peers/made ## Do the same work in other memories as well, side by side, into docs/peers.md
	@.local/peers/bin/python tests/benchmark/peers

faults: setup ## Let any request fail and any function die, in operations=10000 from seed=1 on, and check the books
	@PYTHONPATH=tests/integration:tests/benchmark $(IN) python tests/faults \
	  --seed $(or $(seed),1) --operations $(or $(operations),10000) $(if $(quick),--in-process)

poisoning: setup ## Attack the memory through a model that obeys, and show what was tried and what was kept
	@$(IN) pytest -q -s tests/integration/test_poisoning.py

load: setup .local/load/made ## Many users at once for minutes=10; then nothing that was acknowledged may be lost, or there twice
	@$(IN) python tests/load $(if $(minutes),--minutes $(minutes)) $(if $(users),--users $(users))

weak-model: setup .local/weak-model/made ## Let a real, very weak model read conversations=50, and check that no rule bends
	@$(IN) python tests/weak_model $(if $(conversations),--conversations $(conversations))

openapi: setup ## Write the OpenAPI document anew, from the requests' and answers' models
	$(IN) python -m openbot_memory_local.openapi.document

fuzz: setup ## Send thousands of requests made from the OpenAPI document; seed=N repeats a run, examples=N scales it
	@PYTHONPATH=tests/local $(IN) python tests/fuzz $(if $(seed),--seed $(seed)) $(if $(examples),--examples $(examples))

# ---- Set-up: uv, Python 3.13, and three environments whose tools do not resolve beside each other ----

setup: .local/setup

.local/setup: pyproject.toml uv.lock src/requirements.txt .python-version | $(UV)
	@echo "Setting up: the project, the emulator and AWS SAM CLI (once; a minute or two)"
	@$(UV) python find --quiet || $(UV) python install --quiet || { \
	  echo "Python 3.13 was found nowhere and could not be fetched. Install it (for example with pyenv), then try again."; \
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

clean: down ## Stop the API and remove everything that was set up, built or kept
	rm -rf .local .venv
