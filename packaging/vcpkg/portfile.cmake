# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# A port for vcpkg. Not tested here: the ports that it names come from elsewhere than Debian.
# SOURCE_URL and SOURCE_SHA512: where the tarball of `make dist` was published, and its checksum.
vcpkg_download_distfile(archive
  URLS "${SOURCE_URL}"
  FILENAME "datum-${VERSION}.tar.xz"
  SHA512 "${SOURCE_SHA512}")
vcpkg_extract_source_archive(source ARCHIVE "${archive}")
vcpkg_cmake_configure(
  SOURCE_PATH "${source}"
  OPTIONS -DDATUM_TESTS=OFF -DDATUM_BENCH=OFF -DDATUM_EXAMPLES=OFF -DDATUM_MEMORY=off -DDATUM_ISAL=off)
vcpkg_cmake_install()
vcpkg_copy_tools(TOOL_NAMES dat-cp dat-info dat-info2 dat-perf dat-ping dat-run datadm AUTO_CLEAN)
vcpkg_cmake_config_fixup(PACKAGE_NAME Datum CONFIG_PATH lib/cmake/Datum)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${source}/LICENSE" "${source}/LICENSES/BSD-2-Clause.txt"
  "${source}/LICENSES/GPL-2.0-only.txt")
