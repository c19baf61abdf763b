import assert from "node:assert/strict";
import { test } from "node:test";
import { findCommand } from "../../doors/cli/kernel/catalogue.ts";
import { catalogue } from "../../main/catalogue.ts";
import type { Member } from "../../team/state/roster.ts";
import { type Need, type NeedKind, needDefaults, needKinds } from "../view/need-ranking.ts";
import { callerNamed, type Matters, needCommands } from "./decision-commands.ts";

function member(agent: string, role: Member["role"], more: Partial<Member> = {}): Member {
  return { agent, role, dialect: "vbw/2", source: "command", status: "active", session: 1, ...more };
}

const agents = [
  member("lead-1", "lead"),
  member("dev-1", "dev"),
  member("gone-1", "lead", { status: "retired" }),
  member("guest-1", "guest"),
  member("own-1", "lead", { registrars: ["dev-1"] }),
];
// Commands look at these fields alone.
const approvals = [
  {
    requestId: "ask",
    requester: "dev-1",
    requestType: "scope_change",
    addressees: ["lead-1", "own-1"],
    paths: ["docs/"],
  },
];
const escalations = [{ id: "ESC", originators: ["dev-1"], level: "lead", chain: ["lead", "user"], options: [] }];
const matters = { agents, approvals, escalations } as unknown as Matters;

function need(kind: NeedKind, target: string): Need {
  const said = { triage: "decide", subject: "", dueAt: null, since: null, group: null, subgroup: null } as const;
  return { ...needDefaults, ...said, id: kind, kind, target, agent: "dev-1", blocksTotal: 0, ifSeq: 1 };
}

function proposed(agent: string, kind: NeedKind, target: string): string {
  const commands = needCommands(callerNamed(agent, agents), need(kind, target), matters);
  return commands.map((words) => words.join(" ")).join("; ");
}

test("an agent gets the commands of what it may decide, and what only shows something", () => {
  const approve = "approve ask --paths docs/; deny ask --reason TEXT";
  const resolve = "escalation resolve ESC --decision TEXT";
  for (const [kind, target, owner, lead, dev] of [
    ["hold", "57", "phase lift --stop 57 --reason TEXT", "", ""],
    ["revision", "p-1", "team; team confirm p-1; team decline p-1 --reason TEXT", "", ""],
    ["approval", "ask", approve, approve, ""],
    ["dispute", "T1", ...Array<string>(2).fill("verify T1; task settle T1 verified; task reopen T1"), "verify T1"],
    ["conflict", "T1", ...Array<string>(3).fill("task list T1")],
    ["finding", "01", "phase 01", "phase 01", "phase 01"],
    ["signoff", "01", "phase 01; phase end --phase 01", "phase 01", "phase 01"],
    [
      "handoff",
      "h-1",
      `handoff list h-1; handoff accept h-1; handoff reject h-1 --reason TEXT`,
      ...Array<string>(2).fill("handoff list h-1"),
    ],
    ["escalation", "ESC", resolve, resolve, ""],
    ["unresponsive", "dev-1", "run dev-1; agent retire dev-1", "agent retire dev-1", "agent list dev-1"],
    ["unresponsive", "lead-1", "run lead-1; agent retire lead-1", "agent list lead-1", "agent list lead-1"],
    ["idle", "5", ...Array<string>(3).fill("task list 5")],
    ["remote", "shop", "remote list", "remote list", "remote list"],
    ["remote", "shop/out-1", "send - --to remote:shop/out-1", "", ""],
    ["loop", "dev-1", ...Array<string>(3).fill("log --view refusals --agent dev-1")],
    ["over-budget", "1-1", ...Array<string>(3).fill("contract show 1-1")],
  ] as const) {
    const found = ["owner", "lead-1", "dev-1"].map((agent) => proposed(agent, kind, target));
    assert.deepEqual(found, [owner, lead, dev], `${kind} ${target}`);
  }
});

test("an artifact that the repository does not confirm is looked at again by the command, which the hub runs itself", () => {
  const asked = { ...need("dispute", "6"), id: "artifact:6" };
  const words = needCommands(callerNamed("owner", agents), asked, matters).map((each) => each.join(" "));
  assert.deepEqual(words, ["show 6", "verify --artifacts", "artifact settle 6"]);
});

test("nobody decides its own matter, and an agent that has left, a guest and a stranger decide nothing", () => {
  for (const agent of ["own-1", "gone-1", "guest-1", "nobody"]) {
    for (const [kind, target] of [
      ["approval", "ask"],
      ["escalation", "ESC"],
    ] as const)
      assert.equal(proposed(agent, kind, target), "", `${agent} ${kind}`);
  }
  assert.equal(proposed("guest-1", "dispute", "T1"), "");
});

test("every kind of need has a command for the owner, and each command is one of the program's", () => {
  const targets: { readonly [Kind in NeedKind]?: string } = {
    approval: "ask",
    escalation: "ESC",
    unresponsive: "dev-1",
  };
  for (const kind of needKinds) {
    const commands = needCommands(callerNamed("owner", agents), need(kind, targets[kind] ?? "x"), matters);
    assert.ok(commands.length > 0, kind);
    for (const words of commands) {
      const isKnown = [1, 2].some((count) => findCommand(catalogue, words.slice(0, count)) !== null);
      assert.ok(isKnown, words.join(" "));
    }
  }
});
