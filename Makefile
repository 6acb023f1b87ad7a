# Palmarès. `make` alone prints what there is to do.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

GO ?= go
TOOL := $(GO) tool -modfile=tools/go.mod
REDOCLY := npx --yes --ignore-scripts @redocly/cli@2.73.0
DEV_DATABASE_URL ?= postgres://postgres@127.0.0.1:5432/palmares_dev?sslmode=disable
FUZZTIME ?= 5m
KEYS_LONG ?= 1
ALARMS ?= long
IMAGE ?= palmares
VERSION ?= $(shell git describe --tags --always --dirty)
COMMIT ?= $(shell git rev-parse HEAD)
SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct)

.PHONY: help
help: ## Print this help
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  \033[36m%-14s\033[0m %s\n", $$1, $$2}' $(MAKEFILE_LIST)

##
.PHONY: preview
preview: ## Serve examples/catalog with no engine at all, reloading on save
	$(GO) run ./cmd/palmares preview examples/catalog $(PREVIEW_FLAGS)

.PHONY: dev
dev: ## Migrate, publish examples/catalog and serve it from PostgreSQL on :8080
	DEV_DATABASE_URL='$(DEV_DATABASE_URL)' ./scripts/dev

.PHONY: build
build: ## Build the binary into build/palmares
	CGO_ENABLED=0 $(GO) build -trimpath -o build/palmares ./cmd/palmares

.PHONY: release
release: ## Build static binaries, packages for Debian, bills of materials, notices and checksums into build/release
	$(GO) run ./scripts/release -version '$(VERSION)' -commit '$(COMMIT)' -time '$(SOURCE_DATE_EPOCH)' $(RELEASE_FLAGS)

.PHONY: reproduce
reproduce: ## Build the release twice, here and from a copy elsewhere: the same bytes must come out
	./scripts/reproduce

.PHONY: image
image: ## Build the container image out of build/release, with docker or buildah
	IMAGE='$(IMAGE)' ./scripts/image

##
.PHONY: verify
verify: ## All that CI checks; what lacks its engine is skipped (with CI=true it fails)
	./scripts/verify

.PHONY: night
night: ## What CI checks at night: tests at size, fuzzing, benchmarks and every other target, briefly
	./scripts/verify night

.PHONY: check
check: ## Before you commit: format, build, vet and the tests that need Go, PostgreSQL and Redis alone
	./scripts/check

.PHONY: flaky
flaky: ## Repeat the tests of PKG N times (20), and tell which failed how often; goes on where it was ended
	./scripts/flaky '$(N)' $(PKG)

.PHONY: times
times: ## Run all that CI checks, with an empty Go cache and once more; writes the tables of CONTRIBUTING.md
	./scripts/times

.PHONY: test
test: ## Run the tests, with the race detector where goroutines meet (those without their engine are skipped)
	./scripts/test $(TEST_FLAGS)

.PHONY: vet
vet: ## Run go vet
	$(GO) vet ./...

.PHONY: lint
lint: ## Run golangci-lint, which runs go vet
	./scripts/lint

.PHONY: workflows
workflows: ## Check the workflows of .github with actionlint
	$(TOOL) actionlint

.PHONY: fmt
fmt: ## Format the code
	$(TOOL) gofumpt -l -w bench cmd internal scripts *.go

.PHONY: fmt-check
fmt-check: ## Fail if the code is not formatted
	@out=$$($(TOOL) gofumpt -l bench cmd internal scripts *.go); if [ -n "$$out" ]; then echo "not formatted, run make fmt:"; echo "$$out"; exit 1; fi

.PHONY: systemd
systemd: ## Install, run, upgrade, break, remove and purge the package for Debian under a real systemd (needs root, mmdebstrap, systemd-container)
	./scripts/systemd/run

.PHONY: rules
rules: ## Check the alarms of deploy/prometheus with promtool, and run their tests
	promtool check rules deploy/prometheus/rules.yaml
	promtool check config --syntax-only deploy/prometheus/prometheus.yaml
	promtool test rules deploy/prometheus/rules_test.yaml

.PHONY: rules-slow
rules-slow: ## Run the tests of alarms that look back for weeks
	promtool test rules deploy/prometheus/rules_slow_test.yaml

.PHONY: contract
contract: ## Lint openapi.yaml with Redocly
	$(REDOCLY) lint internal/api/openapi.yaml

.PHONY: clients
clients: build ## Run the cases of all clients against a node; make others of the contract, with two generators, and use them
	./scripts/clients/run

.PHONY: conformance
conformance: build ## Connect five clients of the Model Context Protocol to a node, and ask what its conformance suite asks (needs npm, nginx)
	./scripts/mcp/run

.PHONY: pages
pages: build ## Look at every kind of page in chromium; pictures go into build/pages
	./scripts/pages/run pages,labels $(PAGES_FLAGS)

.PHONY: journey
journey: build ## Go through all account pages in chromium, from the front page to the end of the account; beside it a subscription, what may follow it, the steps of README.md, and what people come for, in clicks
	./scripts/pages/run journey,subscription,aftermath,readme,finding,first,tasks

.PHONY: browser
browser: build ## The short form of pages, and journey, in one chromium: what CI runs
	./scripts/pages/run subscription,aftermath,journey,pages,readme,finding,first,tasks,labels -short

.PHONY: lighthouse
lighthouse: build ## Ask Lighthouse about the front page, the list, a tool, a guide and an operation; each category 0.95 at least
	./scripts/pages/run lighthouse $(LIGHTHOUSE_KINDS)

.PHONY: screenshots
screenshots: build ## Write the pictures of the README anew into docs/screenshots
	./scripts/pages/run screenshots

.PHONY: vuln
vuln: ## Look for known vulnerabilities (needs the vulnerability database)
	$(TOOL) govulncheck ./...

.PHONY: lines
lines: ## Count lines, files and packages of the product, at REV and now
	./scripts/lines $(REV)

.PHONY: golden
golden: ## Write the golden files anew; read the difference before you commit it
	$(GO) test . ./internal/api ./internal/catalog ./internal/chart ./internal/content ./internal/live ./internal/mail \
		./internal/publish ./internal/site/machine ./internal/site/picture ./internal/webhook \
		-run 'Golden|Valid|Invalid|Plans|Wire|CopyFormat|Drawing|Small|Lives' -update

##
.PHONY: alarms
alarms: ## Cause what alarms are for on real processes, and see each fire and end in a Prometheus (needs prometheus, faketime)
	PALMARES_TEST_ALARMS=$(ALARMS) $(GO) test -count=1 -v -timeout 20m -run TestAlarms_Fire ./cmd/palmares

.PHONY: fuzz
fuzz: ## Fuzz every target for FUZZTIME (5m)
	FUZZTIME=$(FUZZTIME) ./scripts/fuzz

.PHONY: soak
soak: ## Prove what faults must not break, at length: editions, disk copies, quotas, revocations
	./scripts/soak

.PHONY: bench
bench: ## Compare with bare net/http, Redis, nginx and peers; writes docs/performance.md (needs wrk, nginx)
	$(GO) run ./bench compare $(BENCH_FLAGS)

.PHONY: floods
floods: ## Measure what floods cost, beside the build OLDER=path; writes docs/floods.md (needs wrk)
	$(GO) run ./bench floods -older '$(OLDER)' $(FLOODS)

.PHONY: webhooks
webhooks: build ## Deliver a publication of 100 events to 10,000 endpoints, with and without tarpits
	./scripts/webhooks

.PHONY: keys
keys: ## Measure keys at 1,000,000 accounts: memory, loading, revocations, first uses beside strangers
	PALMARES_LONG=$(KEYS_LONG) $(GO) test -count=1 -v -timeout 40m -run Keys_AtScale ./cmd/palmares

.PHONY: upgrade
upgrade: ## Migrate 1,000,000 accounts and 5,000,000 deliveries of the last release under load, and tell the longest wait
	PALMARES_LONG=1 $(GO) test -count=1 -v -timeout 40m -run Upgrade_AtScale ./cmd/palmares

.PHONY: search
search: ## Measure the search index on 100,000 tools: the figures of docs/search.md
	$(GO) run ./bench search $(SEARCH)

.PHONY: scale
scale: build ## Measure everything in docs/scale.md on 100,000 tools
	./scripts/scale
