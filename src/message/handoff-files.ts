/**
 * The states of a handoff document's files, in the words that every door and the record use; what looks at them is
 * `evidence/checksums.ts`. Source: docs/protocol/handoffs.md.
 */
import { type Problem, problem } from "../base/problem.ts";

/** Every state. `weak`: there, but its checksum is too short to tell anything. */
export const fileStates = ["ok", "changed", "missing", "outside", "weak"] as const;
export type FileState = (typeof fileStates)[number];

/** States that prevent acceptance. */
export const faultyStates = ["changed", "missing", "outside"] as const satisfies readonly FileState[];

/** A file that prevents acceptance, and why, if the state alone does not say. */
export interface FaultyFile {
  readonly path: string;
  readonly state: (typeof faultyStates)[number];
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
  readonly failed: readonly FaultyFile[];
}

/** Whether a state prevents acceptance. */
export function isFaulty(state: FileState): state is FaultyFile["state"] {
  return (faultyStates as readonly FileState[]).includes(state);
}

/** The problem of such a file: `file-changed`, `file-missing` or `file-outside`. */
export function fileProblem(
  { path, state, reason }: FaultyFile,
  sums: { readonly expected?: string | undefined; readonly received?: string | undefined } = {},
): Problem {
  switch (state) {
    case "changed":
      return problem("file-changed", path, "The file is not the one that was handed over.", {
        ...sums,
        hint: "Bring the file back, or reject the handoff and say that it was changed.",
      });
    case "missing":
      return problem("file-missing", path, `The file is not there${reason === null ? "" : `: ${reason}`}.`, {
        received: path,
        hint: "Bring it there. If it was moved or is not needed, the handoff is issued again with the right path, or without it.",
      });
    case "outside":
      return problem("file-outside", path, `The file is not looked at: ${reason ?? "it is outside the root"}.`, {
        expected: "a path inside the repository, relative to its root",
        received: path,
        hint: "Name a file inside the repository, or copy it there.",
      });
  }
}
