/** Neutral names of arguments: what a door makes of them, and what it leaves alone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { argument, atDoor, type DoorNames, openingArguments } from "./argument.ts";

const door: DoorNames = {
  opening: { team: "--team", actor: "--as", credential: "--token", hub: "--hub" },
  of: (name) => (name === "files" ? "--files" : null),
  command: (name) => (name === "agent list" || name === "phase" ? `\`GET ${name}\`` : null),
};

const said = (path: string) => atDoor({ path }, door).path;

test("an argument is called as the door calls it, with what follows its name", () => {
  assert.equal(said(argument("files")), "--files");
  assert.equal(said(`${argument("files")}[3]`), "--files[3]");
  assert.deepEqual(
    openingArguments.map((name) => said(argument(name))),
    ["--team", "--as", "--token", "--hub"],
  );
});

test("an argument that the door does not take keeps its bare name", () => {
  assert.equal(said(argument("deadlineSeconds")), "deadlineSeconds");
});

test("paths of a message, names of agents and text of theirs stay as they are", () => {
  const others = ["$", "$.id", "dev-1", "files", "arguments", "arguments.", "arguments.files x", "my arguments.files"];
  for (const path of [...others, "arguments.files\n--yes", "arguments.FILES", "arguments.a-1"])
    assert.equal(said(path), path);
});

test("a hint names ways that the door has, and leaves a person's commands alone", () => {
  const hint = (text: string) => atDoor({ path: "$", hint: text }, door).hint;
  assert.equal(hint("`baton agent list` shows who is there."), "`GET agent list` shows who is there.");
  assert.equal(hint("`baton phase lift --reason TEXT`, by `baton phase`"), "`GET phase`, by `GET phase`");
  assert.equal(hint("Leave `arguments.files` out."), "Leave `--files` out.");
  assert.equal(hint("Repeat with `arguments.files src/a.ts`."), "Repeat with `--files src/a.ts`.");
  for (const other of [
    "`baton up` starts one.",
    "baton agent list",
    "`git status`",
    "`baton ` of ` nobody",
    "arguments.files",
  ])
    assert.equal(hint(other), other);
  assert.ok(!("hint" in atDoor({ path: "$" }, door)));
});
