/**
 * What changed while Baton did not see what an agent did. A program that goes on without an answer writes what its session's
 * server would deny once that server is gone. So the server keeps a note next to the journal, as long as it serves an
 * agent: which process it is, and when it last saw the agent. A server that its program ends removes it. One that finds
 * the note of a killed server looks once at which files of others changed in the work tree since. Nobody is accused: the
 * holder may have changed them. Rule: docs/protocol/doors.md, section 7.
 */
import { lstatSync, mkdirSync, rmSync, type Stats, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemClock, timestampOf } from "../../base/clock.ts";
import { readPlainFile, replacePlainFile } from "../../base/plain-file.ts";
import type { Problem } from "../../base/problem.ts";
import { visible } from "../../base/text.ts";
import type { Call } from "../../doors/cli/kernel/command.ts";
import { holdersOf } from "../../evidence/decide/gate.ts";
import { uncommittedIn } from "../../evidence/decide/uncommitted.ts";
import { goesOnUnasked, type HookProgram } from "../../messages/program-hooks.ts";
import type { WorkingTeam } from "../../perform/team.ts";
import { fileNameOf, isRunning, processNow, sessionsFolder } from "../../perform/workspace/agent-sessions.ts";
import { lookForPlace } from "../../perform/workspace/place.ts";
import { checkoutAround } from "../../perform/workspace/workspace.ts";
import { problemLines } from "../hooks/hook-question.ts";

/** The agent that a hook is about, and the folder in which its tools work. */
export interface SeenAgent {
  readonly team: WorkingTeam;
  readonly agent: string;
  readonly directory: string;
}

export interface UnseenChanges extends AsyncDisposable {
  /** Notes that the agent is seen; what changed while it was not, as its model reads it; null: nothing that is known. */
  look(seen: SeenAgent): Promise<string | null>;
}

/** Most files that are reported together. */
const filesMax = 100;
const noteBytesMax = 200;
/** Longest time of one call of git: the hook must answer. */
const gitMsMax = 400;

/** The notes of one server. A program that blocks what is not answered needs none. `isKilled`: the program goes on. */
export function unseenChanges(call: Call, program: HookProgram | null, isKilled: () => boolean): UnseenChanges {
  const notes = new Map<string, string>();
  return {
    look: async (seen) => {
      if (program === null || !goesOnUnasked(program)) return null;
      const key = JSON.stringify([seen.team.name, seen.agent]);
      const known = notes.get(key);
      if (known !== undefined) {
        touch(known);
        return null;
      }
      const place = lookForPlace(call);
      if (!place.ok || place.value.refusal !== null) return null;
      const note = join(sessionsFolder(place.value.journal), `seen-${fileNameOf(key)}`);
      notes.set(key, note);
      const sinceMs = gapStart(note);
      writeNote(note);
      return sinceMs === null ? null : await changesSince(call, seen, sinceMs);
    },
    [Symbol.asyncDispose]: async () => {
      if (isKilled()) return;
      for (const note of notes.values()) if (textOf(note) === ownText()) rmSync(note, { force: true });
    },
  };
}

/** When the agent was seen last by a server that was killed; null: no server was, or it runs still. */
function gapStart(note: string): number | null {
  const read = readPlainFile(note, noteBytesMax);
  if (!read.ok || read.value === null) return null;
  const { text, facts } = read.value;
  return text !== "" && isRunning(text) ? null : facts.mtimeMs;
}

/** This process; empty where the machine does not say when it started. */
function ownText(): string {
  return processNow() ?? "";
}

function textOf(note: string): string | null {
  const read = readPlainFile(note, noteBytesMax);
  return read.ok ? (read.value?.text ?? null) : null;
}

function writeNote(note: string): void {
  try {
    mkdirSync(dirname(note), { recursive: true, mode: 0o700 });
    replacePlainFile(note, ownText());
  } catch {
    // Where nothing can be written the gate for git judges what is committed, as ever.
  }
}

function touch(note: string): void {
  const now = systemClock.now() / 1000;
  try {
    utimesSync(note, now, now);
  } catch {
    // The note is gone, or it may not be written: then there is no gap to be found.
  }
}

/** Reports the files of others that changed after that time and are not committed. */
async function changesSince(call: Call, seen: SeenAgent, sinceMs: number): Promise<string | null> {
  const { team, agent, directory } = seen;
  const checkout = checkoutAround(directory);
  const asked = checkout === null ? null : await team.permissions({ when: "now", agent });
  const rights = asked?.ok === true ? asked.value[0] : undefined;
  if (checkout === null || rights === undefined || rights.others.length === 0) return null;
  const { root } = checkout;
  const changed = await uncommittedIn(root, { environment: call.config.environment(), msMax: gitMsMax });
  if (!changed.ok) return null;
  const files = changed.value
    .filter((path) => holdersOf([path], rights).length > 0 && changedMs(root, path) > sinceMs)
    .slice(0, filesMax);
  if (files.length === 0) return null;
  const since = timestampOf(Math.floor(sinceMs));
  const told = await team.editFiles(files, { unseenSince: since });
  return told.ok && told.value.problems.length > 0 ? wordsOf(since, told.value.problems) : null;
}

function wordsOf(since: string, problems: readonly Problem[]): string {
  // What to do with a file before it is written does not apply any more.
  const held = problems.map(({ hint: _hint, expected: _expected, ...told }) => told);
  return `Baton: after ${visible(since)} Baton could not see what you did, and these files of others changed:\n${problemLines(held)}\nIf you changed one of them, take that change back and write to its holder. If you did not, leave the files as they are. The lead and the holders are notified.`;
}

/**
 * When the file changed last. Of a deleted one the folder says it. No program sets the time at which the system itself saw a
 * change.
 */
function changedMs(root: string, path: string): number {
  for (let place = join(root, path); place.length >= root.length; place = dirname(place)) {
    const facts: Stats | undefined = lstatSync(place, { throwIfNoEntry: false });
    if (facts !== undefined) return facts.ctimeMs;
  }
  return 0;
}
