import assert from "node:assert/strict";
import { test } from "node:test";
import { type EntryKind, entryKinds } from "../../journal/entry.ts";
import type { FactKind } from "../../messages/facts.ts";
import { isInView, logViews } from "../view/log-line.ts";

/** The views that show an entry of the kind, of an agent and of the owner; by whether it states a fact. */
const shown: Readonly<Record<EntryKind, readonly [fact: FactKind | null, agents: string, owners: string][]>> = {
  message: [
    [null, "messages", "messages"],
    ["progress", "messages", "messages"],
  ],
  command: [
    [null, "", ""],
    ["approval-response", "messages", "messages"],
  ],
  refusal: [
    [null, "messages refusals", ""],
    ["progress", "messages refusals", ""],
  ],
  ack: [[null, "", ""]],
  timer: [[null, "", ""]],
  team: [[null, "", ""]],
  epoch: [[null, "messages", "messages"]],
};

test("each view shows its kinds of entry, and no kind is forgotten", () => {
  for (const kind of entryKinds) {
    for (const [fact, agents, owners] of shown[kind]) {
      const views = (sender: string) =>
        logViews.filter((view) => isInView({ kind, sender, fact, receivers: [], type: null }, view)).join(" ");
      assert.deepEqual([views("dev-1"), views("owner")], [agents, owners], `${kind} ${fact}`);
    }
  }
});

test("a deadline or an operation of which somebody was notified is among the messages, in any wording", () => {
  for (const kind of ["timer", "command"] as const) {
    for (const fact of ["approval-response", null] as const) {
      const line = { kind, sender: "baton", receivers: ["dev-1"], fact, type: null };
      assert.deepEqual(
        logViews.filter((view) => isInView(line, view)),
        ["messages"],
      );
    }
  }
});

test("a report of work by an operation is among the messages, another operation of an agent is not", () => {
  const inMessages = (type: string) =>
    isInView({ kind: "command", sender: "dev-1", receivers: [], fact: null, type }, "messages");
  assert.deepEqual([inMessages("complete-task"), inMessages("claim-task")], [true, false]);
});
