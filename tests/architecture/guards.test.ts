/**
 * Each guard fails once: a planted error is reported, and its healthy twin next to it is not. A guard that nobody has
 * seen fail proves nothing.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { bannedCallsGuard, modulesGuard } from "./banned.ts";
import { citationsGuard } from "./citations.ts";
import { componentsGuard } from "./components.ts";
import { enginesGuard } from "./engines.ts";
import {
  anyGuard,
  commentWidthGuard,
  doubleCastGuard,
  emptyCatchGuard,
  exportsGuard,
  headerGuard,
  leftoverGuard,
  namesGuard,
  syntaxGuard,
  zodGuard,
} from "./forms.ts";
import { cyclesGuard, orphansGuard } from "./graph.ts";
import { dialectsGuard, layoutGuard, testingGuard } from "./layout.ts";
import { type Guard, sourceOf } from "./sources.ts";

type Files = Readonly<Record<string, string>>;

/** The paths that the guard complains about. */
function accused(guard: Guard, files: Files): readonly string[] {
  const violations = guard(Object.entries(files).map(([path, text]) => sourceOf(path, text)));
  for (const { message } of violations) assert.match(message, /[.?]$/, "a message ends by saying what to do");
  return [...new Set(violations.map((violation) => violation.path))].toSorted();
}

