/**
 * Lines about phases, agents, approvals and contracts. In the order they are run:
 * each finds what those before, and the files before (messages, phases, work, record), have left.
 */
import type { Line } from "../both-places.ts";

/** By command. */
export const phaseLines: Readonly<Record<string, readonly Line[]>> = {
  phase: [
    { words: ["phase"], code: 0 },
    { as: "qa-1", words: ["phase", "1"], code: 0 },
    { words: ["phase", "nine"], code: 3 },
    { words: ["phase", "--export", "-"], code: 0 },
  ],
  "phase skip": [
    { as: "lead-1", words: ["phase", "skip", "research", "--reason", "nothing is unknown"], code: 0 },
    { as: "dev-1", words: ["phase", "skip", "qa", "--reason", "no time"], code: 2 },
    { as: "lead-1", words: ["phase", "skip", "reserch", "--reason", "a slip"], code: 2 },
    { as: "lead-1", words: ["phase", "skip", "qa"], code: 64 },
    { words: ["phase"], code: 0 },
  ],
  "phase end": [
    { as: "lead-1", words: ["phase", "end"], code: 2 },
    { as: "dev-1", words: ["phase", "end"], code: 2 },
  ],
  "phase lift": [
    { words: ["phase", "lift", "--reason", "none stands"], code: 3 },
    { as: "lead-1", words: ["phase", "lift", "--reason", "it is fine"], code: 3 },
    { words: ["phase", "lift"], code: 64 },
  ],
  "phase exclude": [
    { as: "lead-1", words: ["phase", "exclude", "uiux", "--reason", "nothing to draw"], code: 2 },
    { words: ["phase", "exclude", "uix", "--reason", "a slip"], code: 2 },
    { words: ["phase", "exclude", "uiux"], code: 64 },
  ],
  team: [
    { words: ["team"], code: 0 },
    { as: "dev-1", words: ["team"], code: 0 },
  ],
  "team limits": [{ words: ["team", "limits"], code: 0 }],
  "team set": [
    { words: ["team", "set", "lease_second=1"], code: 2 },
    { words: ["team", "set", "lease_seconds=600", "--preview", "--if", "f".repeat(64)], code: 2 },
  ],
  "team confirm": [
    { words: ["team", "confirm", "0123456789abcdef0123456789abcdef"], code: 3 },
    { as: "dev-1", words: ["team", "confirm", "0123456789abcdef0123456789abcdef"], code: 2 },
    { words: ["team", "confirm"], code: 64 },
  ],
  "team decline": [
    { words: ["team", "decline", "0123456789abcdef0123456789abcdef"], code: 3 },
    { as: "lead-1", words: ["team", "decline", "0123456789abcdef0123456789abcdef"], code: 2 },
  ],
  "agent register": [
    { words: ["agent", "register", "dev-2", "--role", "dev", "--department", "backend"], code: 0 },
    { words: ["agent", "register", "dev-2", "--role", "dev", "--department", "backend"], code: 0 },
    { as: "lead-1", words: ["agent", "register", "dev-3", "--role", "dev", "--id", "r-1"], code: 0 },
    { as: "dev-1", words: ["agent", "register", "dev-4", "--role", "dev"], code: 2 },
    { words: ["agent", "register", "no name", "--role", "dev"], code: 2 },
    { words: ["agent", "register", "dev-5", "--role", "dev", "--id", "no id"], code: 2 },
  ],
  "agent retire": [
    { words: ["agent", "retire", "dev-3", "--reason", "it is done"], code: 0 },
    { words: ["agent", "retire", "nobody/../9"], code: 2 },
    { as: "dev-1", words: ["agent", "retire", "dev-2"], code: 2 },
  ],
  "agent list": [{ words: ["agent", "list"], code: 0 }],
  "agent show": [
    { words: ["agent", "show", "lead-1"], code: 0 },
    { words: ["agent", "show", "nobody-9"], code: 2 },
  ],
  whoami: [{ words: ["whoami"], code: 0 }],
  needs: [{ words: ["needs"], code: 0 }],
  "approval list": [{ words: ["approval", "list"], code: 0 }],
  "approval approve": [
    { as: "dev-1", words: ["approval", "approve", "second"], code: 2 },
    {
      as: "lead-1",
      words: ["approval", "approve", "second", "--reason", "needed", "--condition", "keep the API"],
      code: 0,
    },
    { words: ["approval", "approve", "second"], code: 2 },
    { words: ["approval", "approve", "nothing/called so"], code: 3 },
  ],
  "approval deny": [
    { words: ["approval", "deny", "approval_request-1", "--reason", "split it", "--id", "deny-1"], code: 0 },
    { words: ["approval", "deny", "approval_request-1", "--reason", "split it", "--id", "deny-1"], code: 0 },
    { words: ["approval", "deny", "second", "--reason", "too late", "--modification", "src/auth.js"], code: 2 },
    { words: ["approval", "list", "--all"], code: 0 },
  ],
  "contract show": [
    { words: ["contract", "show"], code: 0 },
    { as: "dev-1", words: ["contract", "show", "9-9"], code: 3 },
    { as: "dev-1", words: ["contract", "show", "1-1", "--revision", "1"], code: 0 },
    { words: ["contract", "show", "phase-1-plan-1", "--revision", "9"], code: 3 },
    { words: ["contract", "show", "--revision", "1"], code: 64 },
  ],
  "contract check": [
    { as: "dev-1", words: ["contract", "check", "src/feature.js"], code: 0 },
    { as: "dev-1", words: ["contract", "check", "src/feature.js", "src/other.js"], code: 2 },
    { words: ["contract", "check", "-", "--plan", "1-1"], input: "src/feature.js\n../x\n", code: 2 },
    { words: ["contract", "check", "-"], input: "src/feature.js\0./src//feature.js\0", code: 0 },
  ],
};
