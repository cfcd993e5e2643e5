# Everything a developer does, by name. `make venv` and the tests build the package as `pip install .` does.

PYTHON ?= python3
VENV := .venv
TORCH_VENV := .venv-torch
RAY_VENV := .venv-ray
LINT_VENV := .venv-lint
GAME_FEATURES := $(shell sed -n 's/^\(game-[a-z_]*\) = .*/\1/p' Cargo.toml)
# What checks Python code, and the typed libraries it is checked against: a new version may find more.
LINT_TOOLS := 'ruff>=0.17,<0.18' 'mypy>=2.4,<2.5' 'numpy>=2.2,<2.5' 'gymnasium>=1.4,<1.5' 'pettingzoo>=1.27,<1.28'
PACKAGE := pyproject.toml Cargo.toml Cargo.lock $(shell find src assets python/Cargo.toml python/src python/ludovec -type f -not -name '*.so' -not -name '*.pyc' 2>/dev/null)

.PHONY: test test-rust test-python test-torch test-ray test-long lint msrv pictures build venv bench

## Everything: builds and passes it all.
test: test-rust test-python

## The library, the program, the documentation's examples; the pinned rollouts also as other processors play them.
## Property tests draw the same cases in every run: what fails here is what the change did. `make test-long` explores.
test-rust: export PROPTEST_RNG_SEED = 1
test-rust:
	cargo test
	LUDOVEC_AVX512=off cargo test --test specs
	LUDOVEC_AVX2=off cargo test --test specs

## Formatting, clippy and documentation, warnings as errors; formatting, ruff and strict types of the Python code; each
## feature alone.
lint: $(LINT_VENV)/installed
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps
	$(LINT_VENV)/bin/ruff check
	$(LINT_VENV)/bin/ruff format --check
	$(LINT_VENV)/bin/mypy
	for feature in "" cli remote networks onnx raster $(GAME_FEATURES); do \
		cargo clippy --lib --no-default-features --features "$$feature" -- -D warnings || exit 1; \
	done

## The oldest Rust that the package promises to build with; rustup installs it.
msrv:
	cargo +$(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml) check --workspace

## Decisions per second of every environment by batch size, simulations per second of search, leaves of chess variants, beside cozy-chess in the same
## run; what shared memory costs.
bench:
	cargo bench --bench throughput
	cargo bench --bench search
	cargo bench --bench perft
	cargo bench --bench shared_memory

## The pictures of README.md, and every picture that is checked, as PNG in target/pictures.
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

## Python tests: numpy, Gymnasium, PettingZoo, JAX on CPU.
test-python: venv
	$(VENV)/bin/python -m pytest python/tests

## The tests that need torch, sb3-contrib, tianshou, RLlib, and what videos and windows are made with: gigabytes to install.
test-torch: $(TORCH_VENV)/installed
	$(TORCH_VENV)/bin/python -m pytest python/tests --run-training

## The tests on a Ray cluster, two nodes of it on this machine: 0.7 GB to install, 4 minutes on two busy cores.
test-ray: $(RAY_VENV)/installed
	$(RAY_VENV)/bin/python -m pytest python/tests/test_ray.py

$(VENV)/installed: EXTRAS = gym,pettingzoo,jax
$(TORCH_VENV)/installed: EXTRAS = gym,pettingzoo,torch,onnx,ray
$(TORCH_VENV)/installed: MORE = tianshou skrl moviepy pygame imageio-ffmpeg
$(RAY_VENV)/installed: EXTRAS = ray

# stable-baselines3 comes without torch: only its types are needed.
$(LINT_VENV)/installed: Makefile
	test -x $(@D)/bin/python || $(PYTHON) -m venv $(@D)
	$(@D)/bin/pip install --quiet $(LINT_TOOLS)
	$(@D)/bin/pip install --quiet --no-deps 'stable-baselines3>=2.9,<2.10'
	touch $@

# A second step installs the checkout itself, whatever version of it is there already.
%/installed: $(PACKAGE)
	test -x $*/bin/python || $(PYTHON) -m venv $*
	$*/bin/pip install --quiet pytest $(MORE) ".[$(EXTRAS)]"
	$*/bin/pip install --quiet --no-deps --force-reinstall .
	touch $@
