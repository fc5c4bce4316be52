#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""recipes_test.py <source>: the recipes of packaging/ can be parsed, describe themselves, and agree
with the project."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib
import unittest

source = pathlib.Path(sys.argv.pop(1))
packaging = source / 'packaging'
RECIPES = ['aur/PKGBUILD', 'conda/meta.yaml', 'nix/default.nix', 'vcpkg/portfile.cmake', 'vcpkg/vcpkg.json']
VERSION = re.search(r'^project\(datum VERSION (\S+)', (source / 'CMakeLists.txt').read_text(), re.M).group(1)


class Recipes(unittest.TestCase):
    def test_the_first_lines_say_that_it_is_not_tested(self):
        for recipe in RECIPES:
            head = ''.join((packaging / recipe).read_text().splitlines(keepends=True)[:4])
            self.assertIn('Not tested here', head, recipe)

    def test_each_names_the_version_of_the_project(self):
        for recipe, line in (('aur/PKGBUILD', f'pkgver={VERSION}'), ('conda/meta.yaml', f'version = "{VERSION}"'),
                             ('nix/default.nix', f'version = "{VERSION}";'),
                             ('vcpkg/vcpkg.json', f'"version": "{VERSION}"'), ('rpm/datum.spec', f'{VERSION}\n')):
            self.assertIn(line, (packaging / recipe).read_text(), recipe)
        for page in ('README.md', 'docs/portable.md'):
            self.assertIn(f'datum-{VERSION}-linux-x86_64.tar.xz', (source / page).read_text(), page)

    def test_each_builds_with_debug_information_and_takes_it_out(self):
        for recipe, lines in (('aur/PKGBUILD', ['-DCMAKE_BUILD_TYPE=RelWithDebInfo', 'options=(debug strip)']),
                              ('conda/meta.yaml', ['-DCMAKE_BUILD_TYPE=RelWithDebInfo', '--install build --strip']),
                              ('nix/default.nix', ['cmakeBuildType = "RelWithDebInfo"', 'separateDebugInfo = true']),
                              ('rpm/datum.spec', ['-DCMAKE_BUILD_TYPE=RelWithDebInfo', '%debug_package'])):
            for line in lines:
                self.assertIn(line, (packaging / recipe).read_text(), recipe)

    def test_the_headers_of_datum_are_packed_without_the_memory_extension_too(self):
        spec = (packaging / 'rpm/datum.spec').read_text()
        always = re.sub(r'^%if %\{with memory\}\n.*?^%endif\n', '', spec, flags=re.M | re.S)
        self.assertIn('%{_includedir}/datum\n', always)

    def test_none_names_a_server(self):
        for recipe in [*RECIPES, 'rpm/datum.spec', 'rpm/datum.rpmlintrc']:
            self.assertNotIn('://', (packaging / recipe).read_text(), recipe)

    def test_what_rpmlint_leaves_out_is_of_these_packages(self):
        said = subprocess.run([source / 'scripts/rpm.sh', '--policy'], capture_output=True, text=True, check=True).stdout
        filters = tomllib.loads(said)['Filters']
        rules = (packaging / 'rpm/datum.rpmlintrc').read_text().count('\naddFilter(')
        self.assertEqual(len(filters), rules)
        for line, is_left_out in (('libdat2-2.x86_64: E: no-signature', True), ('datum.src: E: no-signature', True),
                                  ('datum-provider.x86_64: W: no-documentation', True),
                                  ('datum-utils.x86_64: W: no-documentation', False),
                                  ('libdatrie1.x86_64: E: no-signature', False)):
            self.assertEqual(any(re.search(pattern, line) for pattern in filters), is_left_out, line)

    def test_those_that_can_be_read_here_are_read(self):
        json.loads((packaging / 'vcpkg/vcpkg.json').read_text())
        commands = [('bash', ['-n', packaging / 'aur/PKGBUILD']),
                    ('nix-instantiate', ['--parse', packaging / 'nix/default.nix'])]
        for program, arguments in commands:
            if shutil.which(program):
                done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == '__main__':
    unittest.main()
