/**
 * Commands by name: the group help shows each in, its one-line summary, and how its file is loaded. Nothing else
 * of a command is loaded before it is asked for, so starting costs the same however many there are.
 */
import type { Problem } from "../../../base/problem.ts";
import { broker } from "../../../journal/engines.ts";
import { hookPrograms, programTitles } from "../../../messages/program-hooks.ts";
import { commands } from "../../../perform/operations/generated/commands.ts";
import type { Output } from "../terminal/output.ts";
import type { Command } from "./command.ts";
import type { OneOfList } from "./list-or-one.ts";

/* The commands that set up agent programs, and take it back: two for each program that Baton's hooks know. */
const programGroup = "Agent programs";

/** For the catalogue. */
const programCommands: readonly CatalogueEntry[] = [
  ...hookPrograms.map((program) => ({
    group: programGroup,
    name: `install ${program}`,
    summary: `let ${programTitles[program]} ask Baton, by hooks and MCP`,
    load: async () => ({
      command: (await import("../../../programs/install/program-setup.ts")).installProgram(program),
    }),
  })),
  ...hookPrograms.map((program) => ({
    group: programGroup,
    name: `uninstall ${program}`,
    summary: `take that out of ${programTitles[program]}'s settings again`,
    load: async () => ({
      command: (await import("../../../programs/install/program-setup.ts")).uninstallProgram(program),
    }),
  })),
];

/* The commands about handoff documents, for the catalogue. */
const handoffGroup = "Handoff documents";

/** In the order of a document's life. */
const handoffCommands: Catalogue = [
  {
    group: handoffGroup,
    name: "handoff new",
    summary: "a draft from flags, the record, Markdown or questions",
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
    summary: "whether a file is a well-formed handoff document",
    load: async () => ({ command: (await import("../../../handoffs/text/handoff-checks.ts")).validateCommand }),
  },
  {
    group: handoffGroup,
    name: "handoff verify",
    summary: "the files of a handoff document against their checksums",
    load: async () => ({ command: (await import("../../../handoffs/text/handoff-checks.ts")).verifyCommand }),
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
  entry("Start", "version", "which Baton this is", async () => ({
    command: (await import("../../../programs/install/doctor.ts")).versionCommand,
  })),
  entry("Messages", "send", "send one message and get its receipt", () => import("../../../mail/text/send.ts")),
  entry("Messages", "inbox", "messages that wait for an agent", async () => ({
    command: (await import("../../../mail/text/inbox.ts")).inboxCommand,
  })),
  entry("Messages", "ack", "acknowledge messages up to a number", async () => ({
    command: (await import("../../../mail/text/inbox.ts")).ackCommand,
  })),
  entry("Messages", "watch", "the record as it grows, live", () => import("../../../mail/text/watch.ts")),
  entry("Messages", "log", "everything recorded, in order", () => import("../../../record/text/log.ts")),
  entry("Messages", "show", "one entry with all that is known of it", () => import("../../../mail/text/show.ts")),
  entry("Checking", "validate", "check messages without sending them", async () => ({
    command: (await import("../../../mail/text/read.ts")).validateCommand,
  })),
  entry(
    "Checking",
    "read",
    "how an input is read, or the same in another dialect",
    () => import("../../../mail/text/read.ts"),
  ),
  entry(
    "Checking",
    "validate-message",
    "drop-in for scripts: one JSON answer, exit 0 or 2",
    () => import("../../../mail/text/validate-message-answer.ts"),
  ),
  entry("Checking", "schema", "JSON Schemas of the messages", async () => ({
    command: (await import("../../../mail/text/reference.ts")).schemaCommand,
  })),
  entry("Checking", "reference", "what every message says, and who sends it to whom", async () => ({
    command: (await import("../../../mail/text/reference.ts")).referenceCommand,
  })),
  entry(
    "Checking",
    "card",
    "what an agent of a role must know, for its prompt",
    () => import("../../../mail/text/card.ts"),
  ),
  ...commandsAbout("agent", async (list) =>
    withOne(list, (await import("../../../team/text/agents-text.ts")).showCommand),
  ),
  ...commandsAbout("breaker"),
  ...commandsAbout("escalation"),
  entry("People and agents", "shutdown start", "ask agents to stop, again, and then make them", async () => ({
    command: (await import("../../../shutdown/text.ts")).startCommand,
  })),
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
  entry("People and agents", "token revoke", "end a credential or a link", async () => ({
    command: (await import("../../../team/text/tokens.ts")).revokeCommand,
  })),
  ...commandsAbout("remote"),
  ...commandsAbout("needs"),
  ...commandsAbout("approve"),
  ...commandsAbout("deny"),
  ...commandsAbout("task", async (list) =>
    withOne(list, (await import("../../../tasks/text/task-text.ts")).showCommand),
  ),
  entry("Work", "phase", "how far each phase is, and what holds it up", () => import("../../../phases/text/phase.ts")),
  ...commandsAbout("phase"),
  entry("Work", "summary", "what became of a plan", () => import("../../../team/text/summary.ts")),
  entry(
    "Work",
    "contract show",
    "the contracts of the team's plans",
    () => import("../../../tasks/text/contract-show.ts"),
  ),
  entry(
    "Work",
    "contract check",
    "whether paths are inside a contract",
    () => import("../../../tasks/text/contract-check.ts"),
  ),
  entry("Work", "verify", "check reported work against git", () => import("../../../evidence/text/verify.ts")),
  entry("Work", "install git-hooks", "let git ask the gate before each commit and push", async () => ({
    command: (await import("../../../programs/install/git-hook-commands.ts")).installCommand,
  })),
  entry("Work", "uninstall git-hooks", "take the gate's hooks away again", async () => ({
    command: (await import("../../../programs/install/git-hook-commands.ts")).uninstallCommand,
  })),
  ...handoffCommands,
  ...programCommands,
  entry("The record", "journal verify", "recompute the hash chain and compare", async () => ({
    command: (await import("../../../record/text/journal-verify.ts")).verifyCommand,
  })),
  entry("The record", "journal stats", "what the journal holds", async () => ({
    command: (await import("../../../record/text/journal-contents.ts")).statsCommand,
  })),
  entry("The record", "journal backup", "copy the journal while it is in use", async () => ({
    command: (await import("../../../record/text/journal-copies.ts")).backupCommand,
  })),
  entry("The record", "journal copy", "the same entries in another engine", async () => ({
    command: (await import("../../../record/text/journal-copies.ts")).copyCommand,
  })),
  entry("The record", broker.words, "users and rights for the servers of the journal", async () => ({
    command: (await import("../../../record/text/broker-permissions.ts")).permissionsCommand,
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
    "an exported journal, or earlier messages",
    () => import("../../../record/text/journal-import.ts"),
  ),
  entry("The record", "journal replay", "the state at an entry", async () => ({
    command: (await import("../../../record/text/journal-contents.ts")).replayCommand,
  })),
  entry("The record", "journal accept-loss", "go on after entries were lost", async () => ({
    command: (await import("../../../record/text/journal-verify.ts")).acceptLossCommand,
  })),
  entry("The record", "journal fork", "a new journal for a copied project", async () => ({
    command: (await import("../../../record/text/journal-copies.ts")).forkCommand,
  })),
  entry("The record", "journal moved", "the project is here now, and nowhere else", async () => ({
    command: (await import("../../../record/text/journal-place.ts")).movedCommand,
  })),
  entry("The record", "journal place", "where the journal lies, or another place for it", async () => ({
    command: (await import("../../../record/text/journal-place.ts")).placeCommand,
  })),
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
