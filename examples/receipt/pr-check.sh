#!/bin/sh
# Checks a pull request: each commit of an agent must have a receipt that holds. Put it beside verify.mjs and run it in the
# clone, with the whole history (git fetch --unshallow):
#
#   examples/receipt/pr-check.sh BASE HEAD       BASE such as origin/main
#
# A commit is an agent's where its message names a task (Baton-Task) or an agent (Assisted-by). The key comes from BASE, never
# from the pull request. Exits 0 when all have one, 1 when one has none or a false one.
set -eu
[ $# -eq 2 ] || { echo "usage: $0 BASE HEAD" >&2; exit 64; }
here=$(cd "$(dirname "$0")" && pwd)
base=$(git rev-parse --verify --quiet --end-of-options "$1^{commit}") || { echo "$1 is no commit here" >&2; exit 64; }
head=$(git rev-parse --verify --quiet --end-of-options "$2^{commit}") || { echo "$2 is no commit here" >&2; exit 64; }
remote=${BATON_REMOTE:-origin}
git fetch --quiet "$remote" "+refs/notes/baton:refs/notes/baton" 2>/dev/null || echo "no notes to fetch from $remote"

note=$(mktemp)
trap 'rm -f "$note"' EXIT
bad=0
printf '%-12s  %-12s  %s\n' commit result task
for commit in $(git rev-list --reverse "$base..$head"); do
  short=$(git rev-parse --short=12 "$commit")
  agent=$(git log -1 --format='%(trailers:key=Baton-Task,valueonly)%(trailers:key=Assisted-by,valueonly)' "$commit")
  result=none said=
  git notes --ref=refs/notes/baton show "$commit" >"$note" 2>/dev/null || : >"$note"
  while IFS= read -r line; do
    [ -n "$line" ] || continue
    if said=$(printf '%s' "$line" | node "$here/verify.mjs" - --key "$base:.baton/receipt.pub" --commit "$commit"); then
      result=proven
      break
    fi
    result=refused
  done <"$note"
  [ "$result" = proven ] || [ -z "$agent" ] || bad=1
  [ "$result" != none ] || [ -n "$agent" ] || result=person
  [ "$result" != none ] || said="an agent's commit without a receipt"
  printf '%-12s  %-12s  %s\n' "$short" "$result" "$(printf '%s' "$said" | tail -n 1)"
done
[ "$bad" -eq 0 ] || echo "Not all work of agents is proven: baton receipt --note, then git push $remote refs/notes/baton"
exit "$bad"
