import assert from "node:assert/strict";
import { test } from "node:test";
import type { Level } from "../../messages/authority/chain-of-command.ts";
import { waitsFor } from "./escalation-resolving.ts";

test("an open escalation waits for its level in its department, and for the person at the two highest", () => {
  const at = (level: Level, department?: "frontend" | "backend") => ({
    standing: "open" as const,
    level,
    chain: ["lead", "architect", "owner", "user"] as const,
    ...(department === undefined ? {} : { department }),
  });
  const cases = [
    [at("lead"), { agent: "lead-1", role: "lead" }, true],
    [at("architect"), { agent: "lead-1", role: "lead" }, false],
    // It may decide it, and is not asked.
    [at("lead"), { agent: "architect-1", role: "architect" }, false],
    [at("lead", "frontend"), { agent: "lead-1", role: "lead", department: "frontend" }, true],
    [at("lead", "frontend"), { agent: "lead-2", role: "lead", department: "backend" }, false],
    [at("architect", "frontend"), { agent: "architect-1", role: "architect", department: "backend" }, true],
    [at("user"), { agent: "boss", role: "user" }, false],
    [at("owner"), { agent: "boss", role: "owner" }, true],
    [at("owner"), { agent: "owner", role: null }, true],
    [at("user"), { agent: "owner", role: null }, true],
    [at("lead"), { agent: "owner", role: null }, false],
    [at("lead"), { agent: "nobody", role: null }, false],
    [{ ...at("lead"), standing: "resolved" as const }, { agent: "lead-1", role: "lead" }, false],
  ] as const;
  for (const [escalation, who, waits] of cases)
    assert.equal(waitsFor(escalation, who), waits, `${who.agent} ${escalation.level}`);
});
