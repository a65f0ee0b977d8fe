# The two commands of the README, and the rest of the daily work.
.PHONY: setup build demo test slow fuzz bench docs clean
PRESET ?= release
FUZZ_SECONDS ?= 5
export CMAKE_BUILD_PARALLEL_LEVEL ?= 2

setup:
	@scripts/setup

build: setup
	@cmake --preset $(PRESET) --log-level=WARNING
	@cmake --build --preset $(PRESET)

# The main job on the embedded tables.
demo: build
	@scripts/demo build/$(PRESET)/actkit

# All tests but the slow ones, then every fuzz target for a few seconds (clang, address and undefined-behaviour sanitizers).
test: build
	@ctest --preset $(PRESET) -j $(CMAKE_BUILD_PARALLEL_LEVEL)
	@scripts/fuzz $(FUZZ_SECONDS)

# Every input of every conversion and function: hours.
slow: build
	@ctest --preset slow

# Measures and rewrites the tables of docs/performance.md; run it on a quiet machine.
bench:
	@scripts/setup packages-bench.txt
	@cmake --preset bench --log-level=WARNING
	@cmake --build --preset bench --target codec_bench evaluator_bench simulator_bench lowering_bench
	@build/bench/bench/codec_bench --write=docs/performance.md
	@build/bench/bench/evaluator_bench --write=docs/performance.md
	@build/bench/bench/simulator_bench --write=docs/performance.md
	@build/bench/bench/lowering_bench --write=docs/performance.md
	@scripts/loop_counts.py build/bench/bench/simulator_bench docs/performance.md

fuzz: setup
	@scripts/fuzz 300

# Documents that follow from the rows.
docs: build
	@build/$(PRESET)/actkit-docs .

clean:
	rm -rf build
