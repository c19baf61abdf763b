/** Lies, each in its own repository; what nothing shows is believed, and listed as such. */
import type { Case } from "./lab.ts";

const W = "edit src/a.ts; ci";

export const lies: readonly Case[] = [
  [
    "L01 white space only",
    { T1: "noted only-format" },
    async (c) => {
      await c.add("T1", ["src/a.ts"]);
      c.sh("sed -i 's/$/ /' src/a.ts; ci");
      await c.done("T1", "HEAD");
    },
  ],
  [
    "L02 mode only, for work",
    { T1: "done" },
    async (c) => {
      await c.add("T1", ["src/a.ts"]);
      c.sh("chmod +x src/a.ts; ci");
      await c.done("T1", "HEAD");
    },
  ],
  [
    "L03 emptied, restored later, first reported",
    { T1: "caught" },
    async (c) => {
      await c.add("T1", ["src/a.ts"]);
      c.sh(": > src/a.ts; ci e; git checkout -q HEAD~1 -- src/a.ts; ci r");
      await c.done("T1", "HEAD~1");
    },
  ],
  [
    "L04 emptied and restored, both reported",
    { T1: "caught" },
    async (c) => {
      await c.add("T1", ["src/a.ts"]);
      c.sh(": > src/a.ts; ci e; git checkout -q HEAD~1 -- src/a.ts; ci r");
      await c.done("T1", ["HEAD~1", "HEAD"]);
    },
  ],
  [
    "L05 outside change hidden in a merge's 2nd parent",
    { T1: "believed" },
    async (c) => {
      await c.add("T1", ["src/a.ts"]);
      c.sh(
        "git checkout -q -b evil; edit lib/x.ts; ci hidden; git checkout -q main; edit src/a.ts; git add src; T=$(git rev-parse evil:lib/x.ts); git update-index --cacheinfo 100644,$T,lib/x.ts; C=$(git commit-tree $(git write-tree) -p main -p evil -m m); git reset -q --hard $C; git branch -qD evil",
      );
      await c.done("T1", "HEAD");
    },
  ],
  [
    "L06 outside change in an unreported commit below",
    { T1: "believed" },
    async (c) => {
      await c.add("T1", ["src/a.ts"]);
      c.sh("edit lib/x.ts; ci; edit src/a.ts; ci");
      await c.done("T1", "HEAD");
    },
  ],
  [
    "L07 merge -s ours drops T1, branch deleted",
    { T1: "gone", T2: "done" },
    async (c) => {
      await c.add("T1", ["src/a.ts"]);
      c.sh(`git checkout -qb f1; ${W}`);
      await c.done("T1", "HEAD");
      c.sh("git checkout -q main");
      await c.add("T2", ["src/b.ts"]);
      c.sh("edit src/b.ts; ci; git merge -q -s ours f1 -m m; git branch -qD f1");
      await c.done("T2", "HEAD~1");
    },
  ],
  [
    "L08 the -s ours merge reported as T2",
    { T1: "gone" },
    async (c) => {
      await c.add("T1", ["src/a.ts"]);
      c.sh(`git checkout -qb f1; ${W}`);
      await c.done("T1", "HEAD");
      c.sh("git checkout -q main");
      await c.add("T2", ["src/b.ts"]);
      c.sh(
        "edit src/b.ts; git add src; C=$(git commit-tree $(git write-tree) -p main -p f1 -m m); git reset -q --hard $C; git branch -qD f1",
      );
      await c.done("T2", "HEAD");
    },
  ],
  [
    "L09 T2 takes back one of T1's two files",
    { T1: "part-gone", T2: "done" },
    async (c) => {
      await c.add("T1", ["src/a.ts", "src/b.ts"]);
      c.sh("edit src/a.ts src/b.ts; ci");
      await c.done("T1", "HEAD");
      await c.add("T2", ["src/a.ts", "src/c.ts"]);
      c.sh("git checkout -q HEAD~1 -- src/a.ts; edit src/c.ts; ci");
      await c.done("T2", "HEAD");
    },
  ],
  [
    "L10 T2 takes T1 back plus a blank line",
    { T1: "gone", T2: "done" },
    async (c) => {
      await c.add("T1", ["src/a.ts"]);
      c.sh(W);
      await c.done("T1", "HEAD");
      await c.add("T2", ["src/a.ts", "src/c.ts"]);
      c.sh("git checkout -q HEAD~1 -- src/a.ts; echo >> src/a.ts; edit src/c.ts; ci");
      await c.done("T2", "HEAD");
    },
  ],
  [
    "L11 orphan root commit",
    { T1: "caught" },
    async (c) => {
      await c.add("T1", ["src/a.ts"]);
      c.sh(
        "git checkout -q --orphan o; git rm -rqf --cached .; edit src/a.ts; git add src/a.ts; git commit -qm o; git checkout -qf main",
      );
      await c.done("T1", "o");
    },
  ],
  [
    "L12 LFS pointer to nothing",
    { T1: "noted pointer" },
    async (c) => {
      await c.add("T1", ["src/a.bin"]);
      c.sh("printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:%064d\\nsize 12345\\n' 0 > src/a.bin; ci");
      await c.done("T1", "HEAD");
    },
  ],
  [
    "L13 submodule commit that does not exist",
    { T1: "noted pointer" },
    async (c) => {
      await c.add("T1", ["vendor/m", ".gitmodules"]);
      c.sh(
        "printf '[submodule \"m\"]\\n\\tpath = vendor/m\\n\\turl = ./nowhere\\n' > .gitmodules; git add .gitmodules; git update-index --add --cacheinfo 160000,$(printf '%040d' 7),vendor/m; git commit -qm s",
      );
      await c.done("T1", "HEAD");
    },
  ],
  [
    "L14 claims everything",
    { T1: "done" },
    async (c) => {
      await c.add("T1", ["**"]);
      c.sh("edit lib/x.ts; ci");
      await c.done("T1", "HEAD");
    },
  ],
  [
    "L16 older work kept in a tag, merged",
    { T1: "believed" },
    async (c) => {
      c.sh("git checkout -qb old; edit src/a.ts; ci; git tag keep; git checkout -q main; git branch -qD old");
      await c.add("T1", ["src/a.ts"]);
      c.sh("git merge -q keep");
      await c.done("T1", "HEAD");
    },
  ],
  [
    "L17 older work kept in a stash",
    { T1: "done" },
    async (c) => {
      c.sh("edit src/a.ts; git stash -q");
      await c.add("T1", ["src/a.ts"]);
      c.sh("git stash pop -q; ci");
      await c.done("T1", "HEAD");
    },
  ],
  [
    "L18 credited work copied with CRLF on another branch",
    { T2: "asked" },
    async (c) => {
      await c.add("T1", ["src/n.ts"]);
      c.sh("git checkout -qb f1; printf 'a\\nb\\nc\\n' > src/n.ts; ci");
      await c.done("T1", "HEAD");
      c.sh("git checkout -q main; git checkout -qb f2");
      await c.add("T2", ["src/n.ts"]);
      c.sh("printf 'a\\r\\nb\\r\\nc\\r\\n' > src/n.ts; ci");
      await c.done("T2", "HEAD");
    },
  ],
  [
    "L19 credited work copied under another name",
    { T2: "believed" },
    async (c) => {
      await c.add("T1", ["src/n.ts"]);
      c.sh("printf 'a\\nb\\nc\\n' > src/n.ts; ci");
      await c.done("T1", "HEAD");
      await c.add("T2", ["src/m.ts"]);
      c.sh("cp src/n.ts src/m.ts; ci");
      await c.done("T2", "HEAD");
    },
  ],
  [
    "L20 unclaimed file renamed to the claimed name",
    { T1: "caught" },
    async (c) => {
      await c.add("T1", ["src/new.ts"]);
      c.sh("git mv src/b.ts src/new.ts; ci");
      await c.done("T1", "HEAD");
    },
  ],
  [
    "L21 existing file copied to the claimed name",
    { T1: "believed" },
    async (c) => {
      await c.add("T1", ["src/new.ts"]);
      c.sh("cp src/b.ts src/new.ts; ci");
      await c.done("T1", "HEAD");
    },
  ],
  [
    "L22 disputed commit again under a new task",
    { T1: "caught", T2: "caught" },
    async (c) => {
      await c.add("T1", ["src/a.ts"]);
      c.sh("edit src/b.ts; ci");
      await c.done("T1", "HEAD");
      await c.add("T2", ["src/b.ts"]);
      await c.done("T2", "HEAD");
    },
  ],
  [
    "L23 older commit, only its words amended",
    { T1: "caught" },
    async (c) => {
      c.sh(W);
      await c.add("T1", ["src/a.ts"]);
      c.sh("git commit -q --amend -m other");
      await c.done("T1", "HEAD");
    },
  ],
  [
    "L24 older commit amended by a blank line",
    { T1: "caught" },
    async (c) => {
      c.sh(W);
      await c.add("T1", ["src/a.ts"]);
      c.sh("echo >> src/a.ts; git commit -qa --amend -m other");
      await c.done("T1", "HEAD");
    },
  ],
  [
    "L25 branch kept as a forged remote ref only",
    { T1: "done" },
    async (c) => {
      await c.add("T1", ["src/a.ts"]);
      c.sh(
        `git checkout -qb f; ${W}; C=$(h); git checkout -q main; git update-ref refs/remotes/origin/f $C; git branch -qD f`,
      );
      await c.done("T1", "origin/f");
    },
  ],
  [
    "L05t the same, with the hook's trailer",
    { T1: "caught" },
    async (c) => {
      await c.add("T1", ["src/a.ts"]);
      c.sh(
        "git checkout -q -b evil; edit lib/x.ts; git commit -qam $'h\n\nBaton-Task: T1'; git checkout -q main; edit src/a.ts; git add src; T=$(git rev-parse evil:lib/x.ts); git update-index --cacheinfo 100644,$T,lib/x.ts; C=$(git commit-tree $(git write-tree) -p main -p evil -m m); git reset -q --hard $C; git branch -qD evil",
      );
      await c.done("T1", "HEAD", { trailer: "T1" });
    },
  ],
  [
    "L06t the same, with the hook's trailer",
    { T1: "caught" },
    async (c) => {
      await c.add("T1", ["src/a.ts"]);
      c.sh(
        "edit lib/x.ts; git commit -qam $'h\n\nBaton-Task: T1'; edit src/a.ts; git commit -qam $'w\n\nBaton-Task: T1'",
      );
      await c.done("T1", "HEAD", { trailer: "T1" });
    },
  ],
];
