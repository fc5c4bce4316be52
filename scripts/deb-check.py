#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Installs the Debian packages in fresh roots of Debian 12 and 13, and runs their autopkgtests there.

For each suite: debootstrap into build/deb-check/SUITE (kept for the next run); packages of that suite, which are those
of `make deb` where this machine is of that suite, and else are built inside from the same source; each test of
debian/tests/control in a root of its own; then installation and purge, after which no file may be left.
With --reproducible instead: two builds of different path, time zone, umask, language and home give the same packages.
Runs as root. Exit: 0 all is well, 1 something failed, 4 nothing failed, but a suite was not to be had.
"""
import argparse
import contextlib
import filecmp
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TREE = pathlib.Path(__file__).resolve().parents[1]
SUITES = {"bookworm": "Debian 12", "trixie": "Debian 13"}
PLACE = TREE / "build/deb-check"
NOBODY = 65534
# What installing and purging any package leaves behind: records of dpkg and apt, caches, logs.
NOT_OURS = re.compile(r"/(proc|sys|dev|tmp|run|root|local|etc/ld\.so\.cache|var/(log|cache|lib/(dpkg|apt|systemd)))"
                      r"(/|$)")
NOT_INSTALLABLE = "left out: what it needs is not installable there"
RESTRICTIONS = {"allow-stderr", "needs-root", "breaks-testbed", "skip-not-installable"}


class Failure(Exception):
    pass


class Absent(Exception):
    pass


def said(*command):
    return subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stdout


def run(command, log, environment=None):
    ended = subprocess.run(list(map(str, command)), stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                           env=os.environ | (environment or {}))
    if ended.returncode:
        what = " ".join(map(str, command)).replace("\n", "; ")
        raise Failure(f"...{what[-100:]}: exit {ended.returncode}")


def archive():
    """The address of Debian's main archive on this machine, and its proxy."""
    lines = said("apt-get", "indextargets", "--format", "$(LABEL) $(REPO_URI)", "Created-By: Packages").splitlines()
    addresses = [line.split()[1] for line in lines if line.startswith("Debian ")]
    if not addresses:
        raise Failure("apt knows no archive of Debian's on this machine")
    proxy = re.search(r"='(.*)'", said("apt-config", "shell", "proxy", "Acquire::http::Proxy"))
    return addresses[0], proxy[1] if proxy else ""


class Box:
    """A separate root. Everything written into it is gone at the end."""

    def __init__(self, lower, repository, log):
        self.lower, self.repository, self.log = lower, repository, log

    def __enter__(self):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="box-", dir=PLACE))
        self.root = self.place / "root"
        for folder in ("upper", "work", "root"):
            (self.place / folder).mkdir()
        layers = f"lowerdir={self.lower},upperdir={self.place}/upper,workdir={self.place}/work"
        run(["mount", "-t", "overlay", "overlay", "-o", layers, self.root], self.log)
        run(["mount", "--rbind", "/dev", self.root / "dev"], self.log)
        if self.repository:
            shutil.copytree(self.repository, self.root / "local", dirs_exist_ok=True)
            (self.root / "etc/apt/sources.list.d/local.list").write_text("deb [trusted=yes] file:/local ./\n")
            self.run("apt-get -qq update")
        return self

    def __exit__(self, *_):
        subprocess.run(["umount", "-R", "-l", self.root], check=False)
        shutil.rmtree(self.place, ignore_errors=True)

    def run(self, script, folder="/", user=0, **environment):
        run(inside(self.root, script, folder, user), self.log, in_there(environment))

    def packages(self):
        return said("chroot", self.root, "dpkg-query", "-W", "-f", "${Package}\n").split()

    def files(self):
        return {path for path in said("find", self.root, "-xdev", "-printf", "/%P\n").splitlines()
                if not NOT_OURS.match(path)}


