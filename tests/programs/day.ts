/**
 * One day of a team of three programs on one repository, with scripted models: a lead in Claude Code, a developer in Codex
 * and one in Gemini CLI. The lead plans, both developers work, one edits what the other holds and reports a lie, the lead
 * starts a teammate that nobody registered, wakes the idle developer and stops the team.
 */
import { contract, message } from "../e2e/command.ts";
import { git } from "../evidence/history.ts";
import type { ModelAnswer, ModelTurn, Script } from "./model.ts";
import { makeProject, type Project, teamWithRule } from "./project.ts";
import { reviewedHooks, runSession } from "./session.ts";
import { inTerminal } from "./terminal.ts";
import { commitOf, sends, shellOf } from "./tools.ts";

/** What a model answers, turn after turn, from the one in which it first reads `when`. */
interface Part {
  readonly when: RegExp;
  readonly answers: readonly (ModelAnswer | ((turn: ModelTurn) => ModelAnswer))[];
}

/** Plays its parts, each once; whatever else it is asked, it has nothing to do. */
function playing(parts: readonly Part[]): Script {
  const left = [...parts];
  let now: Part["answers"] = [];
  return (turn) => {
    if (now.length === 0) {
      const at = left.findIndex(({ when }) => when.test(turn.fresh));
      now = at < 0 ? [] : (left.splice(at, 1)[0]?.answers ?? []);
    }
    const [answer = "Nothing to do."] = now;
    now = now.slice(1);
    return typeof answer === "function" ? answer(turn) : answer;
  };
}

/** What a day left, in words that are the same each day. */
export interface Day {
  /** What each agent did, in its order. */
  readonly record: Readonly<Record<string, readonly string[]>>;
  /** What the models read at the moments that count. */
  readonly read: Readonly<Record<string, boolean>>;
  readonly certificate: readonly string[];
  readonly commits: readonly string[];
}

const report = (task: string, file: string, commit: string, more: object) =>
  message(
    "execution_update",
    "dev",
    { plan_id: "1-1", task_id: task, status: "complete", commit, files_modified: [file] },
    { task, ...more },
  );
const stopping = message(
  "shutdown_request",
  "lead",
  { reason: "phase_complete", team_name: "web" },
  { id: "stop-1", task: "" },
);
const stopped = (agent: string) =>
  message(
    "shutdown_response",
    "dev",
    { request_id: "stop-1", approve: true, final_status: "complete" },
    { id: `stopped-${agent}`, task: "" },
  );
const commitIn = ({ fresh }: ModelTurn) => /[0-9a-f]{40}/.exec(fresh)?.[0] ?? "none";

const cart = "src/cart.js";
const tax = "src/tax.js";
const notes = "src/notes.js";

function leadParts(): readonly Part[] {
  const send = (input: object) => [{ tool: sends["claude-code"], input }];
  return [
    { when: /PLAN NOW/, answers: [send({ message: contract(["src/"], { payload: planned }) }), "Planned."] },
    {
      when: /HIRE NOW/,
      answers: [
        [
          {
            tool: "Agent",
            input: {
              description: "Notes",
              prompt: "TEAMMATE, write the notes.",
              name: "helper-1",
              subagent_type: "general-purpose",
            },
          },
        ],
        "Hired.",
      ],
    },
    { when: /ASK NOW/, answers: [send({ message: "Please finish the cart.", to: ["dev-1"] }), "Asked."] },
    {
      when: /STOP NOW/,
      answers: [
        send({ message: stopping }),
        [{ tool: "SendMessage", input: { to: "helper-1", summary: "mail", message: "READ YOUR MAIL" } }],
        "Stopping.",
      ],
    },
  ];
}

const isTeammates = ({ prompt }: ModelTurn) => prompt.includes("TEAMMATE, write");

