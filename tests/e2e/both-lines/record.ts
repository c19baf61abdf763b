/**
 * Lines about credentials, what is stopped, held up or handed over, and the journal itself. In the order they are run:
 * each finds what those before, and the files before (messages, phases, work, record), have left.
 */
import type { Line } from "../both-places.ts";
import { message } from "../command.ts";

/** A blocker of dev-1 on task 1-1-T1. */
const blocker = () =>
  message("blocker_report", "dev", { plan_id: "1-1", task_id: "1-1-T1", blocker: "No names yet", needs: "Plan 1-0" });

/** By command. */
export const recordLines: Readonly<Record<string, readonly Line[]>> = {
  "token create": [
    { words: ["token", "create", "qa-1", "--id", "t-1"], code: 0 },
    { words: ["token", "create", "qa-1", "--id", "t-1"], code: 0 },
    { words: ["token", "create", "nobody"], code: 2 },
  ],
  "token list": [{ words: ["token", "list"], code: 0 }],
  "share create": [{ words: ["share", "create", "--hours", "0"], code: 64 }],
  "share list": [{ words: ["share", "list"], code: 0 }],
  "share revoke": [{ words: ["share", "revoke", "000000000000"], code: 3 }],
  "shutdown start": [
    { as: "dev-1", words: ["shutdown", "start", "--reason", "phase_complete"], code: 2 },
    {
      as: "lead-1",
      words: ["shutdown", "start", "dev-2", "--reason", "timeout", "--deadline", "0.2", "--id", "stop-1", "--wait"],
      code: 2,
    },
    { as: "lead-1", words: ["shutdown", "start", "dev-2", "--reason", "user_abort"], code: 2 },
    { words: ["shutdown", "start", "nobody-9", "--reason", "user_abort"], code: 2 },
  ],
  "shutdown status": [
    { words: ["shutdown", "status"], code: 0 },
    { as: "dev-1", words: ["shutdown", "status", "stop-1", "--wait"], code: 2 },
    { words: ["shutdown", "status", "nothing/called so"], code: 3 },
  ],
  "breaker list": [
    { words: ["breaker", "list"], code: 0 },
    { words: ["breaker", "list", "--events"], code: 0 },
    { words: ["agent", "list", "--events"], code: 0 },
  ],
  "breaker close": [
    { words: ["breaker", "close", "--reason", "none is open"], code: 3 },
    { as: "lead-1", words: ["breaker", "close", "--reason", "it is fine"], code: 2 },
    { words: ["breaker", "close"], code: 64 },
  ],
  "escalation list": [{ words: ["escalation", "list"], code: 0 }],
  "escalation raise": [
    { as: "lead-1", words: ["escalation", "raise", "nothing/called so"], code: 3 },
    {
      as: "dev-1",
      words: ["escalation", "raise", "nothing", "--option", "a", "--evidence", "b", "--id", "h-1"],
      code: 3,
    },
    { as: "lead-1", words: ["escalation", "raise"], code: 64 },
  ],
  "escalation resolve": [
    { as: "dev-1", words: ["send"], input: blocker(), code: 0 },
    { words: ["escalation", "list"], code: 0 },
    { as: "dev-1", words: ["escalation", "resolve", "ESC-1-1-T1", "--decision", "go on"], code: 2 },
    { as: "lead-1", words: ["escalation", "resolve", "ESC-1-1-T1", "--option", "1"], code: 3 },
    { as: "lead-1", words: ["escalation", "resolve", "ESC-1-1-T1"], code: 64 },
    {
      as: "lead-1",
      words: ["escalation", "resolve", "ESC-1-1-T1", "--decision", "use A", "--action", "update", "--id", "d-1"],
      code: 0,
    },
    { words: ["escalation", "resolve", "ESC-1-1-T1", "--decision", "use B"], code: 2 },
    { words: ["escalation", "resolve", "nothing/called so", "--decision", "use B"], code: 3 },
    { words: ["escalation", "list", "--all"], code: 0 },
  ],
  "handoff new": [
    { as: "dev-1", words: ["handoff", "new", "--from-plan", "1-1", "--to", "qa-1"], code: 0 },
    { words: ["handoff", "new", "--from-task", "nothing/called so"], code: 3 },
  ],
  "handoff issue": [
    { as: "lead-1", words: ["handoff", "issue", "handoff.yaml"], code: 0 },
    { as: "lead-1", words: ["handoff", "issue", "none.yaml"], code: 3 },
    { as: "lead-1", words: ["handoff", "issue", "forged.json"], code: 2 },
  ],
  "handoff list": [{ words: ["handoff", "list"], code: 0 }],
  "handoff show": [
    { words: ["handoff", "show", "handoff-1"], code: 0 },
    { words: ["handoff", "show", "nothing/called so"], code: 3 },
    { words: ["handoff", "show", "handoff-1", "--graph"], code: 0 },
  ],
  "handoff accept": [
    { as: "qa-1", words: ["handoff", "accept", "handoff-1"], code: 2 },
    { as: "dev-1", words: ["handoff", "accept", "handoff-1", "--id", "a-1"], code: 0 },
  ],
  "handoff reject": [{ as: "dev-1", words: ["handoff", "reject", "handoff-1", "--reason", "late"], code: 2 }],
  "handoff complete": [{ as: "dev-1", words: ["handoff", "complete", "handoff-1"], code: 0 }],
  "token revoke": [{ words: ["token", "revoke", "nothing"], code: 3 }],
  "journal verify": [
    { words: ["journal", "verify"], code: 0 },
    { words: ["journal", "verify", "--receipt", "forged.json"], code: 2 },
  ],
  "nats permissions": [{ words: ["nats", "permissions", "nats://127.0.0.1/shop", "--agents"], code: 0 }],
  "journal stats": [{ words: ["journal", "stats"], code: 0 }],
  "journal export": [
    { words: ["journal", "export"], code: 0 },
    { words: ["journal", "export", "--team", "other"], code: 3 },
    { words: ["journal", "export", "--format", "markdown"], code: 0 },
    { words: ["journal", "export", "--format", "cloudevents"], code: 0 },
    { words: ["journal", "export", "--format", "phase", "--out", "phases"], code: 0 },
  ],
  "journal replay": [
    { words: ["journal", "replay", "--at", "3"], code: 0 },
    { words: ["journal", "replay", "--at", "5000"], code: 3 },
    { words: ["journal", "replay", "--team", "other"], code: 3 },
  ],
  "journal backup": [
    { words: ["journal", "backup", "none/copy.db"], code: 3 },
    { words: ["journal", "backup", "copy.db"], code: 0 },
    { words: ["journal", "backup", "copy.db"], code: 2 },
  ],
  "journal accept-loss": [
    { words: ["journal", "accept-loss", "--reason", "none was lost"], code: 3 },
    { as: "dev-1", words: ["send", "--prose-id", "not an id"], input: "Lunch?", code: 2 },
  ],
};