def in_there(environment):
    return {"LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive", "HOME": "/root",
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", **environment}


def inside(root, script, folder="/", user=0):
    """A command in the root. Its processes end with it, and see no other processes."""
    return ["unshare", "--pid", "--fork", "--kill-child", f"--mount-proc={root}/proc",
            "chroot", f"--userspec={user}:{user}", root, "/bin/sh", "-ec", f"cd {folder}\n{script}"]


def make_root(suite, log):
    address, proxy = archive()
    with tempfile.TemporaryDirectory() as folder:
        got = subprocess.run(["/usr/lib/apt/apt-helper", "download-file", f"{address}dists/{suite}/InRelease",
                              f"{folder}/InRelease"], capture_output=True, text=True)
    if got.returncode:
        raise Absent((got.stderr.strip().splitlines() or ["no reason given"])[-1])
    root = PLACE / suite
    if not root.exists():
        half = PLACE / f"{suite}.half"  # no run uses half a root
        shutil.rmtree(half, ignore_errors=True)
        run(["debootstrap", "--variant=minbase", suite, half, address], log, {"http_proxy": proxy} if proxy else None)
        if proxy:
            (half / "etc/apt/apt.conf.d/01proxy").write_text(f'Acquire::http::Proxy "{proxy}";\n')
        half.rename(root)
    hosts = root / "etc/hosts"
    if not hosts.exists():  # which the installer usually makes
        hosts.write_text("127.0.0.1 localhost\n::1 localhost\n")
    run(inside(root, "apt-get -qq update; apt-get -qq -y dist-upgrade; apt-get clean"), log, in_there({}))
    return root


def commit_of(folder):
    """The commit of the source package in the folder. Nothing if there is no source package, or if some of its packages
    are missing."""
    sources, changes = list(folder.glob("datum_*.orig.tar.xz")), list(folder.glob("datum_*_*.changes"))
    if len(sources) != 1 or not changes:
        return None
    return said("sh", "-c", 'xz -dc "$1" | git get-tar-commit-id', "-", sources[0]).strip()


def built_here(log):
    folder = TREE / "build/deb"
    if commit_of(folder) != said("git", "-C", TREE, "rev-parse", "HEAD").strip():
        run([TREE / "scripts/deb.sh"], log)
    return folder


def built_inside(suite, root, log):
    """Packages built from the same source by that suite's compiler, with the tests of dh_auto_test."""
    folder = PLACE / f"packages-{suite}"
    if commit_of(folder) == said("git", "-C", TREE, "rev-parse", "HEAD").strip():
        return folder
    run([TREE / "scripts/deb.sh", "--source", "--out", folder, "--work", PLACE / "work"], log)
    for changes in folder.glob("*_source.changes"):
        changes.unlink()
    with Box(root, None, log) as box:
        place = box.root / "build"
        shutil.copytree(folder, place)
        (dsc,) = folder.glob("*.dsc")
        box.run(f"apt-get -qq -y --no-install-recommends install dpkg-dev; "
                f"apt-get -qq -y --no-install-recommends build-dep ./{dsc.name}; dpkg-source -x {dsc.name} source; "
                f"chown -R {NOBODY}:{NOBODY} .", "/build")
        box.run("dpkg-buildpackage --no-sign --build=binary", "/build/source", NOBODY, HOME="/nonexistent",
                DEB_BUILD_OPTIONS=os.environ.get("DEB_BUILD_OPTIONS", ""))
        for file in place.iterdir():
            if file.suffix in (".deb", ".changes", ".buildinfo"):
                shutil.copy(file, folder)
    return folder


@contextlib.contextmanager
def repository_of(packages):
    """The repository that apt reads inside the root, and the source whose tests are run."""
    with tempfile.TemporaryDirectory(dir=PLACE) as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        for package in packages.glob("*.deb"):
            shutil.copy(package, folder)
        with open(folder / "Packages", "w") as index:
            subprocess.run(["dpkg-scanpackages", "--multiversion", "."], cwd=folder, check=True, stdout=index,
                           stderr=subprocess.DEVNULL)
        (dsc,) = packages.glob("*.dsc")
        run(["dpkg-source", "--no-check", "-x", dsc, folder / "source"], subprocess.DEVNULL)
        yield folder


def tests_of(source):
    """The stanzas of debian/tests/control as (name, depends, restrictions)."""
    text = re.sub(r"^#.*\n", "", (source / "debian/tests/control").read_text(), flags=re.M)
    for stanza in filter(str.strip, re.split(r"\n\s*\n", text)):
        fields = {name: " ".join(value.split()).rstrip(",")
                  for name, value in re.findall(r"^([\w-]+):((?:.*\n?)(?:[ \t].*\n?)*)", stanza, re.M)}
        restrictions = set(re.split(r"[,\s]+", fields.pop("Restrictions", ""))) - {""}
        unknown = (set(fields) - {"Tests", "Depends"}) | (restrictions - RESTRICTIONS)
        if unknown:
            raise Failure(f"debian/tests/control: {', '.join(sorted(unknown))}: not understood here")
        for name in fields["Tests"].split():
            yield name, fields["Depends"], restrictions


def run_test(name, depends, restrictions, root, repository, log):
    with Box(root, repository, log) as box:
        satisfy = f'apt-get -y --no-install-recommends satisfy "{depends}"'
        if "skip-not-installable" in restrictions:
            try:
                run(inside(box.root, satisfy + " --simulate"), log, in_there({}))
            except Failure:
                return NOT_INSTALLABLE
        box.run(satisfy)
        user = 0 if "needs-root" in restrictions else NOBODY
        box.run(f"mkdir /tmp/artifacts; chown -R {user}:{user} /local/source /tmp/artifacts")
        box.run(f"debian/tests/{name}", "/local/source", user, AUTOPKGTEST_TMP="/tmp/artifacts", HOME="/tmp/artifacts")
    return "ok"


def install_and_purge(root, repository, log):
    ours = sorted(package.name.split("_")[0] for package in repository.glob("*.deb"))
    with Box(root, repository, log) as box:
        before, had = box.files(), set(box.packages())
        box.run("apt-get -y --no-install-recommends install " + " ".join(ours))
        new = [package for package in box.packages() if package not in had]
        box.run("apt-get -y purge " + " ".join(new))
        left = sorted(box.files() - before)
    if left:
        raise Failure("left behind after purge: " + ", ".join(left[:20]))
    return "ok"


class Report:
    def __init__(self):
        self.failed = self.absent = self.left_out = 0

    def step(self, suite, name, action):
        log_path = PLACE / f"{suite}-{name}.log"
        begun = time.monotonic()
        try:
            with open(log_path, "w") as log:
                result, word = action(log), ""
        except Absent as reason:
            self.absent += 1
            result, word = None, f"absent: {SUITES.get(suite, suite)} ({suite}) is not to be had: {reason}"
        except (Failure, subprocess.CalledProcessError, OSError) as reason:
            self.failed += 1
            result, word = None, f"FAILED: {reason}; all of it: {log_path}"
        self.left_out += result == NOT_INSTALLABLE
        text = result if isinstance(result, str) else word or "ok"
        print(f"{suite:9} {name:20} {time.monotonic() - begun:6.0f} s  {text}", flush=True)
        return result


def check_suite(suite, report):
    root = report.step(suite, "debootstrap", lambda log: make_root(suite, log))
    if not root:
        return
    build = built_here if suite == own_suite() else lambda log: built_inside(suite, root, log)
    packages = report.step(suite, "packages", build)
    if not packages:
        return
    with repository_of(packages) as repository:
        for name, depends, restrictions in tests_of(repository / "source"):
            report.step(suite, name, lambda log: run_test(name, depends, restrictions, root, repository, log))
        report.step(suite, "install-and-purge", lambda log: install_and_purge(root, repository, log))


def own_suite():
    return re.search(r"^VERSION_CODENAME=(\w+)", pathlib.Path("/etc/os-release").read_text(), re.M)[1]


def build_variant(number, log):
    """Builds without tests, because no package contains them."""
    place = PLACE / ("first", "second/one-more-folder")[number]
    home = PLACE / f"home{number}"
    home.mkdir(parents=True, exist_ok=True)
    environment = ({"TZ": "UTC", "LC_ALL": "C.UTF-8"}, {"TZ": "<+14>-14", "LC_ALL": "C", "LANGUAGE": "de"})[number]
    out = PLACE / f"packages-{('first', 'second')[number]}"
    run(["sh", "-c", f'umask {("022", "077")[number]}; exec "$@"', "-", TREE / "scripts/deb.sh", "--work", place,
         "--out", out], log, environment | {"HOME": str(home), "DEB_BUILD_OPTIONS": "nocheck"})
    return out


def compare(first, second, log):
    """Compares all files except .buildinfo and .changes, which describe the build itself."""
    names = {path.name for folder in (first, second) for path in folder.iterdir()
             if path.suffix in (".deb", ".dsc", ".xz")}
    if not any(name.endswith(".deb") for name in names):
        raise Failure("there is no package to compare")
    _, different, missing = filecmp.cmpfiles(first, second, names, shallow=False)
    for name in different if shutil.which("diffoscope") else ():
        subprocess.run(["diffoscope", first / name, second / name], stdout=log, stderr=log, check=False)
    if different or missing:
        raise Failure("not the same: " + ", ".join(sorted(different + missing)))
    return f"{len(names)} files are the same, octet by octet"


def check_reproducible(report):
    built = [report.step(own_suite(), f"build-{number + 1}", lambda log: build_variant(number, log))
             for number in (0, 1)]
    if all(built):
        report.step(own_suite(), "compare", lambda log: compare(*built, log))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--reproducible", action="store_true", help="build twice and compare")
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=f"of {', '.join(SUITES)} (default: all)")
    arguments = parser.parse_args()
    unknown = set(arguments.suites) - set(SUITES)
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: known suites are {', '.join(SUITES)}")
    if os.geteuid() != 0 and not arguments.reproducible:
        parser.error("a root of another suite is made and entered as root")
    # Everything mounted here is gone when this process ends. The word is removed from the
    # environment, because dat-info judges the environment.
    if not arguments.reproducible and os.environ.pop("DEB_CHECK_INSIDE", "") != "yes":
        os.environ["DEB_CHECK_INSIDE"] = "yes"
        os.execvp("unshare", ["unshare", "--mount", sys.executable, *sys.argv])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # as an exception, which cleans up
    PLACE.mkdir(parents=True, exist_ok=True)
    report = Report()
    if arguments.reproducible:
        check_reproducible(report)
    else:
        for suite in arguments.suites or SUITES:
            check_suite(suite, report)
    print(f"deb-check: {report.failed} failed, {report.absent} absent, {report.left_out} tests left out; "
          f"logs are in {PLACE}")
    return 1 if report.failed else 4 if report.absent else 0


if __name__ == "__main__":
    sys.exit(main())
