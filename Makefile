# Everything a developer does, by name. `make venv` and the tests build the package as `pip install .` does.

PYTHON ?= python3
VENV := .venv
TORCH_VENV := .venv-torch
ADAPTERS_VENV := .venv-adapters
LIGHTZERO_VENV := .venv-lightzero
OLDEST_VENV := .venv-oldest
RAY_VENV := .venv-ray
LINT_VENV := .venv-lint
DOCS_VENV := .venv-docs
PEERS_VENV := .venv-peers
RELEASE_VENV := .venv-release
# Wheels run on every processor of their platform, unlike builds of the checkout (.cargo/config.toml).
# The release workflow builds those for musl and macOS, which can be named here, too, but were never built on Linux.
WHEEL_TARGETS ?= x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu x86_64-pc-windows-gnu
WHEEL_RUSTFLAGS_x86_64 := -C target-cpu=x86-64
# Platforms that the library compiles for.
PLATFORMS := x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu aarch64-apple-darwin x86_64-pc-windows-msvc wasm32-unknown-unknown
VERSION := $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml)
GAME_FEATURES := $(shell sed -n 's/^\(game-[a-z_]*\) = .*/\1/p' Cargo.toml)
# What checks Python code, and the typed libraries it is checked against: a new version may find more.
LINT_TOOLS := 'ruff>=0.17,<0.18' 'mypy>=2.4,<2.5' 'pyright>=1.1.414,<1.2' 'numpy>=2.2,<2.5' 'gymnasium>=1.4,<1.5' 'pettingzoo>=1.27,<1.28'
PACKAGE := pyproject.toml Cargo.toml Cargo.lock $(shell find src assets python/Cargo.toml python/src python/ludovec -type f -not -name '*.so' -not -name '*.pyc' 2>/dev/null)

.PHONY: test test-rust test-python test-torch test-adapters test-oldest test-ray test-game test-evaluators test-long public-api test-aarch64 fuzz fuzz-many lint platforms docs web-pages msrv \
	features pictures build venv bench report \
	bench-peers bench-trainers figures ladder search-strength learning wheels release-check

## Everything: builds and passes it all.
test: test-rust test-python

## The library, the program, the documentation's examples; the pinned rollouts also as other processors play them.
## Property tests draw the same cases in every run: what fails here is what the change did. `make test-long` explores.
## One command selects all packages, so that Cargo compiles each of them once, with one set of features.
test-rust: export PROPTEST_RNG_SEED = 1
test-rust: TEST = cargo test --workspace --exclude ludovec-python
test-rust:
	$(TEST)
	for level in portable avx2 avx512; do LUDOVEC_CPU=$$level $(TEST) --test specs || exit 1; done

## Formatting, clippy and documentation, warnings as errors; formatting, ruff and types of the Python code, for mypy and
## pyright (where there are Node.js and the npm registry); the words of comments and documents; each feature alone; other
## platforms.
lint: docs platforms $(LINT_VENV)/installed
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps
	$(LINT_VENV)/bin/python .ci/words.py --check
	$(LINT_VENV)/bin/ruff check
	$(LINT_VENV)/bin/ruff format --check
	$(LINT_VENV)/bin/mypy
	@if $(LINT_VENV)/bin/pyright --version > /dev/null 2>&1; then \
		$(LINT_VENV)/bin/pyright --pythonpath $(LINT_VENV)/bin/python; \
	else \
		echo "pyright is left out: it needs Node.js and the npm registry"; \
	fi
	for feature in "" remote networks onnx raster $(GAME_FEATURES); do \
		cargo clippy --package ludovec --lib --no-default-features --features "$$feature" -- -D warnings || exit 1; \
	done

## The library with all games and networks compiles for each platform; rustup adds the standard libraries.
platforms:
	@for target in $(PLATFORMS); do \
		rustup target add $$target > /dev/null 2>&1 || { echo "$$target: left out, rustup cannot add it"; continue; }; \
		echo "cargo check --target $$target"; \
		RUSTFLAGS="-D warnings" CARGO_TARGET_DIR=target/platforms cargo check --quiet --package ludovec --target $$target \
			--no-default-features --features games,networks || exit 1; \
	done

## The documentation as a site in target/site, warnings as errors: links that lead nowhere among them.
docs: $(DOCS_VENV)/installed
	NO_MKDOCS_2_WARNING=1 $(DOCS_VENV)/bin/mkdocs build

## The games as static files for any web server, in target/web; the site embeds them if they are there. They need Node.js and
## rustup target add wasm32-unknown-unknown.
web-pages:
	$(PYTHON) .ci/web_pages.py

