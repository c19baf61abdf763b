/**
 * Which agent a session of Codex is. Codex can run all sessions of a user in one process that stays, whose surroundings
 * are those of the session that started it: what they name is true of one session only. So the first session of such a
 * process takes the name, durably, and every other one is nobody until it is started in its own process.
 * Source: docs/protocol/doors.md, section 7.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A session that says who it is. */
export interface ThreadClaim {
  /** The folder of this project's bindings; it need not exist. */
  readonly folder: string;
  readonly session: string;
  /** Whom the surroundings of its server name. */
  readonly agent: string;
  /** The process that started the server. */
  readonly parent: string;
}

/**
 * What becomes of a claim. `taken`: another session of the same process has the name; `other`: the session is another
 * agent since it began.
 */
export type Bound = "bound" | "taken" | "other";

/** Takes the name for the session, once and for good. */
export function bindThread({ folder, session, agent, parent }: ThreadClaim): Bound {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const own = join(folder, `session-${encodeURIComponent(session)}`);
  const before = textOf(own);
  if (before !== null) return before === agent ? "bound" : "other";
  if (keep(join(folder, `process-${encodeURIComponent(parent)}`), session) !== session) return "taken";
  return keep(own, agent) === agent ? "bound" : "other";
}

/** The process that started this one: its id, and on Linux when it started, because ids are used again. */
export function parentProcess(id = process.ppid): string {
  // The name of the program comes in brackets and may hold blanks; the start is the 20th field after it.
  const start = textOf(`/proc/${id}/stat`)?.split(") ").at(-1)?.split(" ")[19];
  return start === undefined ? `${id}` : `${id}-${start}`;
}

/** What the file holds, which is `text` if nothing was there: of several writers the first one counts. */
function keep(file: string, text: string): string {
  try {
    writeFileSync(file, text, { flag: "wx", mode: 0o600 });
    return text;
  } catch {
    // It is there already, which is the answer; anything else leaves nothing to read, and that is nobody's name.
    return textOf(file) ?? "";
  }
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // No file, or none that may be read.
    return null;
  }
}
