/**
 * The person decides in the agent's own terminal: the call that asks for leave shows a form, in both protocols, where the
 * owner's `baton run` started the session. Whatever else happens to the form, the request waits as ever.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Client, type ElicitResult } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { HookProgram } from "../../src/messages/program-hooks.ts";
import { processNow } from "../../src/perform/workspace/agent-sessions.ts";
import { bindSession } from "../../src/programs/sessions/session-binding.ts";
import { calledWithCode } from "../e2e/called.ts";
import { contract, jsonLines, team } from "../e2e/command.ts";
import { processOf } from "./clients.ts";
import { startHub } from "./hub-place.ts";

/** What a person does with a form; "throws": their program does not show it; "late": a no, after a yes by the command. */
type Does = ElicitResult | "throws" | "late";

interface Session {
  readonly program: HookProgram;
  readonly mode: "legacy" | { readonly pin: string };
  /** Whether the owner, and no agent, started it; absent: yes. */
  readonly isOwners?: boolean;
  /** Whether its program shows forms; absent: it does. */
  readonly showsForms?: boolean;
  readonly variables?: Record<string, string>;
}

const wires = {
  "Codex, which has sessions": { program: "codex", mode: "legacy" },
  "Claude Code, which repeats the call": { program: "claude-code", mode: { pin: "2026-07-28" } },
} as const satisfies Readonly<Record<string, Session>>;

/** The team with a task that dev-1 holds. */
async function held(): Promise<string> {
  const directory = team();
  await calledWithCode(0, directory, ["send", "--as", "lead-1"], contract(["src/"]));
  await calledWithCode(0, directory, ["task", "claim", "1-1-T1", "--files", "src/feature.js", "--as", "dev-1"]);
  return directory;
}

/** Asks for leave in a session of dev-1, whose person does so: what the model reads, and the forms that were shown. */
async function asked(directory: string, session: Session, does: Does, t: TestContext) {
  const { program, mode, isOwners = true, showsForms = true, variables = {} } = session;
  const folder = join(directory, ".baton/sessions");
  const processes = [processNow() ?? assert.fail("the machine does not say")];
  bindSession({ folder, program, session: null, names: ["dev-1"], processes, takes: "launcher", isOwners });
  const forms: string[] = [];
  const capabilities = showsForms ? { elicitation: { form: {} } } : {};
  const client = new Client({ name: "baton-tests", version: "1.0.0" }, { capabilities, versionNegotiation: { mode } });
  if (showsForms)
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      forms.push(params.message);
      if (does === "throws") throw new Error("no terminal");
      if (does !== "late") return does;
      const [open] = jsonLines(await calledWithCode(0, directory, ["needs", "--requests", "--json"]));
      await calledWithCode(0, directory, ["approve", String(open?.requestId)]);
      return accepted({ decision: "deny" });
    });
  const env = { BATON_AGENT: "dev-1", ...variables };
  await client.connect(
    new StdioClientTransport(processOf({ directory, words: ["mcp", "--program", program], variables: env })),
  );
  t.after(() => client.close());
  const use = { hook_event_name: "PreToolUse", tool_name: "mcp__baton__task", tool_use_id: "u1", tool_input: "{}" };
  if (program === "claude-code") await client.callTool({ name: "hook", arguments: { ...use, agent_id: "" } });
  const { structuredContent, isError } = await client.callTool({
    name: "task",
    arguments: { action: "ask", text: "The API is\u001b[2J there", task: "1-1-T1", files: ["docs/api.md"] },
    _meta: program === "codex" ? { threadId: "t1", sessionId: "t1" } : { "claudecode/toolUseId": "u1" },
  });
  assert.ok(isError !== true, JSON.stringify(structuredContent));
  const [request] = jsonLines(await calledWithCode(0, directory, ["needs", "--requests", "--json"]));
  return { told: structuredContent as Readonly<Record<string, unknown>>, forms, request };
}

const accepted = (content: NonNullable<ElicitResult["content"]>): ElicitResult => ({ action: "accept", content });

