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
import { dialectsGuard, floorsGuard, testingGuard } from "./floors.ts";
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
  [floorsGuard, "src/base/a.ts", 'import type { X } from "../journal/journal.ts";', "fault"],
  [floorsGuard, "src/journal/a.ts", 'import { x } from "../team/roster.ts";', "fault"],
  [floorsGuard, "src/doors/mcp/a.ts", 'import { x } from "../cli/main.ts";', "fault"],
  [floorsGuard, "src/runtime/a.ts", 'const x = await import("../doors/cli/main.ts");', "fault"],
  [floorsGuard, "src/runtime/b.ts", 'type X = import("../testing/given.ts").X;', "fault"],
  [floorsGuard, "src/team/a.ts", 'export { x } from "../index.ts";', "fault"],
  [floorsGuard, "src/cellar/a.ts", "export const a = 1;", "fault"],
  [floorsGuard, "src/runtime/tasks/a.ts", 'import { x } from "../../doors/cli/kernel/run.ts";', "fault"],
  [floorsGuard, "src/doors/mcp/tasks/a.ts", 'import { x } from "../../cli/tasks/task-text.ts";', "fault"],
  [floorsGuard, "src/intake/handoffs/a.ts", 'import { x } from "../../authority/routing-rules.ts";', "fault"],
  [floorsGuard, "src/coordination/tasks/a.ts", 'import { x } from "../phases/reviews/reviews.ts";', "fine"],
  [floorsGuard, "src/doors/cli/tasks/a.ts", 'import { x } from "../kernel/run.ts";', "fine"],
  [floorsGuard, "src/doors/cli/a.ts", 'import { x } from "../../../demo/cast.ts";', "fault"],
  [floorsGuard, "demo/a.ts", 'import { x } from "../src/main/hub.ts";', "fault"],
  [floorsGuard, "demo/b.ts", 'import { x } from "../src/doors/cli/kernel/config.ts";', "fine"],
  [floorsGuard, "src/main/commands/demo.ts", 'import { x } from "../../../demo/stage.ts";', "fine"],
  [floorsGuard, "src/journal/b.ts", 'import type { X } from "../message/facts.ts";', "fine"],
  [floorsGuard, "src/journal/sqlite/c.ts", 'import { x } from "../chain.ts";', "fine"],
  [floorsGuard, "src/base/a.test.ts", 'import { x } from "../runtime/team.ts";', "fine"],
  [enginesGuard, "src/runtime/a.ts", 'import type { X } from "../journal/sqlite/index.ts";', "fault"],
  [enginesGuard, "src/journal/a.ts", 'import { x } from "./sqlite/open.ts";', "fault"],
  [enginesGuard, "src/doors/cli/a.ts", "/** A SQLite journal. */", "fault"],
  [enginesGuard, "src/doors/cli/b.ts", 'const hint = "--journal sqlite:PATH";', "fault"],
  [enginesGuard, "src/doors/cli/install/doctor.ts", 'const help = "The SQLite of Node.";', "fault"],
  [enginesGuard, "src/journal/engines.ts", 'const open = await import("./sqlite/open.ts");', "fine"],
  [enginesGuard, "src/journal/b.ts", "/** Not only in SQLite. */", "fine"],
  [enginesGuard, "src/runtime/b.ts", 'import type { Journal } from "../journal/journal.ts";', "fine"],
  [dialectsGuard, "src/runtime/a.ts", 'import { x } from "../dialects/vbw-2/read.ts";', "fault"],
  [dialectsGuard, "src/dialects/yolo-2/a.ts", 'import { x } from "../vbw-2/read.ts";', "fault"],
  [dialectsGuard, "src/dialects/registry.ts", 'import { x } from "./vbw-2/index.ts";', "fine"],
  [testingGuard, "src/base/a.ts", 'import { x } from "./b.test.ts";', "fault"],
  [testingGuard, "src/runtime/a.ts", 'import { x } from "../../tests/simulation/world/world.ts";', "fault"],
  [testingGuard, "src/testing/a.ts", 'import { x } from "../../tests/work/work.ts";', "fault"],
  [testingGuard, "src/testing/b.ts", 'import { x } from "../../tests/simulation/world/world.ts";', "fine"],
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
  [namesGuard, "src/dialects/vbw-2/index.ts", "", "fine"],
  [headerGuard, "src/base/a.ts", "export const a = 1;", "fault"],
  [headerGuard, "src/base/b.ts", "/** One. */\nexport const a = 1;", "fine"],
  [zodGuard, "src/runtime/a.ts", 'import { z } from "zod";', "fault"],
  [zodGuard, "src/dialects/vbw-2/messages.ts", 'import { z } from "zod";', "fine"],
  [modulesGuard, "src/runtime/a.ts", 'import { DatabaseSync } from "node:sqlite";', "fault"],
  [modulesGuard, "src/runtime/b.ts", 'import { readFileSync } from "node:fs";', "fault"],
  [modulesGuard, "src/doors/cli/a.ts", 'import { spawn } from "node:child_process";', "fault"],
  [modulesGuard, "src/views/a.ts", 'import { join } from "node:path";', "fault"],
  [modulesGuard, "src/runtime/c.ts", 'import { setTimeout } from "node:timers/promises";', "fault"],
  [modulesGuard, "src/journal/sqlite/a.ts", 'import { DatabaseSync } from "node:sqlite";', "fine"],
  [modulesGuard, "src/base/canonical.ts", 'import { hash } from "node:crypto";', "fine"],
  [bannedCallsGuard, "src/runtime/a.ts", "Date.now();", "fault"],
  [bannedCallsGuard, "src/runtime/a.ts", "decide({ atMs: context.clock.now() });", "fault"],
  [bannedCallsGuard, "src/runtime/b.ts", "decide({ atMs: steadyNow(context.clock) });", "fine"],
  [bannedCallsGuard, "src/runtime/b.ts", "new Date();", "fault"],
  [bannedCallsGuard, "src/runtime/c.ts", "new Date(5);", "fine"],
  [bannedCallsGuard, "src/runtime/d.ts", "globalThis.performance.now();", "fault"],
  [bannedCallsGuard, "src/runtime/e.ts", "setTimeout(f, 5);", "fault"],
  [bannedCallsGuard, "src/runtime/f.ts", "Math.random();", "fault"],
  [bannedCallsGuard, "src/runtime/g.ts", 'process.env["HOME"];', "fault"],
  [bannedCallsGuard, "src/workspace/config.ts", "process.env.HOME;", "fine"],
  [bannedCallsGuard, "src/runtime/h.ts", "process.exit(1);", "fault"],
  [bannedCallsGuard, "src/runtime/i.ts", "new RegExp(text);", "fault"],
  [bannedCallsGuard, "src/runtime/j.ts", 'new RegExp("a+");', "fine"],
  [bannedCallsGuard, "src/runtime/k.ts", 'console.log("x");', "fault"],
  [bannedCallsGuard, "src/doors/cli/a.ts", 'console.log("x");', "fine"],
  [bannedCallsGuard, "src/runtime/l.ts", "JSON.parse(text);", "fault"],
  [bannedCallsGuard, "src/base/json.ts", "JSON.parse(text);", "fine"],
  [bannedCallsGuard, "src/runtime/m.ts", 'new Function("return 1");', "fault"],
  [bannedCallsGuard, "src/runtime/n.ts", "a.localeCompare(b);", "fault"],
  [bannedCallsGuard, "src/doors/dashboard/parts/a.svelte", "<script lang='ts'>\nDate.now();\n</script>", "fault"],
  [bannedCallsGuard, "src/doors/dashboard/parts/b.svelte", "<p>Date.now();</p>", "fine"],
  [floorsGuard, "src/doors/dashboard/c.svelte", '<script>import { x } from "../cli/run.ts";</script>', "fault"],
  [namesGuard, "src/doors/dashboard/AgentRow.svelte", "", "fault"],
  [namesGuard, "src/doors/dashboard/timeline.svelte.ts", "", "fine"],
  [componentsGuard, "src/doors/dashboard/parts/a.svelte", "<p>{@html text}</p>", "fault"],
  [componentsGuard, "src/doors/dashboard/shown/a.ts", "element.innerHTML = text;", "fault"],
  [componentsGuard, "src/doors/dashboard/parts/b.svelte", '<p style="color: red">x</p>', "fault"],
  [componentsGuard, "src/doors/dashboard/parts/c.svelte", "<p style:color={tone}>{text}</p>", "fine"],
  [componentsGuard, "src/doors/dashboard/parts/d.svelte", "<a href={text}>x</a>", "fault"],
  [componentsGuard, "src/doors/dashboard/parts/d.svelte", "<a href={addressOf(to) + text}>x</a>", "fault"],
  [componentsGuard, "src/doors/dashboard/parts/d.svelte", "<a href={addressOf(to)}>x</a>", "fine"],
  [componentsGuard, "src/doors/dashboard/parts/e.svelte", '<a href="/openapi.json">x</a>', "fine"],
  [componentsGuard, "src/doors/dashboard/parts/f.svelte", '<button onclick="go()">x</button>', "fault"],
  [componentsGuard, "src/doors/dashboard/parts/g.svelte", "<button onclick={go}>x</button>", "fine"],
  [componentsGuard, "src/doors/dashboard/parts/h.svelte", "<svelte:element this={name} />", "fault"],
  [bannedCallsGuard, "src/runtime/o.test.ts", "Date.now();", "fine"],
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
