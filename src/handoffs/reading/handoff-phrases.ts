/**
 * The headings, labels and roles of handoffs as agents write them, by what of a document they mean; and single phrases
 * read as what a document has in their place: paths, agents, decisions, dependencies, the state of the work. What is
 * none of these is not made one. Source: docs/protocol/phases.md, section 15.
 */
import type { HandoffBody } from "../../messages/handoff-body.ts";
import { asName } from "../../messages/intake/markdown.ts";

/** What a heading can mean: a field of a document, what is divided among several, the tasks with their boxes, or labels. */
export type Field =
  | "primary"
  | "summary"
  | "secondary"
  | "constraints"
  | "success_criteria"
  | "story_file"
  | "architecture_context"
  | "prd_context"
  | "additional_context"
  | "key_decisions"
  | "required_files"
  | "generated_files"
  | "dependencies"
  | "external_dependencies"
  | "completed_tasks"
  | "pending_tasks"
  | "tasks"
  | "lessons_learned"
  | "labels";

/** The first pattern that fits decides, so patterns of two words come before those of one of them. */
const headingPatterns: readonly (readonly [Field, RegExp])[] = [
  ["constraints", /constraint|do_not|don_t|must_not|limitation|boundar|guardrail|out_of_scope|not_allowed|^rules$/],
  ["success_criteria", /acceptance|success|definition_of_done|done_when|criteria/],
  ["key_decisions", /decision/],
  ["lessons_learned", /lessons|^learned$|^notes$/],
  ["external_dependencies", /external_dependenc|^packages|librar|third_party/],
  ["dependencies", /dependenc|prerequisite/],
  ["generated_files", /deliverable|artifact|(?:changed|modified|created|generated|output|new)_files|^outputs?$/],
  ["generated_files", /files?_(?:to_)?(?:changed?|modif|created?|touched|added)/],
  [
    "required_files",
    /required_(?:files|reading)|input_files|^inputs?$|^files$|^required$|files_(?:to_read|needed|required)/,
  ],
  ["completed_tasks", /completed|what_was_done|^done$|finished|work_done|accomplish/],
  ["pending_tasks", /pending|remaining|^open$|left_to_do|^to_?do$|open_(?:tasks|items|work)/],
  [
    "secondary",
    /next_(?:steps?|agent|actions?)|implementation_tasks|secondary|(?:additional|further)_tasks|^also$|follow_up/,
  ],
  ["labels", /metadata|^handoff$|^about$|^overview$|validation$|^quality|^checks$|handoff_(?:information|details)/],
  ["tasks", /^tasks$|progress|^status$|workflow_status|source_status|checklist/],
  ["story_file", /^(?:user_)?story(?:_file)?$/],
  ["architecture_context", /^architecture(?:_context)?$/],
  ["prd_context", /^prd(?:_context)?$|^requirements$/],
  ["additional_context", /context|reference|related|background|documents|^reading$|architecture|prd|story/],
  ["primary", /primary|instruction|task|objective|mission|goal|what_to_do|purpose/],
  ["summary", /summary/],
];

/** What a heading means, by its words; numbers before them, emoji and emphasis do not count. Null: none of these. */
export function fieldOf(heading: string): Field | null {
  const name = asName(heading).replace(/^(?:\d+_)+/, "");
  // What the next agent ticks off is for that agent to do.
  if (name.includes("checklist") && /review|test|qa|verification/.test(name)) return "secondary";
  return headingPatterns.find(([, pattern]) => pattern.test(name))?.[0] ?? null;
}

/** A label in the head of a handoff (`**To:** dev`), by what it says. */
export type Label =
  | "id"
  | "source_agent"
  | "target_agent"
  | "timestamp"
  | "workflow_id"
  | "task_id"
  | "story_file"
  | "context_file"
  | "status"
  | "overall_status"
  | "tests_passed"
  | "code_review_status"
  | "documentation_complete";

