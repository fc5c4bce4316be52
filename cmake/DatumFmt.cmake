# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# datum_fmt: the target of fmt that we link with. Header-only: the soname of the shared library changes with each major
# version, and what is installed has to run on the next release of the distribution too. That compiles a copy in each
# source that formats, which is a third of the time of the tools; builds that only run tests take the shared library.
option(DATUM_SHARED_FMT "Link with the shared libfmt, for builds that are not installed elsewhere" OFF)
find_package(fmt REQUIRED)
set(datum_fmt $<IF:$<BOOL:${DATUM_SHARED_FMT}>,fmt::fmt,fmt::fmt-header-only>)
