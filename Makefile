# What a person runs. Plain `make` prints the list.

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
COMMIT := $(shell git rev-parse HEAD 2>/dev/null)

# The version is given by the line below and not by Go's own stamp, which fails
# where git does not trust the folder. The tag leaves out gin's msgpack, which
# nothing speaks here: 9 MB of binary.
GO_BUILD := go build -tags nomsgpack -trimpath -buildvcs=false -ldflags '-X main.version=$(VERSION) -X main.commit=$(COMMIT)'

# A package's tests may take this long, races and all, on two busy cores.
TEST_TIMEOUT := 40m
SOAK_TIMEOUT := 60m

.DEFAULT_GOAL := help
.PHONY: help demo test lint contract build run bench soak clean

help: ## print this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## install what is missing, build, and watch an agent do the main job; EXIT=1 ends after it
	scripts/setup
	$(MAKE) --no-print-directory build
	bin/ambit demo $(if $(EXIT),--exit)

# The build with the tag compares the bound signatures with the library's header.
test: ## install what the tests need and run everything that CI runs
	scripts/setup --test
	$(MAKE) --no-print-directory lint
	go build -tags xgboost_cgo ./engines/xgboost
	REQUIRE_SERVICES=1 go test -race -vet=off -timeout $(TEST_TIMEOUT) ./...

lint: ## gofmt, vet and staticcheck
	@unformatted=$$(find . \( -name '.?*' -o -name node_modules \) -prune -o -name '*.go' -print | xargs gofmt -l) && \
		test -z "$$unformatted" || { echo "gofmt -w would change:"; echo "$$unformatted"; exit 1; }
	go vet ./...
	go tool staticcheck ./...

contract: build ## write docs/tools.json anew: what each MCP tool may call
	bin/ambit contract > docs/tools.json

build: ## build bin/ambit
	$(GO_BUILD) -o bin/ambit ./cmd/ambit

run: build ## build and serve; ARGS="--addr 127.0.0.1:9000" and other flags are passed on
	bin/ambit serve $(ARGS)

bench: ## measure against peers, side by side
	scripts/setup --bench
	go run -buildvcs=false ./bench $(ARGS)

# The long proofs say in their tests that they read AMBIT_SOAK. One package at a
# time: they measure deadlines, and would take each other's cores.
soak: ## the long proofs: the whole hostile corpus, kills by the dozen
	scripts/setup --test
	AMBIT_SOAK=1 REQUIRE_SERVICES=1 go test -count=1 -p 1 -timeout $(SOAK_TIMEOUT) \
		$$(grep -rl --include='*_test.go' AMBIT_SOAK . | xargs -n 1 dirname | sort -u)

clean: ## remove what was built and installed in this folder; data stays
	rm -rf bin .tools
