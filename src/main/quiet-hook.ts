/**
 * The first part of `baton hook`, in a small separate bundle: whether the hook only brings mail and there is none, as with
 * most of them. It opens no team. Where it is not sure, the command answers, with the input that was read here.
 * Source: docs/protocol/doors.md, section 7.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { isUntouched } from "../journal/engines.ts";
import { deliveryState } from "../mail/services/delivery-note.ts";
import { isOwnersOrBatons } from "../messages/principal.ts";
import { type HookEvent, type HookProgram, hookEvent, hookPrograms } from "../messages/program-hooks.ts";
import { processesAbove, sessionsFolder } from "../perform/workspace/agent-sessions.ts";
import { agentOfShell, readConfig } from "../perform/workspace/config.ts";
import { lookForPlace } from "../perform/workspace/place.ts";
import { readHookInput } from "../programs/hooks/hook-input.ts";
import { filesText, mayOnlyBringMail, onlyBringsMail, readQuietNote } from "../programs/sessions/quiet-note.ts";
import { boundBefore } from "../programs/sessions/session-binding.ts";

/** What a line of `baton hook` asks. */
interface Line {
  readonly program: HookProgram;
  readonly event: HookEvent;
  readonly agent: string | null;
}

/** Whether the hook that these words ask is answered by saying nothing, and all that follows from it is done. */
export async function isQuietHook(words: readonly string[]): Promise<boolean> {
  const line = lineOf(words);
  if (line === null || !mayOnlyBringMail(line.event)) return false;
  const { bytes, isWhole } = inputWaiting();
  if (isWhole && (await isQuiet(line, bytes))) return true;
  // What was read here is the first that the command reads.
  if (bytes.length > 0) process.stdin.unshift(bytes);
  return false;
}

/** The line of these words; null: it is none that a program's settings have for an event that only brings mail. */
function lineOf([, name = "", ...options]: readonly string[]): Line | null {
  const given = new Map<string, string>();
  for (let at = 0; at < options.length; at += 2) {
    const [option = "", value] = options.slice(at);
    if (!["--program", "--as"].includes(option) || value === undefined || given.has(option)) return null;
    given.set(option, value);
  }
  const program = hookPrograms.find((each) => each === given.get("--program"));
  const event = program === undefined ? null : hookEvent(program, name);
  return program === undefined || event === null ? null : { program, event, agent: given.get("--as") ?? null };
}

interface Waiting {
  readonly bytes: Buffer;
  /** Whether nothing more comes. */
  readonly isWhole: boolean;
}

/** What is on standard input already, where that is a pipe of a system that tells: waiting for more is the command's. */
function inputWaiting(): Waiting {
  const parts: Buffer[] = [];
  let isWhole = false;
  let descriptor: number | null = null;
  try {
    if (fstatSync(0).isFIFO()) descriptor = openSync("/proc/self/fd/0", constants.O_RDONLY | constants.O_NONBLOCK);
    while (descriptor !== null && !isWhole) {
      const part = Buffer.allocUnsafe(partBytes);
      const length = readSync(descriptor, part);
      isWhole = length === 0;
      parts.push(part.subarray(0, length));
    }
  } catch {
    // More is to come, standard input is closed, or this is not Linux.
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
  return { bytes: Buffer.concat(parts), isWhole };
}

/** As much as a pipe holds. */
const partBytes = 64 * 1024;

/** Whether there is a note that the hook has nothing to say to its agent, and it still holds. */
async function isQuiet({ program, event, agent: named }: Line, bytes: Uint8Array): Promise<boolean> {
  const input = readHookInput(bytes);
  const config = readConfig();
  if (!input.ok || input.value.session === null || config.hub !== null) return false;
  if (!onlyBringsMail(program, event, input.value)) return false;
  const { session } = input.value;
  const place = lookForPlace({ given: { text: () => undefined }, config });
  // A journal in a server has an address of another kind.
  if (!place.ok || place.value.refusal !== null || place.value.address !== place.value.journal) return false;
  const { journal, teamFile } = place.value;
  const folder = sessionsFolder(journal);
  const names = [named, agentOfShell(config)].filter((name) => name !== null);
  const agent = boundBefore({ folder, program, session, names, processes: processesAbove(), takes: null });
  const note = agent === null || isOwnersOrBatons(agent) ? null : readQuietNote(folder, agent);
  if (agent === null || note === null) return false;
  if (note.session !== session || note.journal !== journal || note.files !== filesText(teamFile)) return false;
  return await isUntouched(journal, {
    ...note,
    agent,
    isSameNote: (text) => {
      const { context, idle, injected } = deliveryState(text ?? undefined);
      return context === note.context && !idle && injected === note.injected;
    },
  });
}
