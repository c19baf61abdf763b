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
