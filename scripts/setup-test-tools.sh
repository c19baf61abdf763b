#!/usr/bin/env bash
# Installs the programs that tests need beyond `npm ci`, where they are missing (Debian and its relatives).
# Safe to run again: with everything there it changes nothing and needs no network.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"

# Whether one of the programs `a|b` is there.
is_there() {
  local program
  for program in ${1//|/ }; do
    if command -v "$program" >/dev/null 2>&1; then return 0; fi
  done
  return 1
}

# The first of the packages `a|b` that the distribution has; the last where it is not known of any.
first_known() {
  local package
  for package in ${1//|/ }; do
    if LC_ALL=C apt-cache policy "$package" | grep 'Candidate: [^(]' >/dev/null; then break; fi
  done
  echo "$package"
}

packages=()
while read -r program needed; do
  case "$program" in '' | '#'*) continue ;; esac
  if ! is_there "$program"; then
    # shellcheck disable=SC2206 # several packages stand on one line
    packages+=($needed)
  fi
done <"$here/test-tools.txt"

# A compiler without the C library's headers is no use either.
if [ ! -e /usr/include/stdio.h ]; then packages+=(libc6-dev); fi

# The versions of nats-server that Debian's releases have, unpacked next to each other: tests run on the newest, and see
# that the others are refused. Tests look for them in this folder, or for a nats-server in the path.
servers="${XDG_CACHE_HOME:-$HOME/.cache}/baton-test-tools/nats-server"
unpack_servers() {
  local suite archive folder options
  # Where this machine has its packages from: other releases are next to its own.
  archive="$(apt-get --print-uris update | sed -n "s|^'\\(.*\\)/dists/$(. /etc/os-release && echo "$VERSION_CODENAME")/InRelease'.*|\\1|p" | head -n 1)"
  if [ -z "$archive" ]; then
    echo "test tools: no archive of Debian is known here; put a nats-server 2.12.7 or newer into the path by hand." >&2
    return 1
  fi
  for suite in "$@"; do
    folder="$(mktemp -d)"
    mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive $suite main" >"$folder/sources.list"
    options=(-q -o "Dir::Etc::sourcelist=$folder/sources.list" -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$folder/lists"
      -o "Dir::Cache=$folder/cache" -o Acquire::Languages=none -o APT::Sandbox::User=root)
    (cd "$folder" && apt-get "${options[@]}" update && apt-get "${options[@]}" download nats-server)
    dpkg-deb -x "$folder"/nats-server_*.deb "$folder/unpacked"
    mkdir -p "$servers/$suite"
    mv "$(find "$folder/unpacked" -type f -name nats-server | head -n 1)" "$servers/$suite/nats-server"
    rm -rf "$folder"
  done
}

suites=()
for suite in bookworm trixie forky; do
  if [ ! -x "$servers/$suite/nats-server" ]; then suites+=("$suite"); fi
done
if [ "${#suites[@]}" -gt 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo "test tools: unpacking nats-server of ${suites[*]}"
  unpack_servers "${suites[@]}"
fi

# What tests have from npm and `npm ci` does not bring, in the versions of its fixture: the hook managers next to which the gate
# is tested, whose own install scripts would set up hooks here, and the oldest Node that runs Baton.
for fixture in tests/e2e/hook-managers tests/launcher/oldest-node; do
  tool="${XDG_CACHE_HOME:-$HOME/.cache}/baton-test-tools/$(basename "$fixture")"
  if ! cmp -s "$here/../$fixture/package.json" "$tool/package.json"; then
    echo "test tools: fetching $(basename "$fixture")"
    fresh="$(mktemp -d)"
    cp "$here/../$fixture/package.json" "$fresh/"
    (cd "$fresh" && npm install --ignore-scripts --no-package-lock --no-audit --no-fund)
    rm -rf "$tool"
    mkdir -p "$(dirname "$tool")"
    mv "$fresh" "$tool"
  fi
done

if [ "${#packages[@]}" -eq 0 ]; then
  echo "test tools: all there"
  exit 0
fi
echo "test tools: installing ${packages[*]}"
if ! command -v apt-get >/dev/null 2>&1; then
  echo "test tools: no apt-get here; install ${packages[*]} by hand. Without them some tests are skipped." >&2
  exit 1
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then as_root=(sudo -n); fi
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -q
chosen=()
for package in "${packages[@]}"; do chosen+=("$(first_known "$package")"); done
"${as_root[@]}" apt-get install -q -y --no-install-recommends "${chosen[@]}"
