/**
 * Commands by name: the group help shows each in, its one-line summary, and how its file is loaded. Nothing else
 * of a command is loaded before it is asked for, so starting costs the same however many there are.
 */
import type { Problem } from "../../../base/problem.ts";
import { commands } from "../../../perform/operations/generated/commands.ts";
import type { Output } from "../terminal/output.ts";
import type { Command } from "./command.ts";
import type { OneOfList } from "./list-or-one.ts";

/* The commands about handoff documents, for the catalogue. */
const handoffGroup = "Handoff documents";

/** In the order of a document's life. */
const handoffCommands: Catalogue = [
  {
    group: handoffGroup,
    name: "handoff new",
    summary: "a draft from flags, or from the record",
    load: () => import("../../../handoffs/text/handoff-new.ts"),
  },
  {
    group: handoffGroup,
    name: "handoff issue",
    summary: "stamp a document and hand the work over with it",
    load: () => import("../../../handoffs/text/handoff-checks.ts"),
  },
  {
    group: handoffGroup,
    name: "handoff validate",
    summary: "whether a handoff document is well-formed, and its files as it says",
    load: async () => ({ command: (await import("../../../handoffs/text/handoff-checks.ts")).validateCommand }),
  },
  {
    group: handoffGroup,
    name: "handoff accept",
    summary: "verify the files, and take the work over",
    load: async () => ({ command: (await import("../../../handoffs/text/handoff-views.ts")).acceptCommand }),
  },
  {
    group: handoffGroup,
    name: "handoff reject",
    summary: "give the work back, with reasons",
    load: async () => ({ command: (await import("../../../handoffs/text/handoff-views.ts")).rejectCommand }),
  },
  {
    group: handoffGroup,
    name: "handoff complete",
    summary: "say that what was handed over is done",
    load: async () => ({ command: (await import("../../../handoffs/text/handoff-views.ts")).completeCommand }),
  },
  {
    group: handoffGroup,
    name: "handoff list",
    summary: "what was handed over, and its state; one with its document and lineage",
    load: async () => {
      const { listCommand, showCommand } = await import("../../../handoffs/text/handoff-views.ts");
      return await withOne(listCommand, showCommand);
    },
  },
];

interface CatalogueEntry {
  /** As typed: one word, or a group and one word. */
  readonly name: string;
  readonly group: string;
  readonly summary: string;
  load(): Loaded;
}

/** A list of commands, in the order help shows them. */
export type Catalogue = readonly CatalogueEntry[];

