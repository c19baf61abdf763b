/**
 * The sources as the guards see them: path, text, syntax tree, imports, exports. A guard is a function from sources to
 * violations, so that each can be tried on a planted file as well as on the tree.
 */
import { globSync, readFileSync } from "node:fs";
import { dirname, join, posix, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { type Comment, parseSync } from "oxc-parser";

/** The repository's root folder. */
export const home = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** One import or re-export of a file. `target` is a path from the root for own files, else the name of a package. */
export interface Import {
  readonly target: string;
  /** Whether nothing of it is left when the types are stripped. */
  readonly typeOnly: boolean;
  /** Whether it is loaded only when the code around it asks, by `import()`. */
  readonly lazy: boolean;
  readonly line: number;
}

export interface Source {
  /** From the root, with `/`. */
  readonly path: string;
  readonly text: string;
  /** The file as it is; `text` differs from it only for components, which are scripts and markup. */
  readonly written: string;
  /** Why the file does not parse; the other guards then see only part of it. */
  readonly syntaxProblem: string | null;
  readonly program: Node;
  readonly comments: readonly Comment[];
  readonly imports: readonly Import[];
  /** Exported names, sorted; `*` for a star export. */
  readonly exports: readonly string[];
  lineOf(offset: number): number;
}

/** A node of the syntax tree (ESTree with TypeScript); fields differ by `type`. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

export interface Violation {
  readonly path: string;
  readonly line: number;
  /** What is wrong and what to do instead. */
  readonly message: string;
}

/** A rule about the sources. No violations: it holds. */
export type Guard = (sources: readonly Source[]) => readonly Violation[];

/** Reads one source from its text. Of a component only the scripts are seen, at their own lines. */
export function sourceOf(path: string, written: string): Source {
  const text = path.endsWith(".svelte") ? scriptsOf(written) : written;
  const parsed = parseSync(path, text, { lang: "ts" });
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  const lineOf = (offset: number): number => starts.findLastIndex((start) => start <= offset) + 1;
  const program = parsed.program as unknown as Node;
  return {
    path,
    text,
    written,
    syntaxProblem: parsed.errors[0]?.message ?? null,
    program,
    comments: parsed.comments,
    imports: importsOf(path, text, parsed.module, program, lineOf),
    exports: exportsOf(parsed.module),
    lineOf,
  };
}

/** A component with everything but its scripts blanked out. */
function scriptsOf(component: string): string {
  const blank = (text: string) => text.replaceAll(/[^\n]/g, " ");
  let seen = "";
  let end = 0;
  for (const found of component.matchAll(/(<script[^>]*>)([\s\S]*?)<\/script>/g)) {
    const [, tag = "", script = ""] = found;
    seen += blank(component.slice(end, found.index + tag.length)) + script;
    end = found.index + tag.length + script.length;
  }
  return seen + blank(component.slice(end));
}

type ModuleFacts = ReturnType<typeof parseSync>["module"];

function importsOf(
  path: string,
  text: string,
  facts: ModuleFacts,
  program: Node,
  lineOf: (offset: number) => number,
): readonly Import[] {
  const found: Import[] = [];
  const add = (specifier: string, typeOnly: boolean, offset: number, lazy = false) => {
    const own = specifier.startsWith(".");
    const target = own ? posix.join(posix.dirname(path), specifier) : specifier;
    found.push({ target, typeOnly, lazy, line: lineOf(offset) });
  };
  for (const item of facts.staticImports) {
    // `import { type A } from` still loads the file, `import type` does not.
    add(item.moduleRequest.value, /^import\s+type\b/.test(text.slice(item.start, item.end)), item.start);
  }
  for (const item of facts.staticExports) {
    const request = item.entries.find((entry) => entry.moduleRequest !== null)?.moduleRequest;
    if (request === null || request === undefined) continue;
    add(request.value, /^export\s+type\b/.test(text.slice(item.start, item.end)), item.start);
  }
  for (const item of facts.dynamicImports) {
    const written = text.slice(item.moduleRequest.start, item.moduleRequest.end);
    if (/^["'`][^$]*["'`]$/.test(written)) add(written.slice(1, -1), false, item.start, true);
  }
  for (const node of nodesOf(program)) {
    if (node.type === "TSImportType") add(String((node.source as Node).value), true, node.start);
  }
  return found;
}

function exportsOf(facts: ModuleFacts): readonly string[] {
  return facts.staticExports
    .flatMap((item) => item.entries)
    .map((entry) => (entry.exportName.kind === "Default" ? "default" : (entry.exportName.name ?? "*")))
    .toSorted();
}

const gathered = new WeakMap<Node, readonly Node[]>();

/** Every node below and including `root`, parents first. Walked once: many guards look at the same trees. */
export function nodesOf(root: Node): readonly Node[] {
  const known = gathered.get(root);
  if (known !== undefined) return known;
  const nodes: Node[] = [];
  gather(root, nodes);
  gathered.set(root, nodes);
  return nodes;
}

function gather(node: Node, nodes: Node[]): void {
  nodes.push(node);
  for (const field in node) {
    if (field === "parent") continue;
    const value = node[field];
    if (Array.isArray(value)) {
      for (const child of value) if (isNode(child)) gather(child, nodes);
    } else if (isNode(value)) gather(value, nodes);
  }
}

/** Whether `value` is a node of the tree. */
export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value && "end" in value;
}

/** Generated files are exempt from every rule about form; their generator answers for them. */
export function isGenerated(path: string): boolean {
  return path.includes("/generated/");
}

/** Whether a file is a test or belongs to one: exempt from floors and banned calls. */
export function isTest(path: string): boolean {
  return path.endsWith(".test.ts") || !/^(src|packages|examples\/demo)\//.test(path);
}

/** All TypeScript of the repository, generated files and components included, sorted by path. */
export function readSources(): readonly Source[] {
  return globSync("{src,packages,tests,bench,scripts,examples}/**/*.{ts,svelte}", { cwd: home })
    .map((path) => path.split(sep).join("/"))
    .filter((path) => !path.endsWith(".d.ts") && !path.includes("/corpus/"))
    .toSorted()
    .map((path) => sourceOf(path, readFileSync(join(home, path), "utf8")));
}

/** The violations as one string for a test's message; empty when there are none. */
export function describeViolations(violations: readonly Violation[]): string {
  return violations.map((violation) => `${violation.path}:${violation.line} ${violation.message}`).join("\n");
}
