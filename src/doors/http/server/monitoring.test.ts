import assert from "node:assert/strict";
import { test } from "node:test";
import { newMetrics } from "./monitoring.ts";

test("the number of entries is left out while the journal does not answer: none would look like lost entries", () => {
  using metrics = newMetrics();
  const now = { heads: [], streams: 0, authFailures: 0, isReady: false };
  assert.match(metrics.text({ ...now, entries: 0 }), /^baton_journal_entries 0$/m);
  assert.match(
    metrics.text({ ...now, entries: 5 }),
    /^# HELP baton_journal_entries Numbers of the last entries of all teams/m,
  );
  const away = metrics.text({ ...now, entries: null });
  assert.doesNotMatch(away, /baton_journal_entries/);
  assert.match(away, /^baton_ready 0$/m);
});
