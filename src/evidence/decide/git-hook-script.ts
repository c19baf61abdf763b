/**
 * What the hooks of the gate say: one script that git reaches by a stub for each name. It first runs the hook that git
 * would run without Baton, by its own name and path, and then asks the gate about what will be committed or pushed. POSIX
 * shell, because git brings it everywhere. Source: docs/protocol/doors.md, section 11.
 */

import { programMarks } from "../../perform/workspace/config.ts";
import { agentFile } from "../../perform/workspace/workspace.ts";

/** The second line of each file that is ours. */
export const hookMark = "# Written by `baton install git-hooks`; `baton uninstall git-hooks` takes it away.";

/** The file in which the gate leaves, for the hook that follows, the tree that it judged and the task of its agent. */
export const judgedFile = "baton-judged";
/** The file that says whose the last token was that a hub has confirmed to the gate. */
export const tokenFile = "baton-token";
/** Ends the name of the folder in which the hooks lie that were there before. */
export const beforeEnding = ".before-baton";
/** The script in the folder of hooks, and the note there that Baton gave each work tree its own configuration. */
export const scriptFile = "run";
export const configurationNote = "worktree-config";
/** The configuration by which a work tree had its own folder of hooks before. */
export const earlierPath = "baton.hooksPath";

/** The script. `program`: the words that start Baton; where they lead nowhere, `baton` on the path is tried. */
export function hookScript(program: readonly string[]): string {
  const files = program.map((word) => `[ -f ${quoted(word)} ]`).join(" && ");
  return `#!/bin/sh
${hookMark}
called=$1
shift
hook=\${called%.legacy}
own=$(cd "$(dirname "$0")" && pwd -P)
before=$own${beforeEnding}
mark=${quoted(hookMark)}
always='applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg
  post-commit pre-rebase post-checkout post-merge post-rewrite pre-push sendemail-validate'
# Some change by their mere presence what git does.
present='pre-receive update proc-receive post-receive post-update push-to-checkout reference-transaction
  post-index-change pre-auto-gc p4-changelist p4-prepare-changelist p4-post-changelist p4-pre-submit'

# Where git would look without Baton, asked each time: hook managers come and go.
other=$(git config --show-scope --type=path --get-regexp '^(core|baton)\\.hookspath$' 2>/dev/null |
  sed -n '/^command/d; s/^[a-z]*[[:space:]][a-z.]* //p' | grep -Fvx -e "$own" -e .git/hooks | tail -n 1)
[ -n "$other" ] || other=$before

kept() {
  file=$other/$called
  [ -f "$file" ] || file=$other/$hook
  if [ -f "$file" ] && [ -x "$file" ]; then "$file" "$@"; fi
}

baton() {
  if ${files}; then ${program.map(quoted).join(" ")} "$@"; else command baton "$@"; fi
}
stop() {
  case $2 in
    2 | 3 | 4 | 5 | 64 | 130) ;;
    *)
      # Baton has not answered at all.
      case $2 in 126 | 127) what='is not there any more' ;; *) what="has failed (exit $2)" ;; esac
      echo "baton: Baton $what. Install it again, or take its gate away: sh '$own/${scriptFile}' uninstall" >&2
      # The person, if nobody and no program is named: as Baton itself decides it.
      name=\${BATON_AGENT:-$(cat "$(git rev-parse --git-path ${agentFile})" 2>/dev/null || git config baton.agent)}
      case "\${name:-owner}${programMarks.map((mark) => `$${mark}`).join("")}$BATON_TOKEN" in owner) return 0 ;; esac
      ;;
  esac
  echo "baton: $1 was stopped by the gate. Do what is said above, then try again." >&2
  exit 2
}
judge() {
  baton verify --staged >&2 || stop "the commit" $?
}

is_ours() {
  [ -f "$1" ] && { read -r line; IFS= read -r line; [ "$line" = "$mark" ]; } <"$1"
}
# Of pre-commit (pre-commit.com), which runs what it found under its own name with .legacy.
is_pre_commits() {
  [ -f "$1" ] && grep -qs hook-impl "$1"
}
stub() {
  printf '%s\\n' '#!/bin/sh' "$mark" 'exec "\${0%/*}/${scriptFile}" "\${0##*/}" "$@"' >"$1.new-baton" &&
    chmod 755 "$1.new-baton" && mv -f "$1.new-baton" "$1"
}
# A hook manager that asked git for its folder wrote into ours: its file goes where it would be without Baton.
displace() {
  mkdir -p "$other"
  if [ -e "$other/$1" ] && ! cmp -s "$own/$1" "$other/$1" && ! grep -qs lefthook "$other/$1"; then
    aside=$other/$1.old
    while [ -e "$aside" ]; do aside=$aside.old; done
    mv "$other/$1" "$aside"
  fi
  mv -f "$own/$1" "$other/$1"
}
heal() {
  for name in $always; do
    file=$own/$name
    if [ "$other" = "$before" ]; then
      if is_pre_commits "$before/$name"; then mv -f "$before/$name" "$file"; fi
      if is_pre_commits "$file"; then
        is_ours "$file.legacy" || { [ ! -e "$file.legacy" ] || displace "$name.legacy"; stub "$file.legacy"; }
        continue
      fi
    fi
    if is_ours "$file"; then continue; fi
    if is_pre_commits "$file"; then mkdir -p "$before" && mv -f "$file" "$before/$name"; fi
    if [ -e "$file" ] || [ -L "$file" ]; then displace "$name"; fi
    for aside in old legacy; do if is_ours "$file.$aside"; then rm -f "$file.$aside"; fi; done
    stub "$file"
  done
  for name in $present; do
    if [ -x "$other/$name" ] && [ ! -e "$own/$name" ]; then stub "$own/$name"; fi
  done
  # Whatever else lay here is found here still.
  for file in "$before"/*; do
    name=\${file##*/}
    case $name in *.sample | *.legacy | *.old | '*') continue ;; esac
    [ -e "$own/$name" ] || [ -L "$own/$name" ] || ln -s "../\${before##*/}/$name" "$own/$name"
  done
  here
}
# Where a folder is configured git looks there: the work tree's own configuration, which no hook manager writes, leads it
# back here.
here() {
  [ "$other" != "$before" ] || return 0
  common=\${own%/*}
  if [ "$(git config --type=bool extensions.worktreeConfig)" != true ]; then
    : >"$own/${configurationNote}"
    # As git-worktree(1) says: what is true of the main work tree alone goes into its own configuration.
    for key in core.bare core.worktree; do
      value=$(git config --file "$common/config" "$key") && [ "$value" != false ] || continue
      git config --file "$common/config.worktree" "$key" "$value" && git config --file "$common/config" --unset "$key"
    done
    git config extensions.worktreeConfig true
  fi
  folder=$own
  # The main work tree may be moved.
  [ "$common" != "$(pwd -P)/.git" ] || folder=.git/hooks
  set=$(git config --worktree core.hooksPath)
  [ "$set" != "$folder" ] || return 0
  if [ -d "$set" ]; then git config --worktree ${earlierPath} "$set"; fi
  git config --worktree core.hooksPath "$folder"
}
# Works without Baton too. What hook managers have written here since stays.
uninstall() {
  common=\${own%/*}
  for folder in "$common" "$common"/worktrees/*; do
    rm -f "$folder/${agentFile}" "$folder/${judgedFile}" "$folder/${tokenFile}"
    file=$folder/config.worktree
    set=$(git config --file "$file" core.hooksPath 2>/dev/null)
    [ "$set" = "$own" ] || [ "$set" = .git/hooks ] || continue
    git config --file "$file" --unset core.hooksPath
    earlier=$(git config --file "$file" ${earlierPath}) || continue
    git config --file "$file" core.hooksPath "$earlier" && git config --file "$file" --unset ${earlierPath}
  done
  if [ -f "$own/${configurationNote}" ]; then
    for key in core.bare core.worktree; do
      value=$(git config --file "$common/config.worktree" "$key" 2>/dev/null) || continue
      git config --file "$common/config" "$key" "$value" && git config --file "$common/config.worktree" --unset "$key"
    done
    left=
    for file in "$common/config.worktree" "$common"/worktrees/*/config.worktree; do
      if [ -s "$file" ]; then left=$file; else rm -f "$file"; fi
    done
    [ -n "$left" ] || git config --file "$common/config" --unset extensions.worktreeConfig
    rm -f "$own/${configurationNote}"
  fi
  for file in "$own"/* "$own"/.[!.]*; do
    name=\${file##*/}
    if is_ours "$file" || [ "$(readlink "$file")" = "../\${before##*/}/$name" ]; then
      rm -f "$file"
    elif [ -e "$file" ] || [ -L "$file" ]; then
      mkdir -p "$before" && mv -f "$file" "$before/$name"
    fi
  done
  rmdir "$own" && { [ ! -e "$before" ] || mv "$before" "$own"; }
}

case $hook in
heal) heal ;;
uninstall) uninstall ;;
pre-commit)
  kept "$@" || exit $?
  judged=$(git rev-parse --git-path ${judgedFile})
  rm -f "$judged"
  judge
  # The person goes on, warned once.
  [ -f "$judged" ] || git write-tree >"$judged"
  ;;
commit-msg)
  kept "$@" || exit $?
  heal
  judged=$(git rev-parse --git-path ${judgedFile})
  tree= task= by=
  { read -r tree; read -r task; read -r by; } 2>/dev/null <"$judged"
  # A merge; or another manager's pre-commit took the place of ours, or a hook has staged something since.
  if [ "$(git write-tree)" != "$tree" ]; then
    judge
    { read -r tree; read -r task; read -r by; } 2>/dev/null <"$judged"
  fi
  rm -f "$judged"
  # A message without words is none, and git gives up on it.
  if [ -n "$task" ] && sed '/^. -* >8 -*$/,$d' "$1" | git stripspace --strip-comments | grep -q .; then
    git interpret-trailers --in-place --if-exists addIfDifferent --trailer "Baton-Task: $task" "$1"
    [ -z "$by" ] || git interpret-trailers --in-place --if-exists addIfDifferent --trailer "Assisted-by: $by" "$1"
  fi
  ;;
pre-push)
  pushed=$(cat)
  [ -z "$pushed" ] || pushed="$pushed
"
  printf '%s' "$pushed" | kept "$@" || exit $?
  # Local name and id, remote name and id; an id of zeros is none, and one that is not here is nothing to compare with.
  printf '%s' "$pushed" | while read -r _ local_id _ remote_id; do
    case $local_id in *[!0]*) git cat-file -e "$local_id^{commit}" 2>/dev/null || continue ;; *) continue ;; esac
    git cat-file -e "$remote_id^{commit}" 2>/dev/null || remote_id=0
    baton verify --range "$remote_id..$local_id" >&2 || exit $?
  done || stop "the push" $?
  ;;
post-checkout)
  kept "$@"
  code=$?
  # A new work tree gets the gate as it is made.
  here
  exit $code
  ;;
post-commit)
  kept "$@"
  heal
  ;;
*) kept "$@" ;;
esac
`;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