## The oldest Rust that the package promises to build with; rustup installs it.
msrv:
	cargo +$(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml) check --workspace

## Every two features together, where `make lint` takes each alone: some minutes; cargo install cargo-hack.
features:
	cargo hack check --package ludovec --lib --feature-powerset --depth 2 --exclude-features default,games

## What the public Rust API has become since BASE, and whether the version says so: cargo install cargo-public-api
## cargo-semver-checks, and a nightly compiler. Before the first release there is no version to compare with.
public-api: BASE ?= $(shell git describe --tags --abbrev=0 --match 'v*' 2>/dev/null)
public-api:
	@test -n "$(BASE)" || echo "no release to compare with: make public-api BASE=COMMIT"
	@test -z "$(BASE)" || for crate in ludovec $(addprefix ludovec-,engine games network raster replay play shm); do \
		cargo public-api --package $$crate diff "$(BASE)..HEAD" && \
		cargo semver-checks --package $$crate --baseline-rev "$(BASE)" || exit 1; \
	done

## Decisions per second of every environment by batch size, simulations per second of search, leaves of chess variants, beside cozy-chess in the same
## run; what shared memory costs.
bench:
	cargo bench --package ludovec --bench throughput
	cargo bench --package ludovec --bench search
	cargo bench --package ludovec --bench perft
	cargo bench --package ludovec-cli --bench shared_memory

## Throughput, game lengths and wins by seat of every environment, with plots, in the folder target/report: about a minute.
report: build
	target/release/report --out target/report

## Other libraries and this one in one table: the same work in one run. They come from PyPI; 8 GB, torch among them.
bench-peers: $(PEERS_VENV)/installed
	$(PEERS_VENV)/bin/python benches/peers.py

## What the examples of other trainers learn with the newest releases, as a table in docs/figures/training.md: an hour.
bench-trainers: TRAINERS = benches/trainers.py --write docs/figures/training.md
bench-trainers: $(TORCH_VENV)/installed $(ADAPTERS_VENV)/installed $(LIGHTZERO_VENV)/installed
	$(TORCH_VENV)/bin/python $(TRAINERS) train_sb3 train_rllib train_cleanrl train_skrl train_tianshou dqn_selfplay
	$(ADAPTERS_VENV)/bin/python $(TRAINERS) train_torchrl train_pufferlib train_jax train_cloning train_openspiel
	$(LIGHTZERO_VENV)/bin/python $(TRAINERS) train_lightzero

## The figures of docs/figures that take minutes, with machine, date and commit; then the drawings of the pages. The others take
## hours: make ladder, make learning, make search-strength.
figures: venv
	$(PYTHON) benches/figures.py engine search
	$(VENV)/bin/python docs/one_simulation.py
	$(VENV)/bin/python docs/rules_pictures.py
	$(MAKE) pictures

## The players on the scales of other engines, as a part of docs/figures/strength.md: hours. It goes on where it was stopped. Debian has
## the engines: apt install stockfish fairy-stockfish
ladder: GAMES = 200
ladder: build
	$(PYTHON) benches/ladder.py --games $(GAMES) --program target/release/ludovec --write docs/figures/strength.md

## Strength by simulations: shipped networks against themselves with four times the simulations, a limit of the depth, or the
## action of the improved policy; hours, and it continues where it was stopped.
search-strength: build
	$(VENV)/bin/python benches/search_strength.py

## Strength for a core-hour: each game trained from nothing for 15, 30 and 60 minutes of processor time and rated on a fixed
## ladder: about six hours. It goes on where it was stopped.
learning: $(TORCH_VENV)/installed
	$(TORCH_VENV)/bin/python benches/learning.py --out target/learning --write docs/figures/training.md \
		--curves docs/learning_curves.svg

## Wheels in target/dist for the targets whose standard library is installed. zig links them: for old systems on Linux, for macOS
## without Apple's tools. MinGW links the one for Windows (Debian's package mingw-w64), because with zig maturin 1.16 demands a
## symbol named after the package and the module, `PyInit_ludovec._core`, where Python looks for `PyInit__core`. The wheel for
## this machine is installed into a fresh environment and tried.
wheels: $(RELEASE_VENV)/installed
	@for target in $(WHEEL_TARGETS); do \
		test -d "$$(rustc --print sysroot)/lib/rustlib/$$target" || \
			{ echo "$$target: left out, rustup target add $$target"; continue; }; \
		case $$target in \
			*-linux-musl) how="--zig --compatibility musllinux_1_2";; \
			*-linux-*) how="--zig --compatibility manylinux2014";; \
			*-windows-gnu) how=""; \
				command -v x86_64-w64-mingw32-gcc > /dev/null || { echo "$$target: left out, it needs MinGW"; continue; };; \
			*) how="--zig";; \
		esac; \
		case $$target in x86_64-*) flags="$(WHEEL_RUSTFLAGS_x86_64)";; *) flags="";; esac; \
		PATH="$(CURDIR)/$(RELEASE_VENV)/bin:$$PATH" RUSTFLAGS="$$flags" \
			maturin build --release --locked $$how --target $$target --out target/dist || exit 1; \
	done
	rm -rf target/fresh && $(PYTHON) -m venv target/fresh
	target/fresh/bin/pip install --quiet numpy
	target/fresh/bin/pip install --quiet --no-index --find-links target/dist 'ludovec==$(VERSION)'
	cd target && fresh/bin/python ../python/tests/smoke.py

