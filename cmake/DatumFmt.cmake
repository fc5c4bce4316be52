# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# datum_fmt: the target of fmt that we link with. It is header-only, because the soname of the
# shared library changes with each major version, and an installed Datum has to run on the
# distribution's next release, too. Header-only fmt is compiled into each source that formats, which
# takes a third of the time of compiling the tools. Builds that only run tests take the shared
# library.
option(DATUM_SHARED_FMT "Link with the shared libfmt, for builds that are not installed elsewhere" OFF)
find_package(fmt REQUIRED)
set(datum_fmt $<IF:$<BOOL:${DATUM_SHARED_FMT}>,fmt::fmt,fmt::fmt-header-only>)