const planned = {
  plan_id: "1-1",
  phase_id: "phase-1",
  objective: "A cart with taxes",
  tasks: ["1-1-T1", "1-1-T2"],
  allowed_paths: ["src/"],
  must_haves: ["The sum is right"],
};

function teammateParts(project: Project): readonly Part[] {
  const write = (file: string) => [
    { tool: "Write", input: { file_path: `${project.root}/${file}`, content: "notes\n" } },
  ];
  const send = (input: object) => [{ tool: sends["claude-code"], input }];
  return [
    {
      when: /TEAMMATE/,
      answers: [
        write(cart),
        write(notes),
        [shellOf("claude-code", commitOf("helper-1", notes))],
        send({ message: "The notes are there.", to: ["dev-2"] }),
        "Written.",
      ],
    },
    {
      when: /READ YOUR MAIL/,
      answers: [
        [{ tool: sends["claude-code"].replace("send_message", "read_inbox"), input: {} }],
        send({ message: stopped("helper-1") }),
        "Stopped.",
      ],
    },
  ];
}

function codexParts(): readonly Part[] {
  const baton = (tool: string, input: object) => [{ tool: `mcp__baton/${tool}`, input }];
  const patch = `*** Begin Patch\n*** Add File: ${cart}\n+export const cart = [];\n*** End Patch\n`;
  return [
    {
      when: /BEGIN WORK/,
      answers: [
        baton("task", { action: "claim", task: "1-1-T1", files: [cart] }),
        [{ tool: "apply_patch", input: { patch } }],
        "Half of it is there.",
      ],
    },
    {
      when: /Please finish the cart/,
      answers: [
        [shellOf("codex", commitOf("dev-1", cart))],
        (turn) => baton("send_message", { message: report("1-1-T1", cart, commitIn(turn), { id: "done-1" }) }),
        "The cart is done.",
      ],
    },
    { when: /stop-1/, answers: [baton("send_message", { message: stopped("dev-1") }), "Codex has stopped."] },
  ];
}

function geminiParts(project: Project): readonly Part[] {
  const baton = (tool: string, input: object) => [{ tool: `mcp_baton_${tool}`, input }];
  const write = (file: string) => [
    { tool: "write_file", input: { file_path: `${project.root}/${file}`, content: "export const tax = 0.19;\n" } },
  ];
  return [
    {
      when: /plan_contract/,
      answers: [
        write(cart),
        baton("task", { action: "claim", task: "1-1-T2", files: [tax] }),
        write(tax),
        baton("send_message", { message: report("1-1-T2", tax, "abc1234abc1234", { id: "lie-2" }) }),
        baton("task", { action: "claim", task: "1-1-T2", files: [tax] }),
        [shellOf("gemini", commitOf("dev-2", tax))],
        (turn) => baton("send_message", { message: report("1-1-T2", tax, commitIn(turn), { id: "done-2" }) }),
        "The taxes are done.",
      ],
    },
    {
      when: /stop-1/,
      answers: [baton("read_inbox", {}), baton("send_message", { message: stopped("dev-2") }), "Gemini has stopped."],
    },
  ];
}

