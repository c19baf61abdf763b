#!/usr/bin/env bash
# Two agents, a lead and a developer, and the one who checks them: a contract, work with real commits, a message that
# is refused and repaired by its own hint, a request for more room, a verdict. Every step is checked; the first that
# differs ends the story with a code other than 0.
#
#   examples/two-agents/story.sh            in a clone, after npm ci
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
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
# field NAME: the first value of that name in the JSON on standard input, as text.
field() { node -e '
  const find = (value, name) => {
    if (typeof value !== "object" || value === null) return undefined;
    if (Object.hasOwn(value, name)) return value[name];
    for (const inner of Object.values(value)) {
      const found = find(inner, name);
      if (found !== undefined) return found;
    }
  };
  const line = require("fs").readFileSync(0, "utf8").split("\n")[0];
  process.stdout.write(String(find(JSON.parse(line), process.argv[1])));
' "$1"; }
# ends CODE COMMAND...: the command ends with that code; what it printed is in out.json.
ends() {
  local wanted=$1 code=0
  shift
  "$@" >out.json || code=$?
  same "exit code of: $*" "$wanted" "$code"
}
now() { date -u +%Y-%m-%dT%H:%M:%SZ; }
# envelope ID TYPE ROLE PAYLOAD: one typed message.
envelope() {
  printf '{"id":"%s","type":"%s","phase":1,"task":"1-1-T1","author_role":"%s","timestamp":"%s","schema_version":"2.0","confidence":"high","payload":%s}\n' \
    "$1" "$2" "$3" "$(now)" "$4"
}
# What the story writes down for itself (*.json) is no work of the team.
commit() {
  git add -A -- . ':!*.json'
  git -c user.name=dev-1 -c user.email=dev-1@example.invalid commit -q -m "$1"
  git rev-parse HEAD
}

step "A repository with a team of three"
git init -q
mkdir -p src tests docs
echo '# Feature' >README.md
ends 0 baton init --dialect vbw/2 --yes --team story
ends 0 baton agent register lead-1 --role lead
ends 0 baton agent register dev-1 --role dev
ends 0 baton agent register qa-1 --role qa
commit "The team is defined" >/dev/null
same "the journal stays out of git" "" "$(git ls-files | grep journal)"

step "The lead issues a contract; the developer was waiting for it"
baton inbox --as dev-1 --wait 20 --json >dev-inbox.json &
waiting=$!
envelope contract-1 plan_contract lead '{"plan_id":"1-1","phase_id":"phase-1","objective":"Add the feature","tasks":["1-1-T1"],"allowed_paths":["src/feature.js","tests/"],"must_haves":["The feature has a test"]}' >contract.json
ends 0 baton send contract.json --as lead-1 --json
same "durability" fsync "$(field durability <out.json)"
wait "$waiting" || fail "the developer's wait ended with $?"
same "what the developer got" plan_contract "$(field type <dev-inbox.json)"
ends 0 baton ack "$(field seq <dev-inbox.json)" --as dev-1

step "The developer does the work and reports it, with a slip of the pen"
echo 'export const feature = () => 42;' >src/feature.js
echo 'import { feature } from "../src/feature.js";' >tests/feature.test.js
work=$(commit "Add the feature")
envelope update-1 execution_update dev "{\"plan_id\":\"1-1\",\"task_id\":\"1-1-T1\",\"status\":\"complet\",\"commit\":\"$work\",\"files_modified\":[\"src/feature.js\",\"tests/feature.test.js\"]}" >update.json
ends 2 baton validate update.json --json
ends 2 baton send update.json --as dev-1 --json
same "refused" true "$(field refused <out.json)"
same "where" '$.payload.status' "$(field path <out.json)"
hint=$(field hint <out.json)
echo "the hint says: $hint"

step "The hint repairs it, and under the same id it is accepted: a refusal does not take the id"
meant=$(printf '%s' "$hint" | sed -n 's/.*"\(.*\)".*/\1/p')
sed "s/\"status\":\"complet\"/\"status\":\"$meant\"/" update.json >repaired.json
ends 0 baton send repaired.json --as dev-1 --json
receipt=$(cat out.json)
ends 0 baton send repaired.json --as dev-1 --json
same "sent again it is a duplicate" true "$(field duplicate <out.json)"
same "of the same entry" "$(printf '%s' "$receipt" | field seq)" "$(field seq <out.json)"

step "The developer needs more room, asks, and waits"
envelope request-1 approval_request dev '{"subject":"A page about the feature","request_type":"scope_change","evidence":"docs/ is outside the contract","paths":["docs/feature.md"]}' >request.json
ends 0 baton send request.json --as dev-1
ends 0 baton needs --requests --json
same "what waits" request-1 "$(field requestId <out.json)"
ends 2 baton approve request-1 --as dev-1
ends 0 baton approve request-1 --as lead-1 --reason "documentation is welcome"
ends 0 baton inbox --as dev-1 --wait 5 --json
same "the answer" approval_response "$(field type <out.json)"
same "is yes" true "$(field approved <out.json)"
ends 0 baton ack "$(field seq <out.json)" --as dev-1

step "The answer has widened the contract, by the page alone"
ends 0 baton contract show 1-1 --json
same "revision" 2 "$(field revision <out.json)"
echo 'It answers.' >docs/feature.md
page=$(commit "Describe the feature")
envelope update-2 execution_update dev "{\"plan_id\":\"1-1\",\"task_id\":\"1-1-T1\",\"status\":\"complete\",\"commit\":\"$page\",\"files_modified\":[\"docs/feature.md\"]}" >update-2.json
ends 0 baton send update-2.json --as dev-1

step "The verdict"
envelope verdict-1 qa_verdict qa '{"tier":"quick","result":"PASS","checks":{"passed":2,"failed":0,"total":2}}' >verdict.json
ends 0 baton send verdict.json --as qa-1
ends 0 baton inbox --as lead-1 --json
same "what the lead has to read" "execution_update approval_request execution_update qa_verdict " \
  "$(while read -r line; do printf '%s ' "$(printf '%s' "$line" | field type)"; done <out.json)"
last=$(tail -n 1 out.json | field seq)
ends 0 baton ack "$last" --as lead-1
ends 4 baton inbox --as lead-1 --wait 0.1
ends 0 baton show update-1 --json
same "delivery of the update" acknowledged "$(field state <out.json)"

step "The record"
same "refusals are on it" 2 "$(baton log --json | grep -c '"kind":"refusal"')"
ends 0 baton journal verify --json
same "and it is sound" true "$(field ok <out.json)"
for hash in "$work" "$page"; do git cat-file -e "$hash^{commit}" || fail "commit $hash is missing"; done
baton status
printf '\nThe story went as told.\n'
