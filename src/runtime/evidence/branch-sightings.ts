/**
 * Where the branches are when a task is recorded or claimed. They are read outside the write lock: a decision that
 * would record a task is put off, the branches are read, and it is taken again. Rules: docs/protocol/verdicts.md.
 */
import { isJsonList, isJsonObject, type Json } from "../../base/json.ts";
import { type BranchTips, branchesSeen } from "../../coordination/tasks/branches.ts";
import type { EntryDraft } from "../../journal/entry.ts";
import type { Decline } from "../../journal/journal.ts";
import type { TeamState } from "../state.ts";

/** Whether the entry adds a task, grants a claim or takes files, so that it must say where the branches were. */
export function recordsTask(draft: EntryDraft | Decline): draft is EntryDraft {
  return "content" in draft && eventsOf(draft).some((event) => isTask(event));
}

/** The entry with the sighting before its other events. Null tips: nothing could be read, and it is as it was. */
export function withSighting(draft: EntryDraft, state: TeamState, tips: BranchTips | null, seq: number): EntryDraft {
  const seen = branchesSeen(state.coordination.work.branches, tips, seq);
  if (seen.length === 0 || !isJsonObject(draft.content)) return draft;
  const sightings = seen.map((event): Json => ({ ...event }));
  return { ...draft, content: { ...draft.content, events: [...sightings, ...eventsOf(draft)] } };
}

function eventsOf({ content }: EntryDraft): readonly Json[] {
  const events = isJsonObject(content) ? content.events : undefined;
  return isJsonList(events) ? events : [];
}

const kinds: readonly string[] = ["task-added", "task-claimed", "files-taken"];

function isTask(event: Json): boolean {
  return isJsonObject(event) && kinds.some((kind) => event.event === kind);
}