## Whether the checkout can be released: versions, changelog, tag, licences of dependencies, what would be published.
release-check: docs $(RELEASE_VENV)/installed
	$(RELEASE_VENV)/bin/python .ci/release_check.py

## The pictures of README.md and docs/, and every picture that is checked, as PNG in target/pictures.
pictures:
	LUDOVEC_UPDATE=1 cargo test --test pictures

## The program and the Python extension.
build:
	cargo build --release --workspace

## A virtual environment with the package and what its tests need.
venv: $(VENV)/installed

## The Rust tests with far more games, deeper counts and new random cases in every run: hours.
test-long:
	LUDOVEC_LONG=1 cargo test --release --no-fail-fast

## The pinned rollouts, searches and networks on aarch64, under qemu: the same bytes as here. Debian has what that needs:
## rustup target add aarch64-unknown-linux-gnu; apt install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
test-aarch64: export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER = aarch64-linux-gnu-gcc
test-aarch64: export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER = qemu-aarch64 -L /usr/aarch64-linux-gnu
test-aarch64:
	cargo test --package ludovec --target aarch64-unknown-linux-gnu --no-default-features --features games,networks \
		--test specs --test search
	cargo test --package ludovec-network --target aarch64-unknown-linux-gnu --lib

## Coverage-guided fuzzing of everything that is read: each target for SECONDS, from the committed inputs and whatever earlier
## runs found (fuzz/corpus). `cargo test --test fuzz` runs the committed inputs alone, with any compiler.
fuzz: SECONDS = 60
fuzz: FUZZ_END = -max_total_time=$(SECONDS)

## The same by number: RUNS inputs a target, several times faster (FEN 29 times), because neither memory nor comparisons are watched
## (overflow checks and assertions are on), and inputs are chosen without weighing how rare their paths are (actions 1.4 times).
## `TARGETS="fen record"` takes some of the targets.
fuzz-many: RUNS = 10000000
fuzz-many: FUZZ_END = -runs=$(RUNS) -entropic=0
fuzz-many: FUZZ_BUILD = --sanitizer none --no-trace-compares

fuzz fuzz-many: TARGETS = $$(cargo +nightly fuzz list)
fuzz fuzz-many:
	@cargo +nightly fuzz --version > /dev/null 2>&1 || { \
		echo "make $@ needs a nightly compiler and cargo-fuzz:"; \
		echo "    rustup toolchain install nightly && cargo install cargo-fuzz"; exit 1; }
	cargo +nightly fuzz build $(FUZZ_BUILD)
	for target in $(TARGETS); do \
		mkdir -p fuzz/corpus/$$target fuzz/found/$$target && \
		cargo +nightly fuzz run $(FUZZ_BUILD) $$target fuzz/corpus/$$target fuzz/seeds/$$target fuzz/found/$$target -- \
			$(FUZZ_END) -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 || exit 1; \
	done

## Python tests: numpy, Gymnasium, PettingZoo, JAX on CPU.
test-python: venv
	$(VENV)/bin/python -m pytest -n 2 --dist loadfile python/tests

## The tests that need torch, sb3-contrib, tianshou, RLlib, and what videos and windows are made with: gigabytes to install.
test-torch: $(TORCH_VENV)/installed
	$(TORCH_VENV)/bin/python -m pytest python/tests --run-training

ADAPTER_TESTS := $(addprefix python/tests/test_,$(addsuffix .py,data jax openspiel pettingzoo))

## The libraries that `make test-torch` leaves out, with their examples: TorchRL, PufferLib, OpenSpiel, SuperSuit, files of
## decisions, Optuna, Weights & Biases. Gigabytes to install.
test-adapters: $(ADAPTERS_VENV)/installed
	$(ADAPTERS_VENV)/bin/python -m pytest $(ADAPTER_TESTS) python/tests/test_pufferlib.py python/tests/test_torchrl.py
	$(ADAPTERS_VENV)/bin/python -m pytest --run-training python/tests/test_train_runs.py python/tests/test_training.py \
		-k "wandb or tensorboard or sweep or torchrl or pufferlib or cloning or openspiel or jax"

