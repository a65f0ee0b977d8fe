# The two commands of the README, and the rest of the daily work.
.PHONY: setup build demo test slow fuzz bench docs clean
PRESET ?= release
export CMAKE_BUILD_PARALLEL_LEVEL ?= 2

setup:
	@scripts/setup

build: setup
	@cmake --preset $(PRESET) --log-level=WARNING
	@cmake --build --preset $(PRESET)

test: build
	@ctest --preset $(PRESET) -j $(CMAKE_BUILD_PARALLEL_LEVEL)

clean:
	rm -rf build
