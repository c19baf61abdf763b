/**
 * A note that a hook which only brings mail has nothing to say to an agent, as long as nothing happens that concerns it:
 * which session it is of, what the team's files said, and the entry up to which that was so. The command writes it when it
 * has answered; the next process looks at it first (`quiet-hook.ts`) and need not open the team. It is next to the
 * journal, where no tool of an agent may write, and without it the command answers as ever.
 * Source: docs/protocol/doors.md, section 7.
 */
import { join } from "node:path";
import { isJsonObject, type JsonObject, parseBounded } from "../../base/json.ts";
import { readPlainFile, replacePlainFile } from "../../base/plain-file.ts";
import type { Call } from "../../doors/cli/kernel/command.ts";
import { hubOf } from "../../doors/cli/place/hub-address.ts";
import type { Head } from "../../journal/entry.ts";
import type { HookEvent, HookProgram } from "../../messages/program-hooks.ts";
import { teamProjection } from "../../perform/projection.ts";
import { fileNameOf, sessionsFolder } from "../../perform/workspace/agent-sessions.ts";
import { packageFacts } from "../../perform/workspace/package-root.ts";
import { lookForPlace } from "../../perform/workspace/place.ts";
import type { TeamFileText } from "../../team/handlers/team-file.ts";
import type { AgentStatus } from "../../team/operations/agents.ts";
import { signsApartMsOf } from "../../team/state/definition.ts";
import type { HookInput } from "../hooks/hook-input.ts";
import { contextOf } from "../hooks/mail.ts";
import { kindOf } from "../hooks/tool-kind.ts";
import type { HookAsked } from "./hook-asking.ts";

export interface QuietNote {
  readonly session: string;
  /** The context of the agent's model, as its mail is noted by it. */
  readonly context: string;
  /** The journal's file. */
  readonly journal: string;
  /** What the team's files said, as `filesText` puts it. */
  readonly files: string;
  readonly team: string;
  readonly head: Pick<Head, "seq" | "hash">;
  /** As of the agent's delivery state. */
  readonly injected: number;
  readonly deadlineRule: string;
  readonly signsApartMs: number;
}

/** Raise it when the same note means something else within one version. */
const noteForm = 1;
/** A team with larger files gets no note. */
const noteBytesMax = 256 * 1024;

/** Whether hooks of this event may only bring mail. Those of other transports have a server that keeps the team open. */
export function mayOnlyBringMail({ by, asks }: HookEvent): boolean {
  return by === "command" && (asks === "after-tool" || asks === "prompt");
}

/** Whether the hook only brings mail, so that there may be a note on it: it decides nothing and judges nothing. */
export function onlyBringsMail(program: HookProgram, event: HookEvent, input: HookInput): boolean {
  const kind = kindOf({ program, input });
  return mayOnlyBringMail(event) && input.agentId === null && (kind === "other" || kind === "shell");
}

/** The content of the team's files as one string. */
export function filesText(files: TeamFileText | null): string {
  return files === null ? "" : JSON.stringify([files.path, files.text, files.messages ?? []]);
}

/**
 * What writes the note once such a hook is answered, where the team is as the note says. To be called before the team is
 * opened: what its files say later counts as changed.
 */
export function quietNotes(call: Call, program: HookProgram, event: HookEvent): NonNullable<HookAsked["settled"]> {
  const isNamed = ["team", "journal"].some((option) => call.given.text(option) !== undefined);
  const place = mayOnlyBringMail(event) && !isNamed && hubOf(call) === null ? lookForPlace(call) : null;
  return async (input, { team, agent }) => {
    const { session } = input;
    if (place?.ok !== true || session === null || !onlyBringsMail(program, event, input)) return;
    const { journal, address, teamFile, refusal } = place.value;
    const { rule: deadlineRule } = teamProjection.deadlines ?? {};
    if (refusal !== null || address !== journal || teamFile === null || deadlineRule === undefined) return;
    const status = await team.status();
    if (!status.ok || status.value.journal !== "ready") return;
    const { head, definition, agents } = status.value;
    const context = contextOf(program, input);
    const own = agents.find((each) => each.agent === agent);
    if (own === undefined || !isQuiet(own, context)) return;
    writeQuietNote(sessionsFolder(journal), agent, {
      session,
      context,
      journal,
      files: filesText(teamFile),
      team: team.name,
      head: { seq: head.seq, hash: head.hash },
      injected: own.delivery.injected,
      deadlineRule,
      signsApartMs: signsApartMsOf(definition),
    });
  };
}

/** Whether a further hook of the context would say nothing and note nothing. */
function isQuiet({ status, unread, acknowledged, delivery }: AgentStatus, context: string): boolean {
  const isNoted = delivery.context === context && !delivery.idle && delivery.injected <= acknowledged;
  return status === "active" && unread === 0 && isNoted;
}

/** Writes the note on an agent in the folder of the sessions; one that cannot be written is not there. */
function writeQuietNote(folder: string, agent: string, note: QuietNote): void {
  const text = JSON.stringify({ form: noteForm, version: packageFacts().version, ...note });
  if (Buffer.byteLength(text) > noteBytesMax) return;
  try {
    replacePlainFile(fileOf(folder, agent), text);
  } catch {
    // A folder that may not be written, or a full disk: the next hook asks the team again.
  }
}

/** The note on an agent; null: there is none of this version. */
export function readQuietNote(folder: string, agent: string): QuietNote | null {
  const file = readPlainFile(fileOf(folder, agent), noteBytesMax);
  const read = file.ok && file.value !== null ? parseBounded(file.value.text) : null;
  if (read === null || !read.ok || !isJsonObject(read.value)) return null;
  const { form, version, ...note } = read.value;
  const isKnown = form === noteForm && version === packageFacts().version && isJsonObject(note.head ?? null);
  // Nobody but `writeQuietNote` writes there, and it has written all of it.
  return isKnown ? (note as JsonObject & QuietNote) : null;
}

function fileOf(folder: string, agent: string): string {
  return join(folder, `quiet-${fileNameOf(agent)}`);
}
