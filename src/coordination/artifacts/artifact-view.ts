/** Messages that name artifacts, as people and agents see them. Derived from the work, never stored. */
import type { Problem } from "../../base/problem.ts";
import type { Work } from "../tasks/work-state.ts";
import type { ArtifactRecord } from "./artifact-state.ts";

/** The artifacts of one message, with what the repository says of them. */
export interface ArtifactView {
  /** The entry of the message. */
  readonly seq: number;
  readonly type: string;
  readonly sender: string;
  /** The plan that it is about, as first written; null: none. */
  readonly plan: string | null;
  /** The artifacts' paths as written. */
  readonly artifacts: readonly string[];
  /** `reported`: nobody has looked, or could not see. */
  readonly state: "reported" | "verified" | "disputed";
  readonly problems: readonly Problem[];
}

/** Every message that is the last word on its artifacts, in their order. */
export function artifactViews(work: Work): readonly ArtifactView[] {
  return [...work.artifacts.records.values()].map((record) => artifactView(work, record));
}

/** The message of that entry; null: it names no artifact, or a later message is the last word. */
export function artifactViewAt(work: Work, seq: number): ArtifactView | null {
  const record = work.artifacts.records.get(String(seq));
  return record === undefined ? null : artifactView(work, record);
}

/** Those of them that are in dispute. */
export function disputedArtifacts(work: Work): readonly ArtifactView[] {
  return artifactViews(work).filter(({ state }) => state === "disputed");
}

function artifactView(work: Work, { seq, type, sender, plan, artifacts, finding }: ArtifactRecord): ArtifactView {
  return {
    seq,
    type,
    sender,
    plan: plan === null ? null : (work.plans.get(plan)?.plan ?? plan),
    artifacts,
    state: finding?.state ?? "reported",
    problems: finding?.problems ?? [],
  };
}