/** Plays one day; `without`: this program has lost its settings, which the day must show. */
export async function playDay({ without }: { readonly without?: "gemini" } = {}): Promise<Day> {
  using project = makeProject("claude-code", "codex", "gemini");
  project.write(".baton/team.yaml", teamWithRule);
  if (without !== undefined) project.baton(["uninstall", without]);
  git(project.root, "add", "-A");
  git(project.root, "commit", "--quiet", "-m", "the programs");
  const start = git(project.root, "rev-parse", "HEAD").trim();
  const teammate = playing(teammateParts(project));
  const leading = playing(leadParts());
  await using lead = await inTerminal(project, "claude-code", {
    agent: "lead-1",
    words: ["--permission-mode", "acceptEdits", "--allowedTools", "Bash"],
    script: (turn) => (isTeammates(turn) ? teammate(turn) : leading(turn)),
  });
  await lead.type("PLAN NOW");
  await lead.until("the plan", () => lead.screen().includes("Planned."));

  await using codex = await inTerminal(project, "codex", {
    agent: "dev-1",
    words: ["--sandbox", "danger-full-access", "--ask-for-approval", "never"],
    settings: await reviewedHooks(project),
    script: playing(codexParts()),
  });
  await codex.type("BEGIN WORK");
  await codex.until("the work", () => codex.screen().includes("Halfofitisthere."));

  const gemini = playing(geminiParts(project));
  const first = await runSession(project, "gemini", { agent: "dev-2", script: gemini });

  await lead.type("HIRE NOW");
  const hasRead = (words: string) => lead.turns.some((turn) => isTeammates(turn) && turn.fresh.includes(words));
  await lead.until("the teammate", () => hasRead('"receivers":["dev-2"]') || hasRead('\\"receivers\\":[\\"dev-2\\"]'));
  await lead.type("ASK NOW");
  await codex.until("the cart", () => codex.screen().includes("Thecartisdone."));
  await lead.type("STOP NOW");
  await codex.until("the end of Codex", () => codex.screen().includes("Codexhasstopped."));
  await lead.until("the end of the teammate", () => hasRead("stopped-helper-1"));
  const second = await runSession(project, "gemini", { agent: "dev-2", script: gemini });
  return dayOf(project, start, { lead: lead.turns, codex: codex.turns, gemini: [...first.turns, ...second.turns] });
}

function dayOf(project: Project, start: string, { lead, codex, gemini }: Turns): Day {
  const read = (turns: readonly ModelTurn[], ...words: readonly string[]) =>
    turns.some(({ fresh }) => words.every((each) => fresh.includes(each)));
  const held = "dev-1 holds this path";
  const lie = gemini.findIndex(({ fresh }) => fresh.includes("lie-2"));
  const lines = jsonLinesOf<Entry>(project.baton(["log", "--json"])).filter(({ kind }) => kind !== "ack");
  const [round] = jsonLinesOf<Round>(project.baton(["shutdown", "status", "--json"]));
  return {
    record: Object.fromEntries(
      [...new Set(lines.map(({ sender }) => sender))]
        .toSorted()
        .map((name) => [
          name,
          lines
            .filter(({ sender }) => sender === name)
            .map(
              ({ kind, type, receivers, summary }) =>
                `${type ?? (kind === "message" ? "prose" : kind)} to [${receivers.join(", ")}] ${summary}`,
            ),
        ]),
    ),
    read: {
      "dev-2 was denied the file of dev-1": read(gemini, held),
      "helper-1 was denied the file of dev-1": read(lead.filter(isTeammates), held),
      "dev-2 read in its next request that its report is disputed": read(
        gemini.slice(lie, lie + 1),
        "The repository contradicts",
        "commit-missing",
      ),
      "lead-1 was woken and read so": read(lead, "mail waits for lead-1", "is disputed"),
      "dev-1 was woken with the words of lead-1": read(codex, "mail waits for dev-1", "Please finish the cart."),
    },
    certificate: [
      `${round?.round} ${round?.outcome}`,
      ...(round?.agents ?? []).map(({ agent, outcome }) => `${agent} ${outcome}`),
    ],
    commits: git(project.root, "log", "--format=%an %s", `${start}..`).trim().split("\n"),
  };
}

type Turns = Readonly<Record<"lead" | "codex" | "gemini", readonly ModelTurn[]>>;

/** As `baton log` and `baton shutdown status` write them. */
interface Entry {
  readonly kind: string;
  readonly type: string | null;
  readonly sender: string;
  readonly receivers: readonly string[];
  readonly summary: string;
}
interface Round {
  readonly round: string;
  readonly outcome: string;
  readonly agents: readonly { readonly agent: string; readonly outcome: string }[];
}

function jsonLinesOf<T>(text: string): readonly T[] {
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as T);
}
