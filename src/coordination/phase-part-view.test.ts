import assert from "node:assert/strict";
import { test } from "node:test";
import { initialCoordination } from "./deciders.ts";
import { factsOf, type PartFacts } from "./phase-facts.ts";
import { partView } from "./phase-part-view.ts";

const setting = { kinds: [], roles: [], active: [] };
const facts = factsOf(initialCoordination(), { phase: "1", name: "01", department: null }, setting);
const signoff = { decision: "SHIP", approved: [], integrationQa: "PASS", notes: "", by: "owner-1", seq: 9 } as const;
const shipped: PartFacts = { ...facts, company: { ...facts.company, signoff } };
const stop = { stop: "12", part: null, by: "security-1", seq: 12, findings: 1, critical: 1, lifted: null };

test("what is found after a phase was shipped is shown with it", () => {
  assert.equal(partView(shipped, setting, 0).standing, "shipped");
  const found = partView({ ...shipped, stops: [stop] }, setting, 0);
  assert.equal(found.standing, "shipped-with-findings");
  assert.match(found.blockers.join(), /security audit of entry 12 failed/);
});
