#!/usr/bin/env bash
# Four agents hand a story down the line, pm to sm to dev to qa, each with a handoff document: one file is tampered with
# on the way, one handoff is rejected, mended and issued again, a claim moves with its token. Every step is checked; the
# first that differs ends the story with a code other than 0.
#
#   examples/bmad-handoff/story.sh [--keep DIR]      in a clone, after npm ci
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
answers=$(mktemp -d)
thrown_away=$answers
case "${1:-}" in
  "")
    scratch=$(mktemp -d)
    thrown_away="$answers $scratch"
    ;;
  --keep)
    scratch=${2:?--keep needs a folder}
    mkdir -p "$scratch"
    [ -z "$(ls -A "$scratch")" ] || { printf '%s is not empty\n' "$scratch" >&2; exit 64; }
    ;;
  *)
    printf 'usage: story.sh [--keep DIR]\n' >&2
    exit 64
    ;;
esac
trap 'rm -rf $thrown_away' EXIT
cd "$scratch"

# BATON may name another build of the command.
baton() {
  if [ -n "${BATON:-}" ]; then $BATON "$@"; else "$here/../../bin/baton.js" "$@"; fi
}
step() { printf '\n== %s\n' "$1"; }
fail() {
  printf 'DIFFERS: %s\n' "$1" >&2
  exit 1
}
# same WHAT WANTED GOT
same() { [ "$2" = "$3" ] || fail "$1: wanted \"$2\", got \"$3\""; }
# has WHAT WORDS FILE: the file holds these words.
has() { grep -qF -- "$2" "$3" || fail "$1: \"$2\" is not in $3: $(cat "$3")"; }
# field PATH: a value of the first line of JSON on standard input, by its path: claim.token
field() { node -e '
  const line = require("fs").readFileSync(0, "utf8").split("\n")[0];
  const value = process.argv[1].split(".").reduce((at, key) => at?.[key], JSON.parse(line));
  process.stdout.write(typeof value === "object" ? JSON.stringify(value) : String(value));
' "$1"; }
# ends CODE COMMAND...: the command ends with that code; what it printed is in $out, what it said in $said.
out=$answers/out said=$answers/said
ends() {
  local wanted=$1 code=0
  shift
  "$@" >"$out" 2>"$said" || code=$?
  same "exit code of: $*" "$wanted" "$code"
}
# commit AGENT SUBJECT [PATH...]: what is there, or the named paths only.
commit() {
  git add -A -- "${@:3}"
  git -c user.name="$1" -c user.email="$1@example.invalid" commit -q -m "$2"
  git rev-parse HEAD
}

step "A repository with a team of four"
git init -q
ends 0 baton init --dialect bmad/1 --dialect vbw/2 --yes --team line
for agent in "pm lead" "sm lead" "dev dev" "qa qa"; do
  ends 0 baton agent register "${agent% *}" --role "${agent#* }"
done
mkdir -p docs/handoffs src tests
ends 0 baton task add 2-1-T1 --plan 2-1 --title "Sign in with a one-time code" --files src/code.js,tests/code.test.js --as sm

step "The pm writes the requirements and hands them to the sm"
printf '# Requirements\n\nUsers sign in with a one-time code.\n' >docs/requirements.md
cat >docs/handoffs/1-pm.yaml <<'YAML'
# From the pm, by hand.
handoff:
  metadata:
    id: requirements-agreed  # short enough to say
    source_agent: pm
    target_agent: sm
    workflow_id: sign-in
  context:
    prd_context: docs/requirements.md
    key_decisions:
      - decision: No passwords
        rationale: Nobody remembers them
        impact: Mail must work
  instructions:
    primary: Write the story for signing in
    success_criteria:
      - The story has acceptance criteria   # the dev asked for them
  dependencies:
    required_files: [docs/requirements.md]
YAML
ends 0 baton handoff issue docs/handoffs/1-pm.yaml --as pm --json
same "who gets it" '["sm"]' "$(field receivers <"$out")"
has "the comments stay" "id: requirements-agreed  # short enough to say" docs/handoffs/1-pm.yaml
has "so do those behind entries" "# the dev asked for them" docs/handoffs/1-pm.yaml
has "the sum is there" "docs/requirements.md: sha256:$(sha256sum docs/requirements.md | cut -d' ' -f1)" docs/handoffs/1-pm.yaml
ends 0 baton handoff validate docs/handoffs/1-pm.yaml --json
same "it is well formed" true "$(field valid <"$out")"
ends 0 baton handoff issue docs/handoffs/1-pm.yaml --as pm --json
same "issued twice it is the same" false "$(field isNew <"$out")"

step "The sm accepts, writes the story and hands it to the dev"
ends 0 baton inbox --as sm --json
same "what the sm finds" handoff "$(field type <"$out")"
ends 2 baton handoff accept requirements-agreed --as dev
ends 0 baton handoff accept requirements-agreed --as sm --json
same "files looked at" 1 "$(field files <"$out")"
printf '# Story 2.1\n\nA code is used once. It lives ten minutes.\n' >docs/story.md
commit sm "The story" >/dev/null
ends 0 baton task claim 2-1-T1 --as sm --json
old=$(field token <"$out")
ends 0 baton handoff new docs/handoffs/2-sm.yaml --as sm --to dev --primary "Sign users in with a one-time code" \
  --criterion "A used code is refused" --requires docs/story.md --makes src/code.js --workflow sign-in --task 2-1-T1
ends 0 baton handoff issue docs/handoffs/2-sm.yaml --as sm --json
first=$(field handoff <"$out")
has "the one before, from the record" "summary: Write the story for signing in" docs/handoffs/2-sm.yaml

step "Somebody changes the story on the way: the dev finds it, refuses, and says why"
cp docs/story.md "$answers/story.md"
sed -i.bak 's/ten minutes/ten years/' docs/story.md && rm docs/story.md.bak
ends 2 baton handoff verify docs/handoffs/2-sm.yaml --json
same "which file" docs/story.md "$(field path <"$out")"
same "what of it" changed "$(field state <"$out")"
ends 2 baton handoff accept "$first" --as dev --json
same "not accepted" file-changed "$(field problems.0.code <"$out")"
ends 2 baton handoff reject "$first" --as dev
ends 0 baton handoff reject "$first" --as dev --reason "docs/story.md is not the one that was issued"
ends 2 baton handoff accept "$first" --as dev --json
same "one answer counts" already-answered "$(field problems.0.code <"$out")"

step "The sm brings the story back and issues again: a new handoff that names the rejected one"
cp "$answers/story.md" docs/story.md
ends 0 baton inbox --as sm
has "the sm was told" "Reason: docs/story.md is not the one that was issued" "$out"
ends 0 baton handoff issue docs/handoffs/2-sm.yaml --as sm --json
second=$(field handoff <"$out")
[ "$first" != "$second" ] || fail "the mended document has the id of the rejected one"
has "the rejected one is named" "Rejected (docs/story.md is not the one that was issued)" docs/handoffs/2-sm.yaml

step "The dev accepts, and the claim moves with a new token"
ends 0 baton handoff accept "$second" --as dev --json
token=$(field claim.token <"$out")
same "which task" 2-1-T1 "$(field claim.task <"$out")"
[ "$token" -gt "$old" ] || fail "the new token $token is not above the old one $old"
ends 2 baton task release 2-1-T1 --as sm --token "$old" --json
same "the sm is fenced" fenced-claim "$(field problems.0.code <"$out")"
ends 2 baton handoff complete "$second" --as dev --json
same "what was to be made is not there" file-missing "$(field problems.0.code <"$out")"
echo 'export const used = new Set();' >src/code.js
echo 'import { used } from "../src/code.js";' >tests/code.test.js
work=$(commit dev "Sign in with a code" src tests)
ends 0 baton task complete 2-1-T1 --as dev --token "$token" --commit "$work"
ends 0 baton handoff complete "$second" --as dev

step "The document for the qa is compiled from the record, with the dev's notes in Markdown beside it"
cat >"$answers/notes.md" <<'MARKDOWN'
# Check the sign-in

To: qa

## Limitations
- The mail gateway is a sandbox

## Weather
Rainy.
MARKDOWN
ends 0 baton handoff new --import "$answers/notes.md" --as dev --json
same "what went nowhere is told" '["Weather"]' "$(field unplaced <"$out")"
ends 0 baton handoff new docs/handoffs/3-dev.json --as dev --from-task 2-1-T1 --to qa --workflow sign-in \
  --constraint "The mail gateway is a sandbox"
ends 0 baton handoff issue docs/handoffs/3-dev.json --as dev --json
third=$(field handoff <"$out")
same "what is done" '["2-1-T1"]' "$(tr -d '\n' <docs/handoffs/3-dev.json | field handoff.validation.source_status.completed_tasks)"
has "the work has its sum" "\"src/code.js\": \"sha256:$(sha256sum src/code.js | cut -d' ' -f1)\"" docs/handoffs/3-dev.json

step "The qa verifies, accepts and completes; nothing leads out of the repository"
ends 0 baton handoff accept "$third" --as qa
ends 0 baton handoff complete "$third" --as qa
printf '{"handoff":{"metadata":{"id":"x","source_agent":"qa","target_agent":"dev","timestamp":"2026-01-01T00:00:00Z"},"context":{},"instructions":{"primary":"x"},"dependencies":{"required_files":["../../etc/passwd"]}}}' >"$answers/out.json"
ends 2 baton handoff verify "$answers/out.json" --root . --json
same "a path that climbs out" outside "$(field state <"$out")"

step "The lineage, and the record"
ends 0 baton handoff list --all --json
same "four handoffs" 4 "$(grep -c '"id"' "$out")"
ends 0 baton handoff list --graph
has "the rejected one was issued again" "h2 -. issued again .-> h3" "$out"
has "the rest follows" "h3 --> h4" "$out"
cat "$out"
ends 0 baton journal verify --json
same "and it is sound" true "$(field ok <"$out")"
printf '\nThe story went as told.\n'
