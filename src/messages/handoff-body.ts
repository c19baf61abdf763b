/**
 * What a handoff document says, as facts carry it: its sections by their names on the wire, which of its files are
 * checked when, and in which states a file can be (`evidence/decide/checksums.ts` looks at them). Paths stay as they are
 * written; code that opens one checks it first. Source: tests/requirements/bmad-1.tsv;
 * docs/protocol/phases.md, sections 12 to 14.
 */
import type { Json } from "../base/json.ts";
import { makeProblem, type Problem } from "../base/problem.ts";

/** An earlier handoff, as a document names it. */
export type PreviousHandoff = {
  readonly source_agent: string;
  readonly target_agent: string;
  readonly timestamp: string;
  readonly summary: string;
};

/** The sections of a handoff document. Optional parts are absent where the document does not say. */
export type HandoffBody = {
  readonly metadata: {
    readonly id: string;
    readonly source_agent: string;
    readonly target_agent: string;
    readonly timestamp: string;
    readonly workflow_id?: string;
    readonly task_id?: string;
  };
  readonly context: {
    readonly story_file?: string;
    readonly architecture_context?: string;
    readonly prd_context?: string;
    readonly additional_context?: readonly string[];
    readonly key_decisions?: readonly {
      readonly decision: string;
      readonly rationale: string;
      readonly impact: string;
    }[];
  };
  readonly instructions: {
    readonly primary: string;
    readonly secondary?: readonly string[];
    readonly constraints?: readonly string[];
    readonly success_criteria?: readonly string[];
  };
  readonly dependencies: {
    readonly required_files?: readonly string[];
    readonly generated_files?: readonly string[];
    readonly external_dependencies?: readonly {
      readonly name: string;
      readonly version?: string;
      readonly url?: string;
    }[];
  };
  readonly validation?: {
    readonly file_checksums?: { readonly [path: string]: string };
    readonly source_status?: {
      readonly completed_tasks?: readonly string[];
      readonly pending_tasks?: readonly string[];
      readonly overall_status?: "completed" | "in-progress" | "failed";
    };
    readonly quality_checks?: {
      readonly tests_passed?: boolean;
      readonly code_review_status?: "passed" | "failed" | "pending";
      readonly documentation_complete?: boolean;
    };
  };
  readonly history?: {
    readonly previous_handoffs?: readonly PreviousHandoff[];
    readonly lessons_learned?: readonly string[];
  };
};

export type FileState = (typeof fileStates)[number];

/** A file that prevents acceptance, and why, if the state alone does not say. */
interface BlockingFile {
  readonly path: string;
  readonly state: (typeof blockingStates)[number];
  readonly reason: string | null;
}

/** What was found when somebody looked for a document's files. */
export interface VerifiedFiles {
  /** Which document it was; see `handoffDigest`. */
  readonly digest: string;
  readonly files: number;
  /** How many of them have a checksum that tells nothing. */
  readonly weak: number;
  /** The first file that prevents acceptance. */
  readonly failed: readonly BlockingFile[];
}

/** The sections of a document that a definition of bmad/1 has accepted. */
export function bodyOf(document: { readonly [key: string]: Json }): HandoffBody {
  return document.handoff as HandoffBody; // The definition has judged it by the same names.
}

/** A file that a document names, with the checksum that it gives; null: it gives none. */
export interface NamedFile {
  readonly path: string;
  readonly checksum: string | null;
}

/**
 * Files that must be there before the work is taken over: the required ones, and those with a checksum. Each spelling
 * once.
 */
export function filesToVerify({ dependencies, validation }: HandoffBody): readonly NamedFile[] {
  const checksums = new Map(Object.entries(validation?.file_checksums ?? {}));
  const paths = new Set([...(dependencies.required_files ?? []), ...checksums.keys()]);
  return [...paths].map((path) => ({ path, checksum: checksums.get(path) ?? null }));
}

/** Files that the work makes, which must be there when it is done; their content is what was made of it. */
export function filesToMake({ dependencies }: HandoffBody): readonly NamedFile[] {
  return [...new Set(dependencies.generated_files)].map((path) => ({ path, checksum: null }));
}

/**
 * Files whose checksums an issued document carries. `required` must be there; of the others, the documents of the context
 * and what was generated already, those that are.
 */
export function filesToStamp(body: HandoffBody): {
  readonly required: readonly string[];
  readonly others: readonly string[];
} {
  const { context, dependencies } = body;
  const required = new Set(filesToVerify(body).map(({ path }) => path));
  const named = [
    context.story_file,
    context.architecture_context,
    context.prd_context,
    ...(context.additional_context ?? []),
    ...(dependencies.generated_files ?? []),
  ].flatMap((path) => (path === undefined || path === "" ? [] : [path]));
  return { required: [...required], others: [...new Set(named)].filter((path) => !required.has(path)) };
}

/**
 * The statement of a document about its work that forbids accepting it, as field and word: `overall_status: failed`.
 */
export function unfitness({ validation }: HandoffBody): readonly string[] {
  const { source_status: status, quality_checks: checks } = validation ?? {};
  return [
    ...(status?.overall_status === "failed" ? ["overall_status: failed"] : []),
    ...(checks?.tests_passed === false ? ["tests_passed: false"] : []),
    ...(checks?.code_review_status === "failed" ? ["code_review_status: failed"] : []),
  ];
}

/** By what two mentions of an earlier handoff are the same one; its summary may be shortened. */
export function previousKey(previous: { readonly [field: string]: unknown }): string {
  const { source_agent, target_agent, timestamp } = previous;
  return JSON.stringify([source_agent ?? null, target_agent ?? null, timestamp ?? null]);
}

/** Every state. `weak`: there, but its checksum is too short to tell anything. */
export const fileStates = ["ok", "changed", "missing", "outside", "weak"] as const;

/** States that prevent acceptance. */
export const blockingStates = ["changed", "missing", "outside"] as const satisfies readonly FileState[];

/** Whether a state prevents acceptance. */
export function preventsAcceptance(state: FileState): state is BlockingFile["state"] {
  return (blockingStates as readonly FileState[]).includes(state);
}

/** The problem of such a file: `file-changed`, `file-missing` or `file-outside`. */
export function fileProblem(
  { path, state, reason }: BlockingFile,
  sums: { readonly expected?: string | undefined; readonly received?: string | undefined } = {},
): Problem {
  switch (state) {
    case "changed":
      return makeProblem("file-changed", path, "The file is not the one that was handed over.", {
        ...sums,
        hint: "Bring the file back, or reject the handoff and say that it was changed.",
      });
    case "missing":
      return makeProblem("file-missing", path, `The file is not there${reason === null ? "" : `: ${reason}`}.`, {
        received: path,
        hint: "Bring it there. If it was moved or is not needed, the handoff is issued again with the right path, or without it.",
      });
    case "outside":
      return makeProblem("file-outside", path, `The file is not looked at: ${reason ?? "it is outside the root"}.`, {
        expected: "a path inside the repository, relative to its root",
        received: path,
        hint: "Name a file inside the repository, or copy it there.",
      });
  }
}
