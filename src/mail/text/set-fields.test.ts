import assert from "node:assert/strict";
import { test } from "node:test";
import { readSettings } from "./set-fields.ts";

/** Settings and the fields that they write. */
const written: readonly (readonly [settings: readonly string[], fields: unknown])[] = [
  [["status=partial", "commit="], { status: "partial", commit: "" }],
  [["count=3"], { count: "3" }],
  [["count:=3", "ready:=true", "list:=[1,2]"], { count: 3, ready: true, list: [1, 2] }],
  [["checks.passed=3", "checks.total=4"], { checks: { passed: "3", total: "4" } }],
  [["files[]=a.ts", "files[]=b.ts"], { files: ["a.ts", "b.ts"] }],
  [["files[0]=a.ts", "files[1]=b.ts"], { files: ["a.ts", "b.ts"] }],
  [["changes[0].f=a.ts", "changes[0].ln=3", "changes[1].f=b.ts"], { changes: [{ f: "a.ts", ln: "3" }, { f: "b.ts" }] }],
  [["grid[][]=1", "grid[0][]=2"], { grid: [["1", "2"]] }],
  [['sums["a=b.ts"].hash=1', "sums.c=2"], { sums: { "a=b.ts": { hash: "1" }, c: "2" } }],
  [["text=a=b:=c"], { text: "a=b:=c" }],
  [["plan_id=PLAN", 'tasks:="TASKS"'], { plan_id: "PLAN", tasks: "TASKS" }],
  [["text=line\nline"], { text: "line\nline" }],
];

for (const [settings, fields] of written) {
  test(`${JSON.stringify(settings)} writes ${JSON.stringify(fields)}`, () => {
    const read = readSettings(settings);
    assert.ok(read.ok, read.ok ? "" : read.error.message);
    assert.deepEqual(read.value, fields);
  });
}

/** Settings that are refused, and where. */
const refused: readonly (readonly [settings: readonly string[], path: string])[] = [
  [["status"], "--set"],
  [["=x"], "--set"],
  [["a..b=x"], "--set"],
  [["a b=x"], "--set"],
  [["a[x]=1"], "--set"],
  [["type=x"], "--set type"],
  [["plan_id=PLAN_ID"], "--set plan_id"],
  [["tasks[]=TASKS"], "--set tasks[]"],
  [["a=1", "a=1"], "--set a"],
  [["a=1", "a.b=1"], "--set a.b"],
  [["a.b=1", "a=1"], "--set a"],
  [["a[]=1", "a.b=1"], "--set a.b"],
  [["a[1]=x"], "--set a[1]"],
  [["a:=[1"], "--set a"],
  [['a:={"__proto__":1}'], "--set a"],
];

for (const [settings, path] of refused) {
  test(`${JSON.stringify(settings)} is refused at ${path}`, () => {
    const read = readSettings(settings);
    assert.ok(!read.ok);
    assert.deepEqual([read.error.code, read.error.path], ["wrong-usage", path]);
    assert.ok(read.error.hint);
  });
}

test("a field called __proto__ is a field, so that Baton refuses it as every door does", () => {
  const read = readSettings(["__proto__=x"]);
  assert.ok(read.ok && Object.hasOwn(read.value, "__proto__"));
});
