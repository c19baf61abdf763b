/** Work that lands by every way of a forge, agents that share a repository, and what happens to the work afterwards. */
import type { Case, Lab } from "./lab.ts";

const W = "edit src/a.ts; ci";

/** On a branch `f`: a task with one file, changed and reported; then back on main. */
async function onBranch(c: Lab, text = W): Promise<void> {
  await c.add("T1", ["src/a.ts"]);
  c.sh(`git checkout -qb f; ${text}`);
  await c.done("T1", "HEAD");
  c.sh("git checkout -q main");
}

/** The same on main. */
async function onMain(c: Lab, text = W, files: readonly string[] = ["src/a.ts"]): Promise<void> {
  await c.add("T1", files);
  c.sh(text);
  await c.done("T1", "HEAD");
}

/** Work is done on main, then this happens. */
const then =
  (text: string, work = W, files: readonly string[] = ["src/a.ts"]) =>
  async (c: Lab): Promise<void> => {
    await onMain(c, work, files);
    c.sh(text);
    await c.look();
  };

/** Work is done on a branch, then this happens on main. */
const lands =
  (text: string) =>
  async (c: Lab): Promise<void> => {
    await onBranch(c);
    c.sh(text);
    await c.look();
  };

export const landing: readonly Case[] = [
  [
    "R01 squash, branch deleted, other work between",
    { T1: "done" },
    lands("edit docs/r; ci o; git merge -q --squash f >/dev/null; ci s; git branch -qD f"),
  ],
  [
    "R02 rebase and merge",
    { T1: "done" },
    lands(
      "edit docs/r; ci o; git checkout -q f; git rebase -q main; git checkout -q main; git merge -q --ff-only f; git branch -qd f",
    ),
  ],
  ["R03 merge commit", { T1: "done" }, lands("edit docs/r; ci o; git merge -q f -m m; git branch -qd f")],
  [
    "R04 picked with a note of its origin",
    { T1: "done" },
    lands("edit docs/r; ci o; git cherry-pick -x f >/dev/null; git branch -qD f"),
  ],
  [
    "R05 am of a patch, branch deleted",
    { T1: "done" },
    lands(
      "git format-patch -q -1 -o $R/p5 f; edit docs/r; ci o; git am -q $R/p5/*.patch; git branch -qD f; rm -rf $R/p5",
    ),
  ],
  [
    "R06 squash of two tasks at once",
    { T1: "done", T2: "done" },
    async (c) => {
      await onBranch(c);
      await c.add("T2", ["src/b.ts"]);
      c.sh("git checkout -q f; edit src/b.ts; ci");
      await c.done("T2", "HEAD");
      c.sh("git checkout -q main; git merge -q --squash f >/dev/null; ci s; git branch -qD f");
      await c.look();
    },
  ],
  [
    "R07 squash that brings one of two files",
    { T1: "part-gone" },
    async (c) => {
      await c.add("T1", ["src/a.ts", "src/b.ts"]);
      c.sh("edit src/a.ts src/b.ts; ci");
      await c.done("T1", "HEAD");
      c.sh("git checkout -q HEAD~1 -- src/b.ts; ci back");
      await c.look();
    },
  ],
  ["R08 branch deleted, nothing merged", { T1: "gone" }, lands("git branch -qD f")],
  ["R09 main reset to before", { T1: "gone" }, then("git reset -q --hard HEAD~1")],
  [
    "R10 squash, then gc of everything else",
    { T1: "done" },
    lands(
      "git merge -q --squash f >/dev/null; ci s; git branch -qD f; git reflog expire --expire=now --all; git gc -q --prune=now",
    ),
  ],
  [
    "R11 review fixes on the branch, then squash",
    { T1: "done" },
    lands(
      "git checkout -q f; sed -i 's/^work/better work/' src/a.ts; ci fix; git checkout -q main; git merge -q --squash f >/dev/null; ci s; git branch -qD f",
    ),
  ],
  [
    "R12 rewritten wholly on the branch, then squash",
    { T1: "done" },
    async (c) => {
      await onBranch(c);
      c.sh("git checkout -q f; sed -i 's/^work.*/something else entirely/' src/a.ts; ci fix");
      await c.look();
      c.sh("git checkout -q main; git merge -q --squash f >/dev/null; ci s; git branch -qD f");
      await c.look();
    },
  ],
  [
    "R13 only the remote branch is left",
    { T1: "done" },
    lands(
      "git init -q --bare $R/o13r; git remote add origin $R/o13r; git push -q origin f main; git branch -qD f; git fetch -q origin",
    ),
  ],
  [
    "R14 landed on the remote main only",
    { T1: "done" },
    lands(
      "git init -q --bare $R/o14r; git remote add origin $R/o14r; git checkout -qb tmp; git merge -q f -m m; git push -q origin tmp:main; git checkout -q main; git branch -qD tmp f; git fetch -q origin",
    ),
  ],
  [
    "N01 a dependent task without its dependency's work",
    { T1: "done", T2: "noted lacks" },
    async (c) => {
      await onBranch(c);
      await c.add("T2", ["src/b.ts"], ["T1"]);
      c.sh("git checkout -qb g main; edit src/b.ts; ci");
      await c.done("T2", "HEAD");
    },
  ],
  [
    "N02 with it, picked",
    { T1: "done", T2: "done" },
    async (c) => {
      await onBranch(c);
      await c.add("T2", ["src/b.ts"], ["T1"]);
      c.sh("git checkout -qb g main; git cherry-pick f >/dev/null; edit src/b.ts; ci");
      await c.done("T2", "HEAD");
    },
  ],
  [
    "N03 one commit of two tasks, each its files",
    { T1: "done", T2: "done" },
    async (c) => {
      await c.add("T1", ["src/a.ts"]);
      await c.add("T2", ["src/b.ts"]);
      c.sh("edit src/a.ts src/b.ts; ci");
      c.reported("T2", "HEAD");
      await c.done("T1", "HEAD");
      await c.done("T2", "HEAD");
    },
  ],
  [
    "N04 the same commit for the same file",
    { T1: "done", T2: "caught" },
    async (c) => {
      await onMain(c);
      await c.add("T2", ["src/a.ts"]);
      await c.done("T2", "HEAD");
    },
  ],
  [
    "N05 another's work picked to a branch of one's own",
    { T1: "done", T2: "asked" },
    async (c) => {
      await c.add("T2", ["src/a.ts"]);
      await onBranch(c);
      c.sh("git checkout -qb g; edit docs/r; ci o; git cherry-pick f >/dev/null");
      await c.done("T2", "HEAD");
    },
  ],
  [
    "N06 a stub, then its body by another task",
    { T1: "done", T2: "done" },
    async (c) => {
      await onMain(c, "echo 'function f() { throw todo }' >> src/a.ts; ci");
      await c.add("T2", ["src/a.ts"]);
      c.sh("sed -i 's/function f.*/function f() { return 42 }/' src/a.ts; ci");
      await c.done("T2", "HEAD");
    },
  ],
  [
    "N07 an old commit beside a new one",
    { T1: "noted commit-before-task" },
    async (c) => {
      c.sh(W);
      await c.add("T1", ["src/a.ts"]);
      c.sh(W);
      await c.done("T1", ["HEAD~1", "HEAD"]);
    },
  ],
  [
    "N08 a commit that only the reflog has",
    { T1: "caught" },
    async (c) => {
      await c.add("T1", ["src/a.ts"]);
      c.sh(`${W}; git reset -q --hard HEAD~1`);
      await c.done("T1", c.sh("git rev-parse HEAD@{1}"));
    },
  ],
  [
    "N09 the branch goes on over the same lines",
    { T1: "done" },
    lands("git checkout -q f; sed -i 's/^work/more work/' src/a.ts; ci; edit src/a.ts; ci; git checkout -q main"),
  ],
  ["F01 prettier", { T1: "done" }, then('sed -i "s/\'/\\"/g; s/$/;/; s/^/  /" src/a.ts; ci style')],
  ["F02 line endings", { T1: "done" }, then("sed -i 's/$/\\r/' src/a.ts; ci crlf")],
  ["F03 a licence header", { T1: "done" }, then("sed -i '1i // Licence' src/*.ts; ci licence")],
  ["F04 generated again, longer", { T1: "done" }, then("seq 100 | sed 's/^/gen /' >> src/a.ts; ci gen")],
  ["F05 the file renamed", { T1: "done" }, then("git mv src/a.ts src/renamed.ts; ci mv")],
  ["F06 its folder moved", { T1: "done" }, then("git mv src code; ci mv")],
  [
    "F07 the code moved to another file",
    { T1: "done" },
    then(
      "grep work src/a.ts >> src/b.ts; sed -i '/^work/d' src/a.ts; ci mv",
      "seq 5 | sed 's/^/work of value /' >> src/a.ts; ci",
    ),
  ],
  ["F08 taken back", { T1: "gone" }, then("git revert --no-edit HEAD >/dev/null")],
  [
    "F09 taken back and brought back",
    { T1: "done" },
    then("git revert --no-edit HEAD >/dev/null; git revert --no-edit HEAD >/dev/null"),
  ],
  [
    "F10 half taken back",
    { T1: "done" },
    then("sed -i '/one/d' src/a.ts; ci half", "printf 'one\\ntwo\\n' >> src/a.ts; ci"),
  ],
  ["F11 the file deleted", { T1: "gone" }, then("git rm -q src/a.ts; git commit -qm rm")],
  [
    "F12 a binary file, kept",
    { T1: "done" },
    then("edit docs/r; ci", "head -c 3000 /dev/urandom > src/a.bin; ci", ["src/a.bin"]),
  ],
  [
    "F13 a binary file, taken back",
    { T1: "gone" },
    then("git revert --no-edit HEAD >/dev/null", "head -c 3000 /dev/urandom > src/a.bin; ci", ["src/a.bin"]),
  ],
  ["F14 a mode, taken back", { T1: "gone" }, then("chmod -x run.sh; ci", "chmod +x run.sh; ci", ["run.sh"])],
  [
    "F15 a deletion, brought back",
    { T1: "gone" },
    then("git revert --no-edit HEAD >/dev/null", "git rm -q src/b.ts; git commit -qm rm", ["src/b.ts"]),
  ],
  [
    "F16 an operator changed, and back",
    { T1: "gone" },
    then("git revert --no-edit HEAD >/dev/null", "sed -i 's/line3/line3 < 4/' src/a.ts; ci"),
  ],
  [
    "F17 a value of the same line changed by others",
    { T1: "done" },
    then(
      "sed -i 's/timeout = 30, retries/timeout = 60, retries/' src/a.ts; ci",
      "echo 'timeout = 30, retries = 5, name = long' >> src/a.ts; ci",
    ),
  ],
  [
    "F18 a link, taken back",
    { T1: "gone" },
    then("git revert --no-edit HEAD >/dev/null", "ln -s b.ts src/l.ts; ci", ["src/"]),
  ],
  [
    "F19 other lines of the file changed by many",
    { T1: "done" },
    then('for i in 1 2 3 4 5; do sed -i "s/line$i/changed $i/" src/a.ts; ci $i; done'),
  ],
  [
    "F20 a merge that takes the other side whole",
    { T1: "gone" },
    async (c) => {
      c.sh("git checkout -qb other; sed -i 's/line5/other/' src/a.ts; ci other; git checkout -q main");
      await onMain(c);
      c.sh(
        "git merge -q -s ours --no-commit other >/dev/null 2>&1; git checkout -q other -- src/a.ts; git commit -qm merge",
      );
      await c.look();
    },
  ],
  [
    "F21 a conflict solved by a person who keeps both",
    { T1: "done" },
    async (c) => {
      c.sh("git checkout -qb other; echo theirs >> src/a.ts; ci other; git checkout -q main");
      await onMain(c);
      c.sh("git merge -q other >/dev/null 2>&1 || true; sed -i '/^[<=>]/d' src/a.ts; ci merge");
      await c.look();
    },
  ],
  [
    "F22 a further report that is wrong",
    { T1: "done" },
    async (c) => {
      await onMain(c);
      c.sh("edit lib/x.ts; ci");
      await c.done("T1", "HEAD");
    },
  ],
  [
    "F23 another task puts other lines in its place",
    { T1: "noted replaced", T2: "done" },
    async (c) => {
      await onMain(c, "printf 'alpha one\\nbeta two\\n' >> src/a.ts; ci");
      await c.add("T2", ["src/a.ts"]);
      c.sh("sed -i 's/alpha one/gamma/; s/beta two/delta/' src/a.ts; ci");
      await c.done("T2", "HEAD");
      await c.look();
    },
  ],
];