## The adapters with the oldest versions of their libraries that pyproject.toml allows, torch apart. They have packages for
## Python 3.10, not for newer ones: 1 GB to install.
test-oldest: OLDEST := gym pettingzoo jax data minari openspiel dm
test-oldest: $(OLDEST_VENV)/installed
	$(OLDEST_VENV)/bin/uv pip install --quiet --python $(OLDEST_VENV)/bin/python --resolution lowest-direct \
		--requirement pyproject.toml $(addprefix --extra ,$(OLDEST)) 'supersuit>=3.9'
	$(OLDEST_VENV)/bin/python -m pytest $(ADAPTER_TESTS) python/tests/test_envpool.py python/tests/test_first_day.py \
		python/tests/test_package.py python/tests/test_vector.py

## A game in Rust as a package of its own, built and installed by pip, played and trained: minutes, and build tools from the
## network.
test-game: $(TORCH_VENV)/installed
	$(TORCH_VENV)/bin/python -m pytest python/tests/test_rust_game.py --run-builds
	cargo test --manifest-path examples/rust_game/Cargo.toml --target-dir target/rust_game

## The networks of candle and ONNX Runtime in examples/evaluators: minutes, and candle from the network.
test-evaluators: $(TORCH_VENV)/installed
	ORT_DYLIB_PATH="$$($(TORCH_VENV)/bin/python -c 'import glob, onnxruntime as o; print(*glob.glob(o.__path__[0] + "/capi/libonnxruntime.*.*"))')" \
		cargo test --manifest-path examples/evaluators/Cargo.toml --target-dir target/evaluators

## The tests on a Ray cluster, two nodes of it on this machine: with torch gigabytes to install.
test-ray: $(RAY_VENV)/installed
	$(RAY_VENV)/bin/python -m pytest python/tests/test_ray.py python/tests/test_ray_opponents.py \
		python/tests/test_ray_training.py

$(VENV)/installed: EXTRAS = gym,pettingzoo,jax,dm
# mypy compares the stub of the extension with the extension, which `make lint` does not build.
$(VENV)/installed: MORE = chess nbclient ipykernel pytest-xdist 'mypy>=2.4,<2.5'
$(TORCH_VENV)/installed: EXTRAS = gym,pettingzoo,torch,onnx,sb3,tianshou,skrl,rllib,dm
$(TORCH_VENV)/installed: MORE = moviepy pygame imageio-ffmpeg numba
$(ADAPTERS_VENV)/installed: EXTRAS = gym,pettingzoo,torch,torchrl,jax,minari,openspiel,wandb
# The package pufferlib is built from source and needs CUDA; pufferlib-core has the same classes.
$(ADAPTERS_VENV)/installed: MORE = pufferlib-core supersuit datasets optuna tensorboard flax optax chex
# It needs NumPy 1 and Gymnasium 0.28, and has packages for Python 3.11.
$(LIGHTZERO_VENV)/installed: PYTHON = python3.11
$(LIGHTZERO_VENV)/installed: EXTRAS = lightzero
$(OLDEST_VENV)/installed: PYTHON = python3.10
$(OLDEST_VENV)/installed: EXTRAS = gym
$(OLDEST_VENV)/installed: MORE = uv
$(RAY_VENV)/installed: EXTRAS = rllib,torch

# stable-baselines3 comes without torch: only its types are needed.
$(LINT_VENV)/installed: Makefile
	test -x $(@D)/bin/python || $(PYTHON) -m venv $(@D)
	$(@D)/bin/pip install --quiet $(LINT_TOOLS)
	$(@D)/bin/pip install --quiet --no-deps 'stable-baselines3>=2.9,<2.10'
	touch $@

$(RELEASE_VENV)/installed: Makefile
	test -x $(@D)/bin/python || $(PYTHON) -m venv $(@D)
	$(@D)/bin/pip install --quiet 'maturin>=1.16,<2' 'cargo-zigbuild>=0.24' 'ziglang>=0.15' cffconvert
	touch $@

$(PEERS_VENV)/installed: EXTRAS = gym,jax
$(PEERS_VENV)/installed: AFTER = $(@D)/bin/python benches/peers.py --install

$(DOCS_VENV)/installed: docs/requirements.txt
	test -x $(@D)/bin/python || $(PYTHON) -m venv $(@D)
	$(@D)/bin/pip install --quiet --requirement $<
	touch $@