/** One line a case: guard, file, text, whether it is accused. */
const cases: readonly (readonly [Guard, string, string, "fault" | "fine"])[] = [
  [layoutGuard, "src/base/a.ts", 'import type { X } from "../journal/journal.ts";', "fault"],
  [layoutGuard, "src/journal/a.ts", 'import { x } from "../team/state/roster.ts";', "fault"],
  [layoutGuard, "src/messages/a.ts", 'import { x } from "../tasks/state/task-state.ts";', "fault"],
  [layoutGuard, "src/messages/b.ts", 'import { x } from "../team/state/roster.ts";', "fine"],
  [layoutGuard, "src/messages/c.ts", 'import { x } from "../perform/context.ts";', "fault"],
  [layoutGuard, "src/doors/mcp/a.ts", 'import { x } from "../cli/main.ts";', "fault"],
  [layoutGuard, "src/doors/mcp/b.ts", 'import { x } from "../../tasks/text/task-text.ts";', "fault"],
  [layoutGuard, "src/tasks/text/a.ts", 'import { x } from "../../doors/cli/kernel/run.ts";', "fine"],
  [layoutGuard, "src/tasks/text.ts", 'import { x } from "../doors/cli/kernel/run.ts";', "fine"],
  [layoutGuard, "src/tasks/page/a.ts", 'import { x } from "../../doors/cli/kernel/run.ts";', "fault"],
  [layoutGuard, "src/tasks/page/b.svelte", '<script>import { x } from "../text/task-text.ts";</script>', "fault"],
  [layoutGuard, "src/tasks/handlers/a.ts", 'import { x } from "../../doors/cli/kernel/run.ts";', "fault"],
  [layoutGuard, "src/tasks/handlers/b.ts", 'import { x } from "../decide/claims.ts";', "fine"],
  [layoutGuard, "src/tasks/handlers/c.ts", 'import { x } from "../../mail/services/mail.ts";', "fine"],
  [layoutGuard, "src/tasks/handlers/d.ts", 'import { x } from "../../mail/handlers/inbox.ts";', "fault"],
  [layoutGuard, "src/tasks/handlers.ts", 'import { x } from "../mail/handlers.ts";', "fault"],
  [layoutGuard, "src/tasks/services/a.ts", 'import { x } from "../handlers/tasks.ts";', "fault"],
  [layoutGuard, "src/tasks/decide/a.ts", 'import { x } from "../../phases/decide/phase.ts";', "fine"],
  [layoutGuard, "src/tasks/decide/b.ts", 'import { x } from "../handlers/tasks.ts";', "fault"],
  [layoutGuard, "src/perform/a.ts", 'const x = await import("../tasks/handlers/tasks.ts");', "fine"],
  [layoutGuard, "src/perform/b.ts", 'const x = await import("../doors/cli/main.ts");', "fault"],
  [layoutGuard, "src/perform/c.ts", 'type X = import("../testing/given.ts").X;', "fault"],
  [layoutGuard, "src/team/state/a.ts", 'export { x } from "../../index.ts";', "fault"],
  [layoutGuard, "src/cellar/a.ts", "export const a = 1;", "fault"],
  [layoutGuard, "src/tasks/cellar/a.ts", "export const a = 1;", "fault"],
  [layoutGuard, "src/doors/cli/a.ts", 'import { x } from "../../../examples/demo/story.ts";', "fault"],
  [layoutGuard, "examples/demo/a.ts", 'import { x } from "../../src/main/hub.ts";', "fault"],
  [layoutGuard, "examples/demo/b.ts", 'import { x } from "../../src/doors/cli/kernel/config.ts";', "fine"],
  [layoutGuard, "src/main/commands/demo.ts", 'import { x } from "../../../examples/demo/stage.ts";', "fine"],
  [layoutGuard, "src/journal/b.ts", 'import type { X } from "../messages/facts.ts";', "fine"],
  [layoutGuard, "src/journal/sqlite/c.ts", 'import { x } from "../chain.ts";', "fine"],
  [layoutGuard, "src/base/a.test.ts", 'import { x } from "../perform/team.ts";', "fine"],
  [enginesGuard, "src/perform/a.ts", 'import type { X } from "../journal/sqlite/index.ts";', "fault"],
  [enginesGuard, "src/journal/a.ts", 'import { x } from "./sqlite/open.ts";', "fault"],
  [enginesGuard, "src/journal/a.ts", 'import { x } from "./nats/open.ts";', "fault"],
  [enginesGuard, "src/doors/cli/a.ts", "/** A SQLite journal. */", "fault"],
  [enginesGuard, "src/doors/cli/b.ts", 'const hint = "--journal sqlite:PATH";', "fault"],
  [enginesGuard, "src/programs/install/doctor.ts", 'const help = "The SQLite of Node.";', "fault"],
  [enginesGuard, "src/journal/engines.ts", 'const open = await import("./sqlite/open.ts");', "fine"],
  [enginesGuard, "src/journal/b.ts", "/** Not only in SQLite. */", "fine"],
  [enginesGuard, "src/perform/b.ts", 'import type { Journal } from "../journal/journal.ts";', "fine"],
  [dialectsGuard, "src/perform/a.ts", 'import { x } from "../messages/dialects/vbw-2/read.ts";', "fault"],
  [dialectsGuard, "src/messages/dialects/yolo-2/a.ts", 'import { x } from "../vbw-2/read.ts";', "fault"],
  [dialectsGuard, "src/messages/dialects/registry.ts", 'import { x } from "./vbw-2/index.ts";', "fine"],
  [testingGuard, "src/base/a.ts", 'import { x } from "./b.test.ts";', "fault"],
  [testingGuard, "src/perform/a.ts", 'import { x } from "../../tests/simulation/world/world.ts";', "fault"],
  [testingGuard, "src/testing/a.ts", 'import { x } from "../../tests/work/work.ts";', "fault"],
  [testingGuard, "src/doors/cli/a.ts", 'import { x } from "../../testing/given.ts";', "fault"],
  [testingGuard, "src/testing/a.ts", 'import { x } from "./given.ts";', "fine"],
  [syntaxGuard, "src/base/a.ts", "const a = (;", "fault"],
  [emptyCatchGuard, "src/base/a.ts", "try { f(); } catch {}", "fault"],
  [emptyCatchGuard, "src/base/b.ts", "try { f(); } catch { /* gone */ }", "fault"],
  [
    emptyCatchGuard,
    "src/base/c.ts",
    "try { f(); } catch { /* The file may be gone already: that is the goal. */ }",
    "fine",
  ],
  [anyGuard, "src/base/a.ts", "export function f(x: any) {}", "fault"],
  [anyGuard, "tests/a.ts", "const any = 1; export { any };", "fine"],
  [doubleCastGuard, "src/base/a.ts", "\n\n\nexport const x = f() as unknown as string;", "fault"],
  [
    doubleCastGuard,
    "src/base/b.ts",
    "// The driver promises text here.\nexport const x = f() as unknown as string;",
    "fine",
  ],
  [leftoverGuard, "src/base/a.ts", `// ${"TO" + "DO"}: later`, "fault"],
  [leftoverGuard, "src/base/b.ts", "// Nothing is left to do.", "fine"],
  [citationsGuard, "src/base/a.ts", `/** Source: ${"seman" + "tics.md"} section 3. */`, "fault"],
  [citationsGuard, "src/base/b.ts", `/** Source: docs/protocol/${"gone"}.md. */`, "fault"],
  [citationsGuard, "src/base/c.ts", `/**\n * Source: docs/protocol/tasks.md,\n * section ${99}.\n */`, "fault"],
  [citationsGuard, "src/base/d.ts", `/** Source: docs/protocol/tasks.md, "${"Claims"}". */`, "fault"],
  [citationsGuard, "src/base/e.ts", `/** As section ${3} says. */`, "fault"],
  [citationsGuard, "src/base/f.ts", `/** The order of ${"the se" + "eds'"} lists. */`, "fault"],
  [citationsGuard, "src/base/g.ts", `const page = "docs/guides/${"gone"}.md";`, "fault"],
  [citationsGuard, "src/base/h.ts", `/** See ${"decision"} 9999. */`, "fault"],
  [
    citationsGuard,
    "src/base/i.ts",
    "/** Source: docs/protocol/tasks.md, sections 3 and 4. RFC 3339, section 5.6. */",
    "fine",
  ],
  [commentWidthGuard, "src/base/a.ts", `/**\n * ${"wide ".repeat(25)}\n */`, "fault"],
  [commentWidthGuard, "src/base/b.ts", `// biome-ignore lint/x: ${"wide ".repeat(25)}\n// ${"w".repeat(120)}`, "fine"],
  [exportsGuard, "src/index.ts", 'export * from "./base/ids.ts";', "fault"],
  [exportsGuard, "src/a.ts", "export default 1;", "fault"],
  [exportsGuard, "src/b.ts", "export const b = 1;", "fine"],
  [namesGuard, "src/base/utils.ts", "", "fault"],
  [namesGuard, "src/base/claim-helpers.ts", "", "fault"],
  [namesGuard, "src/base/ClaimTask.ts", "", "fault"],
  [namesGuard, "src/base/index.ts", "", "fault"],
  [namesGuard, "src/messages/dialects/vbw-2/index.ts", "", "fine"],
  [headerGuard, "src/base/a.ts", "export const a = 1;", "fault"],
  [headerGuard, "src/base/b.ts", "/** One. */\nexport const a = 1;", "fine"],
  [zodGuard, "src/perform/a.ts", 'import { z } from "zod";', "fault"],
  [zodGuard, "src/messages/dialects/vbw-2/messages.ts", 'import { z } from "zod";', "fine"],
  [modulesGuard, "src/perform/a.ts", 'import { DatabaseSync } from "node:sqlite";', "fault"],
  [modulesGuard, "src/perform/b.ts", 'import { readFileSync } from "node:fs";', "fault"],
  [modulesGuard, "src/doors/cli/a.ts", 'import { spawn } from "node:child_process";', "fault"],
  [modulesGuard, "src/tasks/view/a.ts", 'import { join } from "node:path";', "fault"],
  [modulesGuard, "src/perform/c.ts", 'import { setTimeout } from "node:timers/promises";', "fault"],
  [modulesGuard, "src/journal/sqlite/a.ts", 'import { DatabaseSync } from "node:sqlite";', "fine"],
  [modulesGuard, "src/base/canonical.ts", 'import { hash } from "node:crypto";', "fine"],
  [bannedCallsGuard, "src/perform/a.ts", "Date.now();", "fault"],
  [bannedCallsGuard, "src/perform/a.ts", "decide({ atMs: context.clock.now() });", "fault"],
  [bannedCallsGuard, "src/perform/b.ts", "decide({ atMs: steadyNow(context.clock) });", "fine"],
  [bannedCallsGuard, "src/perform/b.ts", "new Date();", "fault"],
  [bannedCallsGuard, "src/perform/c.ts", "new Date(5);", "fine"],
  [bannedCallsGuard, "src/perform/d.ts", "globalThis.performance.now();", "fault"],
  [bannedCallsGuard, "src/perform/e.ts", "setTimeout(f, 5);", "fault"],
  [bannedCallsGuard, "src/perform/f.ts", "Math.random();", "fault"],
  [bannedCallsGuard, "src/perform/g.ts", 'process.env["HOME"];', "fault"],
  [bannedCallsGuard, "src/perform/workspace/config.ts", "process.env.HOME;", "fine"],
  [bannedCallsGuard, "src/perform/h.ts", "process.exit(1);", "fault"],
  [bannedCallsGuard, "src/perform/i.ts", "new RegExp(text);", "fault"],
  [bannedCallsGuard, "src/perform/j.ts", 'new RegExp("a+");', "fine"],
  [bannedCallsGuard, "src/perform/k.ts", 'console.log("x");', "fault"],
  [bannedCallsGuard, "src/doors/cli/a.ts", 'console.log("x");', "fine"],
  [bannedCallsGuard, "src/perform/l.ts", "JSON.parse(text);", "fault"],
  [bannedCallsGuard, "src/base/json.ts", "JSON.parse(text);", "fine"],
  [bannedCallsGuard, "src/perform/m.ts", 'new Function("return 1");', "fault"],
  [bannedCallsGuard, "src/perform/n.ts", "a.localeCompare(b);", "fault"],
  [bannedCallsGuard, "src/doors/page/parts/a.svelte", "<script lang='ts'>\nDate.now();\n</script>", "fault"],
  [bannedCallsGuard, "src/doors/page/parts/b.svelte", "<p>Date.now();</p>", "fine"],
  [layoutGuard, "src/doors/page/c.svelte", '<script>import { x } from "../cli/run.ts";</script>', "fault"],
  [namesGuard, "src/doors/page/AgentRow.svelte", "", "fault"],
  [namesGuard, "src/doors/page/timeline.svelte.ts", "", "fine"],
  [componentsGuard, "src/doors/page/parts/a.svelte", "<p>{@html text}</p>", "fault"],
  [componentsGuard, "src/doors/page/shown/a.ts", "element.innerHTML = text;", "fault"],
  [componentsGuard, "src/doors/page/parts/b.svelte", '<p style="color: red">x</p>', "fault"],
  [componentsGuard, "src/doors/page/parts/c.svelte", "<p style:color={tone}>{text}</p>", "fine"],
  [componentsGuard, "src/doors/page/parts/d.svelte", "<a href={text}>x</a>", "fault"],
  [componentsGuard, "src/doors/page/parts/d.svelte", "<a href={addressOf(to) + text}>x</a>", "fault"],
  [componentsGuard, "src/doors/page/parts/d.svelte", "<a href={addressOf(to)}>x</a>", "fine"],
  [componentsGuard, "src/doors/page/parts/e.svelte", '<a href="/openapi.json">x</a>', "fine"],
  [componentsGuard, "src/doors/page/parts/f.svelte", '<button onclick="go()">x</button>', "fault"],
  [componentsGuard, "src/doors/page/parts/g.svelte", "<button onclick={go}>x</button>", "fine"],
  [componentsGuard, "src/doors/page/parts/h.svelte", "<svelte:element this={name} />", "fault"],
  [bannedCallsGuard, "src/perform/o.test.ts", "Date.now();", "fine"],
];

