/**
 * What the gate's hooks say: they ask Baton, stop git when it refuses or cannot answer, and then hand on to the hook that
 * stood there before. POSIX shell, because that is what git brings everywhere.
 */

/** The hooks that the gate needs. */
export const hookNames = ["pre-commit", "pre-push"] as const;
export type HookName = (typeof hookNames)[number];

const mark = "# Written by `baton install git-hooks`; `baton uninstall git-hooks` takes it away.";

/** Whether a hook is one of ours. */
export function isOurHook(text: string): boolean {
  return text.split("\n").slice(0, 3).includes(mark);
}

/** How many folders were made for a hook of ours, by its text; they go with it. */
export function foldersMadeFor(text: string): number {
  return Number(/^# Folders made for it: (\d{1,2})\.$/m.exec(text)?.[1] ?? 0);
}

/**
 * The text of a hook. `program`: the words that start Baton; where they lead nowhere, `baton` on the path is tried.
 * `foldersMade`: how many folders had to be made for it.
 */
export function hookText(hook: HookName, program: readonly string[], foldersMade = 0): string {
  const last = quoted(program.at(-1) ?? "");
  const made = foldersMade === 0 ? "" : `# Folders made for it: ${foldersMade}.\n`;
  return `#!/bin/sh
${mark}
${made}baton() {
  if [ -f ${last} ]; then ${program.map(quoted).join(" ")} "$@"; else command baton "$@"; fi
}
stop() {
  echo "baton: $1 was stopped by the gate. Do what is said above, then try again." >&2
  exit 2
}
before="$0.before-baton"
${bodies[hook]}`;
}

const bodies: Readonly<Record<HookName, string>> = {
  "pre-commit": `baton verify --staged >&2 || stop "the commit"
if [ -f "$before" ] && [ -x "$before" ]; then exec "$before" "$@"; fi
`,
  // Git says on standard input what is pushed: local name and id, remote name and id; an id of zeros is none.
  "pre-push": `pushed=$(cat)
printf '%s\\n' "$pushed" | while read -r _ local_id _ remote_id; do
  case "$local_id" in *[!0]*) baton verify --range "$remote_id..$local_id" >&2 || exit 2 ;; esac
done || stop "the push"
if [ -f "$before" ] && [ -x "$before" ]; then printf '%s\\n' "$pushed" | "$before" "$@"; fi
`,
};

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\\\''")}'`;
}
