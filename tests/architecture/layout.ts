/**
 * The import rule of the house, as ARCHITECTURE.md says it: a file imports its own subject, the kernel, and of another
 * subject only what is pure or a service; `perform` joins the subjects, doors use them, and nothing below imports a door.
 * Type imports count: a type is knowledge too. graph.ts holds the rest: no file reaches itself.
 */
import { type Guard, isTest, type Source, type Violation } from "./sources.ts";

/** What a team does, one folder each. */
export const subjects = [
  "approvals",
  "escalations",
  "evidence",
  "handoffs",
  "health",
  "landing",
  "mail",
  "needs",
  "phases",
  "planning",
  "programs",
  "receipts",
  "record",
  "remotes",
  "shutdown",
  "tasks",
  "team",
] as const;

/** The parts of a subject by their level; a part is a file or a folder of that name. Imports within a subject go down. */
const levels: Readonly<Record<string, number>> = {
  state: 2,
  decide: 2,
  view: 2,
  operations: 2,
  reading: 2,
  git: 2,
  services: 3,
  handlers: 4,
  folders: 5,
  hooks: 6,
  install: 6,
  text: 6,
  page: 6,
  sessions: 7,
};
/** The highest level that another subject may import. */
const servicesLevel = 3;
const doorLevel = 6;

/** The folders that are no subject. `perform` is above the subjects where it joins them, and below where they use it. */
const folders: Readonly<Record<string, number>> = { base: 0, journal: 1, messages: 1, perform: 4, testing: 6, main: 7 };
const libraryLevel = 6.5;
const topLevel = 7;

/** Which door a part of a subject belongs to. */
const doorOfPart: Readonly<Record<string, string>> = { text: "cli", install: "cli", page: "page", hooks: "hooks" };

interface Place {
  readonly level: number;
  /** The subject, or the folder of the kernel. */
  readonly folder: string;
  readonly door: string | null;
}

/** Where a file is; null for a folder that the house does not have. */
function placeOf(path: string): Place | null {
  const [, folder = "", part = ""] = path.replace(/\.(svelte\.)?(ts|svelte)$/, "").split("/");
  if (path.startsWith("examples/demo/")) return { level: libraryLevel, folder: "demo", door: null };
  if (path.split("/").length === 2) return { level: topLevel, folder: "", door: null };
  if (folder === "doors") {
    return part === "library"
      ? { level: libraryLevel, folder: "library", door: null }
      : { level: doorLevel, folder: `doors/${part}`, door: part };
  }
  const kernel = folders[folder];
  if (kernel !== undefined) return { level: kernel, folder, door: null };
  const level = levels[part];
  if (level === undefined || !(subjects as readonly string[]).includes(folder)) return null;
  return { level, folder, door: doorOfPart[part] ?? null };
}

const production = (sources: readonly Source[]): readonly Source[] => sources.filter((source) => !isTest(source.path));

/** Why `own` may not import `other`; null where it may. */
function reasonAgainst(own: Place, other: Place): string | null {
  const isSubject = (place: Place) => (subjects as readonly string[]).includes(place.folder);
  if (own.door !== null && other.door !== null && own.door !== other.door) return "is part of another door";
  if (own.folder === other.folder) return other.level > own.level ? "is a higher part of this subject" : null;
  // The roster says who may send what, so messages know the state of the team.
  if (own.folder === "messages" && other.folder === "team" && other.level === 2) return null;
  if (own.folder === "perform" || other.folder === "perform") {
    const isBelow = own.level < 2 || other.level >= 5;
    return own.level >= doorLevel || !isBelow ? null : "is above this file";
  }
  if (other.level > own.level) return "is above this file";
  if (own.level < 5 && isSubject(own) && isSubject(other) && other.level > servicesLevel)
    return "is what another subject does, not what it offers";
  return null;
}

/** The single dialect that a file belongs to, or null. */
function dialectOf(path: string): string | null {
  return /^src\/messages\/dialects\/([a-z]+-[0-9.-]+)\//.exec(path)?.[1] ?? null;
}

/** Holds the import rule. */
export const layoutGuard: Guard = (sources) => {
  const violations: Violation[] = [];
  for (const source of production(sources)) {
    const own = placeOf(source.path);
    if (own === null) {
      const message =
        "This folder is not in the house. Put the file into a part of a subject, the kernel or a door (tests/architecture/layout.ts has the list).";
      violations.push({ path: source.path, line: 1, message });
      continue;
    }
    for (const { target, line } of source.imports) {
      const other = /^(src|examples\/demo)\//.test(target) ? placeOf(target) : null;
      const reason = other === null ? null : reasonAgainst(own, other);
      if (reason === null) continue;
      const message = `imports ${target}, which ${reason}. Move the shared thing to state, view or services of its subject, or pass it in as a value.`;
      violations.push({ path: source.path, line, message });
    }
  }
  return violations;
};

/** Only the registry knows which dialects there are, and no dialect leans on another. */
export const dialectsGuard: Guard = (sources) =>
  production(sources).flatMap((source) =>
    source.imports
      .filter(({ target }) => {
        const named = dialectOf(target);
        return (
          named !== null && named !== dialectOf(source.path) && source.path !== "src/messages/dialects/registry.ts"
        );
      })
      .map(({ target, line }) => ({
        path: source.path,
        line,
        message: `names ${target}. Ask src/messages/dialects/registry.ts for a Dialect instead; only the registry names single dialects.`,
      })),
  );

/** Production never loads tests or the testing door. */
export const testingGuard: Guard = (sources) =>
  production(sources).flatMap((source) =>
    source.imports
      .filter(({ target }) => {
        if (/\.test\.ts$|^(tests|bench|scripts)\/|^examples\/(?!demo\/)/.test(target)) return true;
        return target.startsWith("src/testing/") && !source.path.startsWith("src/testing/");
      })
      .map(({ target, line }) => ({
        path: source.path,
        line,
        message: `imports ${target}. Production never needs what only tests need: move the shared part to its own room.`,
      })),
  );