/** The commands of this door. The whole list, with those that compose doors, is in main/baton.ts. */
export const ownCommands: Catalogue = [
  entry("Start", "init", "write .baton/team.yaml, the team's definition", () => import("../../../team/text/init.ts")),
  entry("Start", "adopt", "take over a project of VBW, YOLO or BMAD", () => import("../../../planning/text/adopt.ts")),
  entry(
    "Start",
    "sync",
    "bring a taken-over planning folder and the record in step",
    () => import("../../../planning/text/sync.ts"),
  ),
  entry(
    "Start",
    "doctor",
    "check the machine, the journal and the team file",
    () => import("../../../programs/install/doctor.ts"),
  ),
  entry("Start", "status", "the team at a glance", () => import("../../../team/text/status.ts")),
  entry("Start", "whoami", "as whom commands act here, and where", async () => ({
    command: (await import("../../../team/text/team.ts")).whoamiCommand,
  })),
  entry("Messages", "send", "send one message and get its receipt", () => import("../../../mail/text/send.ts")),
  entry("Messages", "inbox", "messages that wait for an agent", async () => ({
    command: (await import("../../../mail/text/inbox.ts")).inboxCommand,
  })),
  entry("Messages", "ack", "acknowledge messages up to a number", async () => ({
    command: (await import("../../../mail/text/inbox.ts")).ackCommand,
  })),
  entry("Messages", "watch", "the team live, with the keys to decide", () => import("../../../mail/text/watch.ts")),
  entry("Messages", "log", "everything recorded, in order", () => import("../../../record/text/log.ts")),
  entry("Messages", "show", "one entry with all that is known of it", () => import("../../../mail/text/show.ts")),
  entry("Checking", "validate", "check messages without sending them", () => import("../../../mail/text/validate.ts")),
  entry(
    "Checking",
    "validate-message",
    "drop-in for scripts: one JSON answer, exit 0 or 2",
    () => import("../../../mail/text/validate-message-answer.ts"),
  ),
  entry(
    "Checking",
    "reference",
    "what every message says, who sends it to whom, and its JSON Schema",
    () => import("../../../mail/text/reference.ts"),
  ),
  ...commandsAbout("agent", async (list) =>
    withOne(list, (await import("../../../team/text/agents-text.ts")).showCommand),
  ),
  ...commandsAbout("breaker"),
  ...commandsAbout("escalation"),
  ...commandsAbout("shutdown"),
  entry("People and agents", "shutdown status", "who has stopped, and what is left", async () => ({
    command: (await import("../../../shutdown/text.ts")).statusCommand,
  })),
  entry("People and agents", "team", "how the team file differs from what is in force", async () => ({
    command: (await import("../../../team/text/team.ts")).teamCommand,
  })),
  ...commandsAbout("team"),
  entry("People and agents", "team start", "begin another team in this journal", async () => ({
    command: (await import("../../../team/text/team.ts")).teamStartCommand,
  })),
  entry("People and agents", "token create", "a credential for an agent, or a link to read the team", async () => ({
    command: (await import("../../../team/text/tokens.ts")).createCommand,
  })),
  ...commandsAbout("token"),
  ...commandsAbout("remote"),
  ...commandsAbout("needs"),
  ...commandsAbout("approve"),
  ...commandsAbout("deny"),
  ...commandsAbout("artifact"),
  ...commandsAbout("task", async (list) =>
    withOne(list, (await import("../../../tasks/text/task-text.ts")).showCommand),
  ),
  entry("Work", "plan add", "put a list of tasks on the board", () => import("../../../tasks/text/plan-add.ts")),
  entry("Work", "phase", "how far each phase is, and what holds it up", () => import("../../../phases/text/phase.ts")),
  ...commandsAbout("phase"),
  entry("Work", "summary", "what became of a plan", () => import("../../../team/text/summary.ts")),
  entry(
    "Work",
    "contract show",
    "the contracts of the team's plans, and whether paths are inside",
    () => import("../../../tasks/text/contract-show.ts"),
  ),
  entry("Work", "verify", "check reported work against git", () => import("../../../evidence/text/verify.ts")),
  entry("Work", "land", "put verified work on the main branch", () => import("../../../landing/text/land.ts")),
  entry(
    "Work",
    "receipt",
    "signed statements of verified work, and whether one holds",
    () => import("../../../receipts/text/receipt.ts"),
  ),
  ...commandsAbout("check"),
  ...handoffCommands,
  entry("Agent programs", "install", "let an agent program, or git, ask Baton", async () => ({
    command: (await import("../../../programs/install/program-setup.ts")).installCommand,
  })),
  entry("Agent programs", "uninstall", "take that out of its settings again", async () => ({
    command: (await import("../../../programs/install/program-setup.ts")).uninstallCommand,
  })),
  entry(
    "The record",
    "journal verify",
    "recompute the hash chain and compare; where it lies, and its size",
    async () => ({
      command: (await import("../../../record/text/journal-verify.ts")).verifyCommand,
    }),
  ),
  entry("The record", "journal backup", "copy the journal while it is in use", async () => ({
    command: (await import("../../../record/text/journal-copies.ts")).backupCommand,
  })),
  entry("The record", "journal copy", "the same entries in another engine", async () => ({
    command: (await import("../../../record/text/journal-copies.ts")).copyCommand,
  })),
  entry(
    "The record",
    "journal export",
    "every entry as JSON lines",
    () => import("../../../record/text/journal-export.ts"),
  ),
  entry(
    "The record",
    "journal import",
    "an exported journal, again",
    () => import("../../../record/text/journal-import.ts"),
  ),
  entry("The record", "journal accept-loss", "go on after entries were lost", async () => ({
    command: (await import("../../../record/text/journal-verify.ts")).acceptLossCommand,
  })),
  entry(
    "The record",
    "journal place",
    "where the journal lies; another place for it, or a new one for a copy",
    async () => ({
      command: (await import("../../../record/text/journal-place.ts")).placeCommand,
    }),
  ),
];

/** One command of a catalogue. */
export function entry(group: string, name: string, summary: string, load: CatalogueEntry["load"]): CatalogueEntry {
  return { name, group, summary, load };
}

type Loaded = Promise<{ readonly command: Command }>;

/**
 * The commands of a group of words, such as `task`, that are made of the definitions of their operations. `listed`: what
 * becomes of the one that lists them.
 */
function commandsAbout(word: string, listed?: (list: Command) => Loaded): Catalogue {
  return commands
    .filter(({ name }) => name === word || name.startsWith(`${word} `))
    .map(({ group, name, summary }) =>
      entry(group, name, summary, async () => {
        const { operationCommand } = await import("./operation-command.ts");
        const command = operationCommand(name);
        return listed !== undefined && name === `${word} list` ? await listed(command) : { command };
      }),
    );
}

/** The list, or one thing of it. */
async function withOne(list: Command, one: OneOfList): Loaded {
  const { listOrOne } = await import("./list-or-one.ts");
  return { command: listOrOne(list, one) };
}

/** Whether `word` begins the names of several commands, e.g. `agent`. */
export function isGroup(catalogue: Catalogue, word: string): boolean {
  return catalogue.some(({ name }) => name.startsWith(`${word} `));
}

/** The command called by these words, or null. */
export function findCommand(catalogue: Catalogue, words: readonly string[]): CatalogueEntry | null {
  const name = words.join(" ");
  return catalogue.find((candidate) => candidate.name === name) ?? null;
}

/** `output`, whose words for people name the commands of `catalogue` by `program`, such as `npx baton`. */
export function outputCalledAs(output: Output, program: string, catalogue: Catalogue): Output {
  if (program === "baton" || output.json) return output;
  const firstWords = new Set(catalogue.map(({ name }) => name.split(" ")[0]));
  // What is no command is the name of the thing.
  const named = (text: string) =>
    text.replaceAll(/(?<!npx )\bbaton ([a-z-]+)/g, (said, word: string) =>
      word === "help" || firstWords.has(word) ? `${program} ${word}` : said,
    );
  const told = (problem: Problem): Problem =>
    problem.hint === undefined ? problem : { ...problem, hint: named(problem.hint) };
  return {
    ...output,
    named,
    say: (text) => output.say(named(text)),
    problems: (problems) => output.problems(problems.map(told)),
    fail: (problem) => output.fail("code" in problem ? told(problem) : problem.map(told)),
  };
}