const labelNames: { readonly [label in Label]: string } = {
  id: "id handoff_id",
  source_agent: "from from_agent source source_agent agent handed_off_by author",
  target_agent: "to to_agent target target_agent next next_agent assigned_to recipient",
  timestamp: "date timestamp created",
  workflow_id: "epic epic_id workflow workflow_id",
  task_id: "story story_id task task_id",
  story_file: "story_file",
  context_file: "context_xml context_file story_context",
  status: "status",
  overall_status: "overall_status",
  tests_passed: "tests tests_passed",
  code_review_status: "review code_review code_review_status",
  documentation_complete: "documentation documentation_complete",
};

const labelsByName: ReadonlyMap<string, Label> = new Map(
  Object.entries(labelNames).flatMap(([label, names]) => names.split(" ").map((name) => [name, label as Label])),
);

/** What a label says; null: nothing that a document has a place for. */
export function labelOf(words: string): Label | null {
  return labelsByName.get(asName(words)) ?? null;
}

/** What documents call the agents of a method, by the name that a team of kind `bmad` gives them. */
const roleNames: readonly (readonly [string, RegExp])[] = [
  ["tea", /(?:^|_)tea(?:_|$)|test_architect/],
  ["bmad-master", /bmad_master|orchestrator/],
  ["sm", /(?:^|_)sm(?:_|$)|scrum_master/],
  ["pm", /(?:^|_)pm(?:_|$)|product_manager/],
  ["po", /(?:^|_)po(?:_|$)|product_owner/],
  ["analyst", /analyst/],
  ["ux-expert", /(?:^|_)ux(?:_|$)/],
  ["architect", /architect/],
  ["code-reviewer", /code_review/],
  ["qa", /(?:^|_)qa(?:_|$)|quality/],
  ["tech-writer", /tech(?:nical)?_writer/],
  ["dev", /(?:^|_)dev(?:_|$)|developer|development/],
];

/** The agent that words name by its role (`Development Agent`); null: none. */
function roleNamed(words: string): string | null {
  const name = asName(words);
  return roleNames.find(([, pattern]) => pattern.test(name))?.[0] ?? null;
}

/** What is known of the folder that a handoff speaks of. */
export interface KnownFiles {
  /** Whether git tracks the path, as a file, or as a folder of files where it ends in `/`. */
  readonly isTracked: (path: string) => boolean;
  /** Whether the path is there, tracked or not. */
  readonly isThere: (path: string) => boolean;
}

/** Where nothing is known: only what looks like a path is one, and nothing is known to be missing. */
export const nothingKnown: KnownFiles = { isTracked: () => false, isThere: () => true };

/** Endings of files that agents write about. */
const endings: ReadonlySet<string> = new Set(
  (
    "md mdx txt rst adoc ts tsx js jsx mjs cjs mts cts vue svelte astro json jsonc json5 jsonl yaml yml toml ini cfg conf " +
    "env xml xsd html htm css scss sass less svg png jpg jpeg gif webp ico pdf csv tsv sql db prisma graphql gql " +
    "proto py pyi ipynb rb go rs java kt kts scala swift m h c cc cpp hpp cs fs php pl lua r jl dart ex exs erl clj hs " +
    "sh bash zsh ps1 bat dockerfile lock log tf hcl gradle properties toon feature spec snap tmpl hbs ejs patch diff"
  ).split(" "),
);