for (const [guard, path, text, expected] of cases) {
  const what = `${text.slice(0, 60)}${text.length > 60 ? " ..." : ""}`.replaceAll(/\s+/g, " ");
  test(`${path} with \`${what.trim()}\` is a ${expected}`, () => {
    assert.deepEqual(accused(guard, { [path]: text }), expected === "fault" ? [path] : []);
  });
}

test("a circle of three files is reported, one that a type closes too, and a line of three is not", () => {
  const cycle = {
    "src/base/a.ts": 'import { b } from "./b.ts";',
    "src/base/b.ts": 'export { c } from "./c.ts";',
    "src/base/c.ts": 'await import("./a.ts");',
  };
  assert.equal(accused(cyclesGuard, cycle).length, 1);
  assert.equal(accused(cyclesGuard, { ...cycle, "src/base/c.ts": 'import type { a } from "./a.ts";' }).length, 1);
  assert.deepEqual(accused(cyclesGuard, { ...cycle, "src/base/c.ts": "export const c = 1;" }), []);
});

test("a file that only its test imports is an orphan, one behind a door is not", () => {
  const files = {
    "src/index.ts": 'export { a } from "./base/a.ts";',
    "src/base/a.ts": "export const a = 1;",
    "src/base/lonely.ts": "export const b = 1;",
    "src/base/lonely.test.ts": 'import { b } from "./lonely.ts";',
  };
  assert.deepEqual(accused(orphansGuard, files), ["src/base/lonely.ts"]);
});
