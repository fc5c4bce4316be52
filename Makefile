# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The front door. Each target is one line onto CMake or a script; nothing is decided here.
PREFIX ?= /usr/local
DESTDIR ?=
DEBUG_INFO ?= apart
GROUPS_WANTED := $(or $(GROUPS),build test)

.DEFAULT_GOAL := all
.PHONY: all deps demo test check bench siw system arch machine fuzz soak strict old-release mutants coverage install uninstall deb deb-check dist portable rpm editor format clean help

all: ## build libraries, tools and examples into build/release (installs nothing)
	@scripts/deps.sh --check build
	@scripts/build.sh release

deps: ## install missing Debian packages; GROUPS="build test check interop bench coverage siw system arch machine deb dist portable rpm musl"
	@scripts/deps.sh $(GROUPS_WANTED)

demo: ## copy a real tree between two processes by RDMA, verify it, measure it
	@scripts/deps.sh build
	@scripts/build.sh release
	@scripts/demo.sh $(ARGS)

test: ## build with assertions and run every test; ARGS go to ctest
	@scripts/deps.sh build test
	@scripts/build.sh dev
	@scripts/test.sh dev $(ARGS)

check: ## all that CI does; ARGS name single stages
	@.ci/run $(ARGS)

bench: ## measure against the limits of this machine
	@scripts/deps.sh build bench
	@scripts/build.sh bench
	@scripts/bench.sh $(ARGS)

siw: ## TCP against the kernel's siw, in a virtual machine; ARGS go to its GoogleTest
	@scripts/deps.sh build test check siw
	@scripts/siw.sh $(ARGS)

system: ## build and test on another suite of Debian, in a root of its own; SUITE=trixie or sid
	@scripts/deps.sh system
	@scripts/system.sh $(SUITE) $(ARGS)

arch: ## build for another processor and test it under an emulator; ARCH=arm64, ppc64el, s390x or riscv64
	@scripts/deps.sh build test arch
	@scripts/arch.sh $(ARCH) $(ARGS)

machine: ## test in a whole virtual machine; MACHINE=arm64 (another processor) or 5.10 (Debian 11's kernel)
	@scripts/deps.sh build test machine
	@scripts/machine.sh $(MACHINE) $(ARGS)

fuzz: ## fuzz every decoder and the shared-memory protocol, the long run
	@scripts/deps.sh build test check
	@scripts/build.sh fuzz
	@scripts/fuzz.sh $(ARGS)

soak: ## the long runs: stress under sanitizers, a wire that fails, seeds, kills
	@scripts/deps.sh build test check
	@scripts/soak.sh $(ARGS)

strict: ## the whole conformance suite by the letter of the manual, on every transport; ARGS go to ctest
	@scripts/deps.sh build test
	@scripts/build.sh dev
	@DATUM_STRICT=on scripts/test.sh dev -L conformance $(ARGS)

old-release: ## this tree and the first release, or ARGS=COMMIT, meet: shared memory, TCP, one process
	@scripts/deps.sh build test
	@tests/versions/with_old_build.sh $(ARGS) || [ $$? -eq 77 ]

mutants: ## mutation testing of the tests
	@scripts/deps.sh build test
	@scripts/mutants.sh $(ARGS)

coverage: ## line coverage of the tests, a line per folder
	@scripts/deps.sh build test coverage
	@scripts/build.sh coverage
	@scripts/coverage.sh

install: ## install the release build; DESTDIR= PREFIX=/usr/local DEBUG_INFO=apart|inside
	@scripts/deps.sh --check build
	@DEBUG_INFO="$(DEBUG_INFO)" scripts/install.sh "$(DESTDIR)" "$(PREFIX)"

uninstall: ## remove what make install put there, with the same DESTDIR and PREFIX
	@scripts/uninstall.sh "$(DESTDIR)" "$(PREFIX)"

deb: ## build Debian packages of the last commit into build/deb
	@scripts/deps.sh build test deb
	@scripts/deb.sh $(ARGS)

deb-check: ## try them in roots of Debian 12 and 13, as root; ARGS=--reproducible: build twice, compare
	@scripts/deps.sh build test deb
	@scripts/deb-check.py $(ARGS)

dist: ## pack the committed source, reproducibly: build/dist/datum-VERSION.tar.xz
	@scripts/deps.sh dist
	@scripts/dist.sh

portable: ## pack what runs wherever it is unpacked: build/portable/*.tar.xz
	@scripts/deps.sh build portable
	@scripts/portable.sh

rpm: ## build build/rpm/*.rpm
	@scripts/deps.sh build rpm
	@scripts/rpm.sh

editor: ## write build/editor/compile_commands.json for clangd; builds nothing
	@scripts/deps.sh --check build test
	@scripts/configure.sh editor

format: ## lay out the C and C++ source with clang-format
	@scripts/format.sh

clean: ## remove build/
	rm -rf build

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
