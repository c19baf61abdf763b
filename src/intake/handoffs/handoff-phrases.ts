/**
 * Single phrases of a handoff in Markdown, read as what a document has in their place: a path, a decision, a dependency,
 * how the work stands.
 */
import type { HandoffBody } from "../../message/handoff-body.ts";
import { asName } from "../markdown.ts";

/** Stands where a decision does not say why it was made, or what follows. */
export const notSaid = "not said";

/** `[the story](docs/story.md)` and `` `docs/story.md`: what it is `` name their path. */
export function pathIn(words: string): string {
  const link = /^\[[^\]]{0,200}\]\(([^)\s]{1,1024})\)/.exec(words)?.[1];
  const code = /^`([^`]{1,1024})`/.exec(words)?.[1];
  return link ?? code ?? words;
}

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

/** `zod 4.1 https://zod.dev`: a name, then a version and an address in any order. */
export function dependencyIn(words: string): { name: string; version?: string; url?: string } {
  const [name = words, ...rest] = pathIn(words).split(/[\s,@]+/);
  const url = rest.find((word) => word.startsWith("https://") || word.startsWith("http://"));
  const version = rest.find((word) => /^[v^~>=<]{0,2}\d/.test(word));
  return { name, ...(version === undefined ? {} : { version }), ...(url === undefined ? {} : { url }) };
}

/** How the whole stands; empty where the words say none of it. */
export function statusIn(said: string | undefined): { overall_status?: "completed" | "in-progress" | "failed" } {
  const name = asName(said ?? "");
  if (["completed", "complete", "done"].includes(name)) return { overall_status: "completed" };
  if (["in_progress", "partial", "ongoing"].includes(name)) return { overall_status: "in-progress" };
  return name === "failed" ? { overall_status: "failed" } : {};
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
