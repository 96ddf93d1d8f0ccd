# The only entry for people: `make help`.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
CARGO ?= cargo
VENV := .venv
STORES := data/ensembles/threads data/ensembles/versions data/ensembles/runtimes
NEXTEST := $(shell $(CARGO) nextest --version >/dev/null 2>&1 && echo yes)

.PHONY: help run serve build test check conformance test-rust test-python test-frontend setup setup-tests types golden bench fuzz torture samples pictures licences dist wheel install install-files uninstall clean

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

test: setup-tests check test-rust test-python test-frontend ## Runs every test, checks included

setup-tests:
	tests/setup.sh all

check: frontend/dist/index.html ## Formats, lints, types, docs, the guide, generated files, architecture
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --quiet
	cd frontend && npm run check
	@if $(CARGO) deny --version >/dev/null 2>&1; then $(CARGO) deny check bans licenses sources; \
	else echo "cargo-deny is not installed: licences and sources of packages were not checked (deny.toml)"; fi
	@if mdbook --version >/dev/null 2>&1; then mdbook build docs -d $(CURDIR)/target/guide; \
	else echo "mdbook is not installed: the guide was not built (docs/book.toml)"; fi

test-rust: build
ifeq ($(NEXTEST),yes)
	$(CARGO) nextest run --workspace
	$(CARGO) test --workspace --doc --quiet
else
	$(CARGO) test --workspace
endif
	@cat $(CONFORMANCE) 2>/dev/null || true

test-python: build ## Installs the Python package into fresh environments and runs its tests
	tests/python-package.sh

CONFORMANCE := target/tmp/conformance/*.txt
conformance: ## Compares every reader with the original tools' results and prints the table
	@rm -f $(CONFORMANCE)
	$(CARGO) test --quiet --workspace --test conformance
	@cat $(CONFORMANCE)

test-frontend: frontend/dist/index.html
	cd frontend && npm test

licences: frontend/node_modules/.package-lock.json ## Writes the licences of all packages in the binary anew
	node tests/licences.mjs > crates/grainsheaf/src/licences.txt.new
	mv crates/grainsheaf/src/licences.txt.new crates/grainsheaf/src/licences.txt

types: ## Generates the OpenAPI document, the TypeScript types, the pages on columns and on the Python package
	$(CARGO) run --quiet -p sheaf-server --example openapi > frontend/openapi.json.new
	mv frontend/openapi.json.new frontend/openapi.json
	$(CARGO) run --quiet -p sheaf-answers --example columns > docs/columns.md.new
	mv docs/columns.md.new docs/columns.md
	python3 crates/python/reference.py > docs/python-reference.md.new
	mv docs/python-reference.md.new docs/python-reference.md
	cd frontend && npm run types

golden: ## Accepts the present output of the golden tests; read the difference before committing
	UPDATE_GOLDEN=1 $(CARGO) test --workspace --quiet

bench: ## Measures speed and cost; see BENCHMARKS.md
	tests/bench.sh

fuzz: ## Fuzzes the readers for a bounded time (installs cargo-fuzz when missing)
	tests/fuzz.sh

torture: build ## Attacks for hours: kills, mutants, requests (see docs/reliability.md)
	GRAINSHEAF_KILLS=1000 nice -n 19 $(CARGO) test --workspace -p sheaf-store --lib -- --nocapture tests::crash
	tests/load.sh
	GRAINSHEAF_MUTANTS=60000 nice -n 19 $(CARGO) test --release --workspace --test mutants -- --nocapture

samples: build ## Records the sample ensembles again
	GRAINSHEAF=$(CURDIR)/target/debug/grainsheaf data/record-ensembles.sh

pictures: frontend/dist/index.html ## Takes the pictures of the guide from the page, with recorded answers
	cd frontend && npm run pictures --workspace e2e

PREFIX ?= /usr/local
INSTALLED := $(DESTDIR)$(PREFIX)
COMPLETIONS := bash:bash-completion/completions/grainsheaf zsh:zsh/site-functions/_grainsheaf fish:fish/vendor_completions.d/grainsheaf.fish
# Folders of this machine do not get into the binary, so that a commit gives the same bytes in every folder.
REMAP := --remap-path-prefix=$(CURDIR)=/grainsheaf --remap-path-prefix=$(or $(CARGO_HOME),$(HOME)/.cargo)=/cargo \
	--remap-path-prefix=$(shell rustc --print sysroot)=/rust

# Cargo does not strip a binary whose package has an optimisation level of its own (`profile.dist.package`).
DIST_FLAGS := $(strip $(RUSTFLAGS) $(REMAP) -C strip=symbols)
MAX_BYTES := 30000000

dist: frontend/dist/index.html ## Builds the small binary and the recorder that are installed, without paths of this machine
	RUSTFLAGS="$(DIST_FLAGS)" $(CARGO) build --locked --profile dist -p grainsheaf -p sheaf-recorder
	@bytes=$$(wc -c < target/dist/grainsheaf); [ "$$bytes" -le $(MAX_BYTES) ] || \
	{ echo "dist: target/dist/grainsheaf has $$bytes bytes, and at most $(MAX_BYTES) are allowed" >&2; exit 1; }

wheel: dist ## Builds the wheel of the Python package to publish, in target/wheel/out
	RUSTFLAGS="$(DIST_FLAGS)" crates/python/wheel.sh

install: dist install-files ## Installs the binary, the recorder, manual pages and completions under PREFIX (default /usr/local)

# What `install` does after the build; BUILT is the folder of the binary.
BUILT ?= target/dist
install-files:
	install -D $(BUILT)/grainsheaf $(INSTALLED)/bin/grainsheaf
	install -D -m 644 $(BUILT)/libsheaf_recorder.so $(INSTALLED)/lib/grainsheaf/libsheaf_recorder.so
	install -d $(INSTALLED)/share/man/man1
	$(BUILT)/grainsheaf man $(INSTALLED)/share/man/man1
	@for pair in $(COMPLETIONS); do file=$(INSTALLED)/share/$${pair#*:}; \
	install -d "$$(dirname $$file)" && $(BUILT)/grainsheaf completions $${pair%%:*} > $$file || exit 1; done
	install -D -m 644 LICENSE-MIT $(INSTALLED)/share/doc/grainsheaf/LICENSE-MIT
	install -D -m 644 LICENSE-APACHE $(INSTALLED)/share/doc/grainsheaf/LICENSE-APACHE

uninstall: ## Removes what `install` installed under PREFIX
	rm -f $(INSTALLED)/bin/grainsheaf $(INSTALLED)/share/man/man1/grainsheaf.1 $(INSTALLED)/share/man/man1/grainsheaf-*.1
	rm -rf $(INSTALLED)/lib/grainsheaf $(INSTALLED)/share/doc/grainsheaf
	@for pair in $(COMPLETIONS); do rm -f $(INSTALLED)/share/$${pair#*:}; done

clean: ## Removes what was built
	$(CARGO) clean
	rm -rf frontend/dist frontend/node_modules $(VENV) .venv-package
