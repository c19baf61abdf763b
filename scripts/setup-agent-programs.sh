#!/usr/bin/env bash
# Installs the agent programs that `npm run test:programs` runs, at the versions of agent-programs.txt, outside the
# lockfile: into BATON_AGENT_PROGRAMS, else .tmp/agent-programs. Safe to run again: with everything there it changes
# nothing and needs no network. It takes about 900 MB.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
folder="${BATON_AGENT_PROGRAMS:-$here/../.tmp/agent-programs}"
mkdir -p "$folder"
cd "$folder"

missing=()
while read -r package version; do
  case "$package" in '' | '#'*) continue ;; esac
  if ! grep -q "\"version\": \"$version\"" "node_modules/$package/package.json" 2>/dev/null; then
    missing+=("$package@$version")
  fi
done <"$here/agent-programs.txt"

if [ "${#missing[@]}" -eq 0 ]; then
  echo "agent programs: all there"
  exit 0
fi
echo "agent programs: installing ${missing[*]}"
[ -e package.json ] || echo '{"private":true}' >package.json
# Their install scripts only move what the packages for this platform bring; the tests call that directly.
npm install --no-audit --no-fund --ignore-scripts --save-exact "${missing[@]}"
