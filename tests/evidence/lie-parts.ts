/** What the stories of lies share. */
import type { KnownBranches } from "../../src/evidence/decide/age.ts";
import { differences, type Shape, type Story, type StoryOther } from "./stories.ts";

/** Shapes without a merge. */
export const alone: readonly Shape[] = ["plain", "earlier"];

/** Branches as they were when the task was recorded. */
export function recordedAt(...ids: readonly string[]): KnownBranches {
  return { recorded: { ids, isCut: false }, isFinishedBefore: false };
}

/** Another task that is credited with a commit. */
export function credited(commit: string, claimed: readonly string[] | null): StoryOther {
  return { task: "1-1-T9", commits: [commit], claimed, isCredited: true };
}

/** What the work changed. */
export const changedBy = (story: Story): readonly string[] => differences(story.before, story.after);

/** What the work changed is listed, and nothing else. */
export function listAll(story: Story): void {
  story.files = changedBy(story);
}
