# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# A package for Nix, of the source that it lies in. Not tested here: the packages that it names come from elsewhere than
# Debian. nix-build packaging/nix
{ pkgs ? import <nixpkgs> { } }:

pkgs.stdenv.mkDerivation {
  pname = "datum";
  version = "0.1.0";
  src = pkgs.lib.cleanSource ../..;

  nativeBuildInputs = with pkgs; [ cmake ninja pkg-config pandoc ];
  buildInputs = with pkgs; [ fmt cli11 tl-expected xxHash isa-l ];

  cmakeBuildType = "RelWithDebInfo";
  separateDebugInfo = true;
  # Relative to the prefix, unlike what the hook of cmake gives: the pkg-config files are relocatable.
  cmakeFlags = [
    "-DCMAKE_INSTALL_LIBDIR=lib"
    "-DCMAKE_INSTALL_INCLUDEDIR=include"
    "-DCMAKE_INSTALL_BINDIR=bin"
    "-DCMAKE_INSTALL_DOCDIR=share/doc/datum"
    "-DCMAKE_INSTALL_MANDIR=share/man"
    "-DDATUM_TESTS=OFF"
    "-DDATUM_BENCH=OFF"
    "-DDATUM_EXAMPLES=OFF"
    "-DDATUM_MEMORY=off"
    "-DDATUM_PC_RPATH=ON"
  ];

  doInstallCheck = true;
  installCheckPhase = ''
    $out/bin/dat-info datum
    $out/bin/dat-info --dat2 datum
  '';

  meta = with pkgs.lib; {
    description = "Direct Access Transport (uDAPL) without RDMA hardware";
    license = with licenses; [ bsd2 gpl2Only ];
    platforms = platforms.linux;
  };
}
