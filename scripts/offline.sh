#!/usr/bin/env bash
# Runs a script of the repository in a network namespace that has loopback and nothing else, so that no agent program
# reaches its provider: scripts/offline.sh scripts/test.ts --programs
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# Without this right a user becomes root inside a namespace of his own; his files stay his.
as_root=()
if [ "$(id -u)" -ne 0 ]; then as_root=(--map-root-user); fi
# shellcheck disable=SC2016 # the inner shell fills in its arguments
exec unshare "${as_root[@]}" --net sh -c 'ip link set lo up && exec node_modules/.bin/node "$@"' sh "$@"
