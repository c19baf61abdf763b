/**
 * Commands by name: the group help shows each in, its one-line summary, and how its file is loaded. Nothing else
 * of a command is loaded before it is asked for, so starting costs the same however many there are.
 */
import { commands } from "../../operations/generated/commands.ts";
import type { Command } from "./command.ts";
import { handoffCommands } from "./handoff-catalogue.ts";
import { programCommands } from "./program-catalogue.ts";

export interface CatalogueEntry {
  /** As typed: one word, or a group and one word. */
  readonly name: string;
  readonly group: string;
  readonly summary: string;
  load(): Promise<{ readonly command: Command }>;
}

/** A list of commands, in the order help shows them. */
export type Catalogue = readonly CatalogueEntry[];

/** The commands of this door. The whole list, with those that compose doors, is in main/baton.ts. */
export const ownCommands: Catalogue = [
  entry("Start", "init", "write .baton/team.yaml, the team's definition", () => import("./commands/init.ts")),
  entry("Start", "doctor", "check the machine, the journal and the team file", () => import("./commands/doctor.ts")),
  entry("Start", "status", "the team at a glance", () => import("./commands/status.ts")),
  entry("Messages", "send", "send one message and get its receipt", () => import("./commands/send.ts")),
  entry("Messages", "inbox", "messages that wait for an agent", () => import("./commands/inbox.ts")),
  entry("Messages", "ack", "acknowledge messages up to a number", () => import("./commands/ack.ts")),
  entry("Messages", "watch", "the record as it grows, live", () => import("./commands/watch.ts")),
  entry("Messages", "log", "everything recorded, in order", () => import("./commands/log.ts")),
  entry("Messages", "show", "one entry with all that is known of it", () => import("./commands/show.ts")),
  entry("Checking", "validate", "judge texts without sending them", () => import("./commands/validate.ts")),
  entry("Checking", "read", "what a text says, or the same in another dialect", () => import("./commands/read.ts")),
  entry(
    "Checking",
    "validate-message",
    "drop-in for scripts: one JSON answer, exit 0 or 2",
    () => import("./commands/validate-message.ts"),
  ),
  entry("Checking", "schema", "JSON Schemas of the messages", () => import("./commands/schema.ts")),
  entry(
    "Checking",
    "reference",
    "what every message says, and who sends it to whom",
    () => import("./commands/reference.ts"),
  ),
  entry("People and agents", "agent list", "the agents of the team", () => import("./commands/agent-list.ts")),
  ...commandsAbout("agent"),
  ...commandsAbout("approval"),
  entry(
    "People and agents",
    "breaker list",
    "whether new agents are let in",
    () => import("./commands/breaker-list.ts"),
  ),
  ...commandsAbout("breaker"),
  ...commandsAbout("escalation"),
  entry(
    "People and agents",
    "shutdown start",
    "ask agents to stop, again, and then make them",
    () => import("./commands/shutdown-start.ts"),
  ),
  entry(
    "People and agents",
    "shutdown status",
    "who has stopped, and what is left",
    () => import("./commands/shutdown-status.ts"),
  ),
  entry(
    "People and agents",
    "team",
    "how the team file differs from what is in force",
    () => import("./commands/team.ts"),
  ),
  ...commandsAbout("team"),
  entry(
    "People and agents",
    "team start",
    "begin another team in this journal",
    () => import("./commands/team-start.ts"),
  ),
  ...commandsAbout("token"),
  ...commandsAbout("task"),
  entry("Work", "phase", "how far each phase is, and what holds it up", () => import("./commands/phase.ts")),
  ...commandsAbout("phase"),
  entry("Work", "summary", "what became of a plan", () => import("./commands/summary.ts")),
  entry("Work", "contract show", "the contracts of the team's plans", () => import("./commands/contract-show.ts")),
  entry("Work", "contract check", "whether paths lie inside a contract", () => import("./commands/contract-check.ts")),
  entry("Work", "verify", "work held against git", () => import("./commands/verify.ts")),
  entry(
    "Work",
    "install git-hooks",
    "let git ask the gate before each commit and push",
    () => import("./commands/install-git-hooks.ts"),
  ),
  entry(
    "Work",
    "uninstall git-hooks",
    "take the gate's hooks away again",
    () => import("./commands/uninstall-git-hooks.ts"),
  ),
  ...handoffCommands,
  ...programCommands,
  entry(
    "The record",
    "journal verify",
    "recompute the hash chain and compare",
    () => import("./commands/journal-verify.ts"),
  ),
  entry("The record", "journal stats", "what the journal holds", () => import("./commands/journal-stats.ts")),
  entry(
    "The record",
    "journal backup",
    "copy the journal while it is in use",
    () => import("./commands/journal-backup.ts"),
  ),
  entry("The record", "journal export", "every entry as JSON lines", () => import("./commands/journal-export.ts")),
  entry(
    "The record",
    "journal import",
    "a journal that was exported, or what was said before",
    () => import("./commands/journal-import.ts"),
  ),
  entry(
    "The record",
    "journal replay",
    "the state as it stood at an entry",
    () => import("./commands/journal-replay.ts"),
  ),
  entry(
    "The record",
    "journal accept-loss",
    "go on after entries were lost",
    () => import("./commands/journal-accept-loss.ts"),
  ),
  entry("The record", "journal fork", "a new journal for a copied project", () => import("./commands/journal-fork.ts")),
  entry(
    "The record",
    "journal moved",
    "the project is here now, and nowhere else",
    () => import("./commands/journal-moved.ts"),
  ),
  entry(
    "The record",
    "journal place",
    "where the journal lies, or another place for it",
    () => import("./commands/journal-place.ts"),
  ),
];

/** One command of a catalogue. */
export function entry(group: string, name: string, summary: string, load: CatalogueEntry["load"]): CatalogueEntry {
  return { name, group, summary, load };
}

/** The commands of a group of words, such as `task`, that are made of the definitions of their operations. */
function commandsAbout(word: string): Catalogue {
  return commands
    .filter(({ name }) => name.startsWith(`${word} `))
    .map(({ group, name, summary }) => entry(group, name, summary, () => made(name)));
}

async function made(name: string): Promise<{ readonly command: Command }> {
  const { operationCommand } = await import("./operation-command.ts");
  return { command: operationCommand(name) };
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
