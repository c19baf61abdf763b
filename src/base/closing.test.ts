import assert from "node:assert/strict";
import { test } from "node:test";
import { closing } from "./closing.ts";

test("what was given last is closed first, all of it also where one throws, and what was handed over stays open", async () => {
  const said: string[] = [];
  const one = (name: string) => ({ [Symbol.asyncDispose]: async () => void said.push(name) });
  const scope = closing();
  scope.use(one("first"));
  scope.defer(() => {
    throw new Error("in between");
  });
  scope.use(one("last"));
  const moved = scope.move();
  await scope[Symbol.asyncDispose]();
  assert.deepEqual(said, []);
  await assert.rejects(async () => moved[Symbol.asyncDispose](), /in between/);
  assert.deepEqual(said, ["last", "first"]);
});