/** The paths that words name, each once: links and code that look like one, and words that git knows. */
export function pathsIn(words: string, known: KnownFiles): readonly string[] {
  const found: string[] = [];
  const rest = words
    .replace(/\[[^[\]]{0,200}\]\(([^()\s]{1,1024})\)/g, (_, target: string) => {
      found.push(...pathOf(target, known));
      return " ";
    })
    .replace(/`([^`]{1,1024})`/g, (_, code: string) => {
      found.push(...pathOf(code, known));
      return " ";
    });
  for (const word of rest.split(/[\s,;|]+/)) found.push(...pathOf(word, known).filter((path) => known.isTracked(path)));
  return [...new Set(found)];
}

/** What nobody writes in a path that means a file of the repository. */
const unlikely = /[\s"'<>{}*?|()[\]\\=&]|\.\.|:\/\/|^[/@\-#$~+]/;

const pathCharactersMax = 1024;

function pathOf(written: string, known: KnownFiles): readonly string[] {
  if (written.length > pathCharactersMax) return [];
  const path = withoutEnd(written.trim().replace(/#L\d+(?:-L?\d+)?$/, ""), ".,;:")
    .replace(/:\d+(?:[-:]\d+)?$/, "")
    .replace(/^(?:\.\/)+/, "");
  if (path === "" || unlikely.test(path)) return [];
  if (known.isTracked(path)) return [path];
  // A folder that git does not know may be a package, a branch or a route.
  if (path.endsWith("/")) return [];
  const last = path.slice(path.lastIndexOf("/") + 1);
  const [stem, ending] = [last.slice(0, last.lastIndexOf(".")), last.slice(last.lastIndexOf(".") + 1).toLowerCase()];
  const isFile = last.includes(".") && endings.has(ending);
  if (path.includes("/")) return isFile || /^\.[a-z]/i.test(last) ? [path] : [];
  // A name alone: `Node.js` and `lib@2.1` are products.
  const isProduct = /@\d/.test(path) || (/^[A-Z][a-z]*\d*$/.test(stem) && ["js", "ts", "net", "io"].includes(ending));
  return isFile && stem !== "" && !isProduct ? [path] : [];
}

/** `words` without the characters of `ends` at their end. */
export function withoutEnd(words: string, ends: string): string {
  let end = words.length;
  while (end > 0 && ends.includes(words.charAt(end - 1))) end--;
  return words.slice(0, end);
}

/** More words than these say something. */
const nothingCharactersMax = 100;

/** Whether words say that there is nothing. */
export function isNothing(words: string): boolean {
  if (words.length > nothingCharactersMax) return false;
  return /^[-–—*_\s]*$/.test(words) || /^(?:none|n\/?a|nil|nothing|not applicable|to be|tbd)\b/i.test(words);
}

/** Longer words name no agent. */
const agentCharactersMax = 200;

/**
 * The agent that words name: `@bmad-bmm-dev`, `` `dev-1` ``, `Development Agent (@dev)`, `John (Product Manager)`, `sm`.
 * Null: it names none.
 */
export function agentIn(value: string): string | null {
  const words = value.slice(0, agentCharactersMax);
  const marked = /@([A-Za-z0-9][\w.-]{0,63})/.exec(words)?.[1] ?? /`@?([A-Za-z0-9][\w.-]{0,63})`/.exec(words)?.[1];
  if (marked !== undefined) return withoutMethod(withoutEnd(marked, "."));
  const plain = words.replace(/[^\p{L}\p{N}\s._()/-]/gu, " ").trim();
  const one = /^([A-Za-z0-9][\w.-]{0,63})(?:\s+agent)?$/i.exec(plain)?.[1];
  if (one !== undefined && /[\d-]/.test(one)) return withoutMethod(one);
  const inBrackets = /\(([^()]{1,80})\)/.exec(plain)?.[1];
  return (inBrackets === undefined ? null : roleNamed(inBrackets)) ?? roleNamed(plain) ?? one?.toLowerCase() ?? null;
}

/** `bmad-bmm-dev` is the agent `dev` of a module of the method. */
function withoutMethod(name: string): string {
  return name.replace(/^bmad-(?!master)(?:(?:bmm|bmb|cis|core|gds|tea)-)?/i, "");
}

/** `A → B` and `A to B`, where both are agents of the method. */
export function agentsIn(words: string): readonly [source: string, target: string] | null {
  const [from = "", to, more] = words.slice(0, agentCharactersMax).split(/→|⇒|[-=]>|-to-|\bto\b/i);
  if (to === undefined || more !== undefined) return null;
  const [source, target] = [roleNamed(from), roleNamed(to)];
  return source === null || target === null || source === target ? null : [source, target];
}

/** The placeholder for a missing reason or consequence of a decision. */
export const notSaid = "not said";

/** `Codes live ten minutes (mail is slow); so: the store forgets` in any of its usual forms. */
export function decisionIn(words: string): NonNullable<HandoffBody["context"]["key_decisions"]>[number] {
  const lower = words.toLowerCase();
  const at = (marks: readonly string[]) => {
    const places = marks.map((mark) => [lower.indexOf(mark), mark.length] as const).filter(([place]) => place > 0);
    return places.toSorted((a, b) => a[0] - b[0])[0] ?? null;
  };
  const why = at(["rationale:", " because ", "reason:", " — ", " -- "]);
  const so = at(["impact:", "so:", "consequence:", "→", "->"]);
  const cut = (from: number, to: number) => trimmed(words.slice(from, to));
  const ends = (place: readonly [number, number] | null, other: readonly [number, number] | null) =>
    place === null || other === null || other[0] < place[0] ? words.length : other[0];
  const decision = cut(0, Math.min(why?.[0] ?? words.length, so?.[0] ?? words.length));
  return {
    decision: decision === "" ? words : decision,
    rationale: why === null ? notSaid : cut(why[0] + why[1], ends(why, so)) || notSaid,
    impact: so === null ? notSaid : cut(so[0] + so[1], ends(so, why)) || notSaid,
  };
}

function trimmed(words: string): string {
  return words
    .replace(/^[\s;,.()-]{0,20}/, "")
    .replace(/[\s;,(-]{1,20}$/, "")
    .replace(/^decision:\s{0,9}/i, "");
}

/** `zod 4.1 https://zod.dev`, `` `pkg@^4.1` ``: a name, then a version and an address in any order; null: no package. */
export function packageIn(words: string): { name: string; version?: string; url?: string } | null {
  const said = words.replaceAll("`", "").trim();
  const [first = ""] = said.split(/[\s,:(]/);
  const at = first.lastIndexOf("@");
  const [name, tied] = at > 0 ? [first.slice(0, at), first.slice(at + 1)] : [first, undefined];
  if (!/^@?[a-z0-9][\w./-]*$/i.test(name) || isNothing(said)) return null;
  const rest = said.slice(first.length).split(/[\s,()]+/);
  const url = rest.find((word) => word.startsWith("https://") || word.startsWith("http://"));
  const version = tied ?? rest.find((word) => /^[v^~>=<]{0,2}\d/.test(word));
  return { name, ...(version === undefined ? {} : { version }), ...(url === undefined ? {} : { url }) };
}

/** The state of the whole, by its first words; null where they say none of it. */
export function statusIn(said: string): "completed" | "in-progress" | "failed" | null {
  const name = asName(said);
  if (/^(?:completed?|done)(?:_|$)/.test(name)) return "completed";
  if (/^(?:in_progress|ready|partial|ongoing)(?:_|$)/.test(name)) return "in-progress";
  return name.startsWith("fail") ? "failed" : null;
}

/** The checks that labels tell of; what they do not say is left out. */
export function qualityIn(said: ReadonlyMap<string, string>) {
  const tests = yesOrNo(said.get("tests_passed"));
  const documentation = yesOrNo(said.get("documentation_complete"));
  const review = yesOrNo(said.get("code_review_status"));
  const isPending = asName(said.get("code_review_status") ?? "") === "pending";
  return {
    ...(tests === null ? {} : { tests_passed: tests }),
    ...(isPending ? { code_review_status: "pending" as const } : {}),
    ...(review === null ? {} : { code_review_status: review ? ("passed" as const) : ("failed" as const) }),
    ...(documentation === null ? {} : { documentation_complete: documentation }),
  };
}

function yesOrNo(said: string | undefined): boolean | null {
  const [first = ""] = asName(said ?? "").split("_");
  if (["yes", "true", "pass", "passed", "passing", "green", "complete", "approved"].includes(first)) return true;
  return ["no", "false", "fail", "failed", "failing", "red", "incomplete", "rejected"].includes(first) ? false : null;
}
