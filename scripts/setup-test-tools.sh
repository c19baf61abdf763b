#!/usr/bin/env bash
# Installs the programs that tests need beyond `npm ci`, where they are missing (Debian and its relatives).
# Safe to run again: with everything there it changes nothing and needs no network.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"

packages=()
while read -r program needed; do
  case "$program" in '' | '#'*) continue ;; esac
  if ! command -v "$program" >/dev/null 2>&1; then
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
"${as_root[@]}" apt-get install -q -y --no-install-recommends "${packages[@]}"