for (const [name, session] of Object.entries(wires)) {
  test(`${name}: a person's no is in the answer to the same call, as the owner's, and nothing waits`, async (t) => {
    const directory = await held();
    const says = accepted({ decision: "deny" });
    const { told, forms, request } = await asked(directory, session, says, t);
    const reason = /^by elicitation in session .+$/;
    const { approved, reason: given, decidedBy } = told.decision as Readonly<Record<string, unknown>>;
    assert.deepEqual([approved, decidedBy], [false, "owner"]);
    assert.match(String(given), reason);
    assert.match(
      forms.join("\n"),
      /^dev-1 asks for your approval\. A yes: .*allows docs\/api\.md.* What dev-1 wrote: .*The API is␛\[2J there$/,
    );
    const answer = request?.answer as { readonly decidedBy: string; readonly reason: string };
    assert.deepEqual([request?.status, answer.decidedBy], ["denied", "owner"]);
    assert.match(answer.reason, reason);
    assert.doesNotMatch((await calledWithCode(0, directory, ["needs"])).stdout, /docs\/api\.md/);
    assert.match((await calledWithCode(0, directory, ["log"])).stdout, /owner .*denied \S+: by elicitation in session/);
  });

  test(`${name}: a person's yes widens the contract at once`, async (t) => {
    const directory = await held();
    const { told, request } = await asked(directory, session, accepted({ decision: "approve" }), t);
    assert.equal((told.decision as { readonly approved: boolean }).approved, true);
    assert.equal(request?.status, "approved");
    const files = ["--files", "src/feature.js,docs/api.md", "--as", "dev-1"];
    await calledWithCode(0, directory, ["task", "claim", "1-1-T1", ...files]);
  });

  test(`${name}: a no after a yes elsewhere changes nothing, and the form said so`, async (t) => {
    const { told, forms, request } = await asked(await held(), session, "late", t);
    assert.equal(request?.status, "approved");
    assert.match(JSON.stringify(told.decision), /problems/);
    assert.match(forms.join("\n"), / Decided elsewhere first, this form changes nothing\. /);
  });

  for (const [what, does] of Object.entries({
    "cancels it": { action: "cancel" },
    "declines it": { action: "decline" },
    "answers what was not asked": accepted({ decision: "maybe" }),
    "has no terminal": "throws",
  } satisfies Readonly<Record<string, Does>>)) {
    // A client that repeats its call gives up with the form itself.
    if (does === "throws" && session.program === "claude-code") continue;
    test(`${name}: where the person ${what}, the request waits`, async (t) => {
      const { told, forms, request } = await asked(await held(), session, does, t);
      assert.deepEqual([told.outcome, told.decision, request?.status], ["accepted", undefined, "open"]);
      assert.equal(forms.length, 1);
    });
  }

  for (const [what, other] of Object.entries({
    "that an agent started": { isOwners: false },
    "whose program shows no forms": { showsForms: false },
  })) {
    test(`${name}: in a session ${what} nobody is asked`, async (t) => {
      const says = accepted({ decision: "approve" });
      const { told, forms, request } = await asked(await held(), { ...session, ...other }, says, t);
      assert.deepEqual([told.outcome, told.decision, request?.status], ["accepted", undefined, "open"]);
      assert.deepEqual(forms, []);
    });
  }
}

test("in a session whose token a hub proves nobody is asked: its person may not be the owner", async (t) => {
  const directory = await held();
  const hub = await startHub(directory);
  const { headers } = await hub.as("dev-1");
  const token = headers.authorization?.replace("Bearer ", "") ?? assert.fail("no token");
  const variables = { BATON_HUB: hub.url.replace(/\/mcp$/, ""), BATON_TOKEN: token };
  const session = { ...wires["Codex, which has sessions"], variables };
  const { forms, request } = await asked(directory, session, accepted({ decision: "approve" }), t);
  assert.deepEqual([request?.status, forms], ["open", []]);
});