# A second step installs the checkout itself, whatever version of it is there already.
%/installed: $(PACKAGE)
	test -x $*/bin/python || $(PYTHON) -m venv $*
	$*/bin/pip install --quiet pytest $(MORE) ".[$(EXTRAS)]"
	$*/bin/pip install --quiet --no-deps --force-reinstall .
	$(AFTER)
	touch $@

.PHONY: sanitize miri asan tsan memcheck same-bytes kills load stress soak

## Memory: Miri, AddressSanitizer, ThreadSanitizer over what touches memory by hand, valgrind over the Python extension. The
## first three need a nightly compiler with parts of its own; where something is missing the target says what.
sanitize: miri asan tsan memcheck

# Pages of a column, columns of the caller's, bits and rows, claims, the guard's reads; then states and batches of every game.
MIRI_TESTS = dynamic::columns batch contract::mask contract::row \
	an_illegal_action_is_refused a_subset_steps same_step_shows packed_observations_unpack
SANITIZED = +nightly test -Zbuild-std --target x86_64-unknown-linux-gnu --package ludovec --no-default-features --features games --test memory

# Tree Borrows are the rules of aliasing: under Stacked Borrows the bit pointers of the crate bitvec are refused. Leaks are
# looked for in all tests but the one with a pool of Rayon's threads: the crate crossbeam-epoch never frees what it keeps for
# them. That one runs for one game.
miri: export MIRIFLAGS = -Zmiri-disable-isolation -Zmiri-tree-borrows
miri: export PROPTEST_CASES = 2
miri:
	@cargo +nightly miri --version > /dev/null 2>&1 || { \
		echo "make miri needs a nightly compiler with Miri:"; \
		echo "    rustup toolchain install nightly --component miri,rust-src"; exit 1; }
	CARGO_TARGET_DIR=target/miri cargo +nightly miri test --package ludovec-engine --lib -- $(MIRI_TESTS)
	CARGO_TARGET_DIR=target/miri cargo +nightly miri test --package ludovec-shm --lib -- guard
	CARGO_TARGET_DIR=target/miri cargo +nightly miri test --package ludovec --test xla_buffers --no-default-features
	for feature in $(GAME_FEATURES); do \
		CARGO_TARGET_DIR=target/miri cargo +nightly miri test --package ludovec --test memory --no-default-features --features $$feature -- \
			--skip two_threads || exit 1; \
	done
	MIRIFLAGS="$$MIRIFLAGS -Zmiri-ignore-leaks" CARGO_TARGET_DIR=target/miri cargo +nightly miri test --package ludovec --test memory \
		--no-default-features --features game-starwars_risk -- two_threads

asan tsan:
	@test -d "$$(rustc +nightly --print sysroot 2> /dev/null)/lib/rustlib/src/rust/library" || { \
		echo "make $@ needs a nightly compiler with its sources:"; \
		echo "    rustup toolchain install nightly --component rust-src"; exit 1; }
	CARGO_TARGET_DIR=target/$@ RUSTFLAGS="-C target-cpu=x86-64-v3 -Zsanitizer=$(SANITIZER)" cargo $(SANITIZED)
asan: SANITIZER = address
tsan: SANITIZER = thread

## The Python extension, which no sanitizer is compiled into: 7 minutes.
memcheck: venv
	$(VENV)/bin/python tests/reliability/memcheck.py

## The same games on every way to step them, as one table of checksums.
same-bytes: venv build
	$(VENV)/bin/pip install --quiet xxhash
	cargo build
	$(VENV)/bin/python tests/reliability/same_bytes.py --debug target/debug/ludovec

## 1,000 clients and 200 fleets killed, stopped, starved, in the way of others; what is left over is counted.
kills: build
	$(PYTHON) tests/reliability/kills.py

## 500 connections, slow clients and large bodies for `ludovec web` and `ludovec bot-server`.
load: build
	$(PYTHON) tests/reliability/load.py

## Random calls of the Python package from four threads for MINUTES, then leaks over 10^6 calls of a kind.
stress: MINUTES = 60
stress: venv
	$(VENV)/bin/python python/tests/stress.py --minutes $(MINUTES)
	$(VENV)/bin/python python/tests/stress.py --leaks

## Random games under random options in every environment until DECISIONS were played; goes on where it was stopped.
soak: DECISIONS = 1000000000
soak: build
	for env in $(patsubst game-%,%,$(GAME_FEATURES)); do \
		target/release/soak $$env --decisions $(DECISIONS) --state target/soak-$$env.json || exit 1; \
	done
