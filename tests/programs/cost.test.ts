/** What Baton costs each program's model before it does anything. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { needs } from "./installed.ts";
import { makeProject } from "./project.ts";
import { runSession } from "./session.ts";

/** docs/protocol/doors.md, section 6. */
const tokensMax = 1_700;

/** The request without the argument that Gemini CLI itself gives each tool. */
const ownOf = (whole: string) => whole.replaceAll(/,?"wait_for_previous":\{[^}]*\}/g, "");

for (const program of ["claude-code", "codex", "gemini"] as const) {
  test(`in ${program} all of Baton is at most ${tokensMax} tokens of the first request`, needs(program), async (t) => {
    const first = async (isLaunched: boolean) => {
      using project = makeProject();
      // Codex lists tools to a model that it does not know, and lets another one search for them.
      const asked = { agent: "dev-1", isLaunched, family: "unknown", script: () => "Done." } as const;
      const { turns, stderr } = await runSession(project, program, asked);
      assert.ok(turns[0] !== undefined, stderr);
      return turns[0];
    };
    const [without, withBaton] = [await first(false), await first(true)];
    const tokens = countTokens(ownOf(withBaton.whole)) - countTokens(ownOf(without.whole));
    t.diagnostic(`${tokens} tokens`);
    assert.match(withBaton.whole, /send_message/);
    assert.doesNotMatch(without.whole, /send_message/);
    assert.ok(tokens <= tokensMax, `${tokens} tokens`);
  });
}
