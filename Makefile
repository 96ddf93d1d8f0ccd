# The only entry for people: `make help`.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
CARGO ?= cargo
VENV := .venv
STORES := data/ensembles/threads data/ensembles/versions data/ensembles/runtimes
NEXTEST := $(shell $(CARGO) nextest --version >/dev/null 2>&1 && echo yes)

.PHONY: help run serve build test check conformance test-rust test-frontend setup setup-tests types golden bench fuzz samples install clean

help: ## Shows what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 16

run: build ## Builds everything, opens the sample ensembles in the service, prints the URL
	target/debug/grainsheaf serve $(STORES)

serve: run

build: frontend/dist/index.html ## Builds the binary with the frontend in it
	$(CARGO) build --workspace

frontend/node_modules/.package-lock.json: frontend/package-lock.json
	tests/setup.sh node
	cd frontend && npm ci --no-audit --no-fund
	@touch $@

FRONTEND_SOURCES := $(shell find frontend -path '*/node_modules' -prune -o -path frontend/dist -prune -o -type f -print 2>/dev/null)
frontend/dist/index.html: frontend/node_modules/.package-lock.json $(FRONTEND_SOURCES)
	cd frontend && npm run build
	@touch $@

setup: ## Installs or names what building and testing need
	tests/setup.sh all

test: setup-tests check test-rust test-frontend ## Runs every test, checks included

setup-tests:
	tests/setup.sh all

check: frontend/dist/index.html ## Formats, lints, types, docs, generated files, architecture
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --quiet
	cd frontend && npm run check

test-rust: build
ifeq ($(NEXTEST),yes)
	$(CARGO) nextest run --workspace
	$(CARGO) test --workspace --doc --quiet
else
	$(CARGO) test --workspace
endif
	@cat $(CONFORMANCE) 2>/dev/null || true

CONFORMANCE := target/tmp/conformance/*.txt
conformance: ## Compares every reader with the original tools' results and prints the table
	@rm -f $(CONFORMANCE)
	$(CARGO) test --quiet --workspace --test conformance
	@cat $(CONFORMANCE)

test-frontend: frontend/dist/index.html
	cd frontend && npm test

types: ## Generates the OpenAPI document and the TypeScript types from the Rust types
	$(CARGO) run --quiet -p sheaf-server --example openapi > frontend/openapi.json.new
	mv frontend/openapi.json.new frontend/openapi.json
	cd frontend && npm run types

golden: ## Accepts the present output of the golden tests; read the difference before committing
	UPDATE_GOLDEN=1 $(CARGO) test --workspace --quiet

bench: ## Measures speed and cost; see BENCHMARKS.md
	tests/bench.sh

fuzz: ## Fuzzes the readers for a bounded time (installs cargo-fuzz when missing)
	tests/fuzz.sh

samples: build ## Records the sample ensembles again
	GRAINSHEAF=$(CURDIR)/target/debug/grainsheaf data/record-ensembles.sh

install: frontend/dist/index.html ## Installs the release binary and the recorder under PREFIX (default /usr/local)
	$(CARGO) build --release -p grainsheaf -p sheaf-recorder
	install -D target/release/grainsheaf $(or $(PREFIX),/usr/local)/bin/grainsheaf
	install -D target/release/libsheaf_recorder.so $(or $(PREFIX),/usr/local)/lib/grainsheaf/libsheaf_recorder.so

clean: ## Removes what was built
	$(CARGO) clean
	rm -rf frontend/dist frontend/node_modules $(VENV)
