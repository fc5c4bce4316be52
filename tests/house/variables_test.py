#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""variables_test.py <source>: only base/variables.cc reads the environment, and wherever a line
of dat.conf is shown, it has the same version of the provider."""
import pathlib
import re
import sys
import unittest

source = pathlib.Path(sys.argv.pop(1))

# The files that may read the environment themselves, and which variables each reads.
READERS = {
    'src/base/variables.cc': 'all of them',
    'src/registry/settings.cc': 'whether one is set that is not to be trusted',
    'tools/common/progress.cc': 'TERM',
    'tools/cp/client.cc': 'DAT_CP_TOKEN, of dat-cp alone',
    'tools/perf/child.cc': 'PATH',
    'tools/perf/local.cc': 'whether DATUM_LOG was set, for the log of both sides',
    'tools/run/launch.cc': 'what it changes for another program',
    'tools/run/program.cc': 'PATH',
}


class Variables(unittest.TestCase):
    # Rules: ENV.26
    def test_nothing_else_reads_the_environment(self):
        readers = set()
        for folder in ('src', 'tools'):
            for path in (source / folder).rglob('*.[ch]*'):
                if re.search(r'\bgetenv\(|\bsecure_getenv\(', path.read_text()):
                    readers.add(str(path.relative_to(source)))
        self.assertEqual(readers, set(READERS))


class ProviderVersion(unittest.TestCase):
    def test_every_line_of_datum_has_the_version_of_this_release(self):
        cmake = (source / 'CMakeLists.txt').read_text()
        version = re.search(r'project\(datum VERSION (\d+\.\d+)', cmake).group(1)
        found = {}
        for pattern in ('packaging/*.conf', 'docs/**/*.md', 'README.md', 'examples/*', 'scripts/*',
                        'tests/**/*.py', 'tests/**/*.cc', 'tests/**/CMakeLists.txt'):
            for path in filter(pathlib.Path.is_file, source.glob(pattern)):
                for each in re.findall(r'libdatum[12]?[^ ]* +\**datum\.(\d+\.\d+)\b',
                                       path.read_text(errors='replace')):
                    found.setdefault(each, set()).add(str(path.relative_to(source)))
        self.assertIn('packaging/service_provider.conf', found.get(version, ()))
        self.assertEqual(set(found), {version}, found)


unittest.main()
