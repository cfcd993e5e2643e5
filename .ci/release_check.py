"""Checks that the checkout can be released: python .ci/release_check.py. Prints problems, one a line; then exits with 1."""

import json
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import released

ROOT = Path(__file__).parents[1]
LARGEST_CRATE = 10 * 2**20
#: Licences of dependencies that are compatible with MIT; one of several alternatives is enough.
LICENCES = {
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
}


def run(*command):
    """Exit code and output of a command in the checkout."""
    done = subprocess.run(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def version_in(file, pattern):
    found = re.search(pattern, (ROOT / file).read_text(), re.M)
    return found[1] if found else None


def allowed(expression):
    """True if a licence expression can be satisfied: every part joined by AND by one of its alternatives."""
    parts = re.split(r" AND ", expression.replace("(", "").replace(")", ""))
    return all(LICENCES & set(re.split(r" OR | ?/ ?", part)) for part in parts)


def versions(version):
    """The version is equal in all files and in the changelog, and its tag is free."""
    for file, pattern in {
        "CITATION.cff": r"^version: (.+)",
        "Cargo.lock": r'^name = "ludovec"\nversion = "(.+)"',
    }.items():
        found = version_in(file, pattern)
        if found != version:
            yield f"{file}: version {found}, Cargo.toml has {version}"
    heading = version_in("CHANGELOG.md", rf"^## ({re.escape(version)}.*)")
    if heading is None:
        yield f"CHANGELOG.md: no section for {version}"
    elif not re.search(r"\d{4}-\d{2}-\d{2}", heading):
        yield f"CHANGELOG.md: the section {heading!r} has no date"
    if run("git", "tag", "--list", f"v{version}")[1].strip():
        yield f"the tag v{version} is taken"


def clean():
    """Everything is committed."""
    changed = run("git", "status", "--porcelain")[1].rstrip()
    if changed:
        yield f"not committed: {', '.join(line[3:] for line in changed.splitlines())}"


def licences():
    """Licences of all dependencies that are compiled in."""
    _, told = run("cargo", "metadata", "--format-version", "1", "--all-features")
    packages = json.loads(told[told.index("{") :])["packages"]
    for package in packages:
        # Packages of the workspace have no source.
        if package["source"] and not allowed(package["license"] or "none"):
            yield f"{package['name']}: licence {package['license']}"


def crates(version):
    """The packages of `cargo publish --workspace`, without compiling them."""
    code, told = run("cargo", "publish", "--workspace", "--dry-run", "--no-verify", "--allow-dirty")
    if code:
        yield f"cargo publish --dry-run: {told.strip().splitlines()[-1]}"
        return
    for line in told.splitlines():
        if line.startswith("warning:") and "aborting upload due to dry run" not in line and "ignoring" not in line:
            yield f"cargo publish --dry-run: {line}"
    target = json.loads(run("cargo", "metadata", "--format-version", "1", "--no-deps")[1])["target_directory"]
    for file in sorted(Path(target).glob(f"package/**/*-{version}.crate")):
        name, size = file.name, file.stat().st_size
        print(f"{name}: {size / 2**20:.1f} MiB")
        if size > LARGEST_CRATE:
            yield f"{name} has {size} bytes, {LARGEST_CRATE} are allowed"
        with tarfile.open(file) as archive:
            packed = {member.partition("/")[2] for member in archive.getnames()}
        if "LICENSE" not in packed:
            yield f"{name} lacks the text of its licence"
        if ".cargo/config.toml" in packed:
            yield f"{name} has the settings of the checkout, with which it needs a newer processor"


def tools():
    """The citation and the source distribution, checked by the tools beside this Python."""
    beside = Path(sys.executable).parent
    code, told = run(beside / "cffconvert", "--validate", "--infile", "CITATION.cff")
    if code:
        yield f"CITATION.cff: {told.strip().splitlines()[-1]}"
    code, told = run(beside / "maturin", "sdist", "--out", "target/dist")
    if code:
        yield f"maturin sdist: {told.strip().splitlines()[-1]}"
        return
    # Cargo refuses to build if the source file of a target in a manifest is missing. Packages that the extension
    # does not need are left out, with their manifests.
    with tarfile.open(max((ROOT / "target/dist").glob("*.tar.gz"), key=os.path.getmtime)) as archive:
        packed = {name.partition("/")[2] for name in archive.getnames()}
    if ".cargo/config.toml" in packed:
        yield "the source distribution has the settings of the checkout, with which it needs a newer processor"
    for package in json.loads(run("cargo", "metadata", "--format-version", "1", "--no-deps")[1])["packages"]:
        packed_too = str(Path(package["manifest_path"]).relative_to(ROOT)) in packed
        for target in package["targets"] if packed_too else ():
            file = str(Path(target["src_path"]).relative_to(ROOT))
            if file not in packed:
                yield f"the source distribution cannot be built: it lacks {file}"


def main():
    version = version_in("Cargo.toml", r'^version = "(.+)"')
    findings = [*clean(), *released.findings(), *versions(version), *licences(), *crates(version), *tools()]
    for finding in findings:
        print(finding)
    print(f"ludovec {version}: {'ready' if not findings else 'not ready'}")
    return int(bool(findings))


if __name__ == "__main__":
    sys.exit(main())
