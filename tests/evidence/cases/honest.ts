/** Honest work, as people and their tools leave it in a repository. */
import type { Case, Lab } from "./lab.ts";

const W = "edit src/a.ts; ci";

/** A task with one file, changed and reported. */
async function simple(c: Lab): Promise<void> {
  await c.add("T1", ["src/a.ts"]);
  c.sh(W);
  await c.done("T1", "HEAD");
}

export const honest: readonly Case[] = [
  [
    "H01 co-authors, two commits",
    { T1: "done" },
    async (c) => {
      await c.add("T1", ["src/a.ts", "src/b.ts"]);
      c.sh(
        "edit src/a.ts; ci $'p\\n\\nCo-authored-by: dev-2 <dev-2@x>'; edit src/b.ts; git add src; GIT_AUTHOR_NAME=dev-2 git commit -qm p2",
      );
      await c.done("T1", ["HEAD~1", "HEAD"]);
    },
  ],
  [
    "H02 cherry-pick to a release branch as a task",
    { T1: "done", T2: "asked" },
    async (c) => {
      c.sh("git branch release");
      await c.add("T1", ["src/a.ts"]);
      c.sh(W);
      await c.done("T1", "HEAD");
      await c.add("T2", ["src/a.ts"]);
      c.sh("git checkout -q release; git cherry-pick -x main >/dev/null");
      await c.done("T2", "HEAD");
    },
  ],
  [
    "H03 squash merge of two commits, branch deleted",
    { T1: "done" },
    async (c) => {
      await c.add("T1", ["src/a.ts"]);
      c.sh(`git checkout -qb f; ${W}; ${W}`);
      await c.done("T1", ["HEAD~1", "HEAD"]);
      c.sh(
        "git checkout -q main; edit docs/r; ci o; git merge -q --squash f >/dev/null; ci 'Squash (#12)'; git branch -qD f",
      );
      await c.look();
    },
  ],
  [
    "H04 merge queue picks, branch deleted",
    { T1: "done" },
    async (c) => {
      await c.add("T1", ["src/a.ts"]);
      c.sh(`git checkout -qb f; ${W}`);
      await c.done("T1", "HEAD");
      c.sh("git checkout -q main; edit docs/r; ci o; git cherry-pick f >/dev/null; git branch -qD f");
      await c.look();
    },
  ],
  [
    "H05 revert of a revert",
    { T1: "done", T3: "done" },
    async (c) => {
      await c.add("T1", ["src/a.ts"]);
      c.sh(W);
      await c.done("T1", "HEAD");
      await c.add("T2", ["src/a.ts"]);
      c.sh("git revert --no-edit HEAD >/dev/null");
      await c.done("T2", "HEAD");
      await c.add("T3", ["src/a.ts"]);
      c.sh("git revert --no-edit HEAD >/dev/null");
      await c.done("T3", "HEAD");
    },
  ],
  [
    "H06 format bot afterwards",
    { T1: "done" },
    async (c) => {
      await simple(c);
      c.sh("sed -i 's/^/  /' src/*.ts; GIT_AUTHOR_NAME=bot git commit -qam style");
      await c.look();
    },
  ],
  [
    "H07 a person mends a typo elsewhere in the file",
    { T1: "done" },
    async (c) => {
      await simple(c);
      c.sh("sed -i 's/line2/line 2/' src/a.ts; git commit -qam typo");
      await c.look();
    },
  ],
  [
    "H08 release bot bumps the same one-line file",
    { T1: "done" },
    async (c) => {
      c.sh('echo \'{"version":"1.0.0"}\' > package.json; ci');
      await c.add("T1", ["package.json"]);
      c.sh('echo \'{"version":"1.0.0","x":1}\' > package.json; ci');
      await c.done("T1", "HEAD");
      c.sh('echo \'{"version":"1.0.1","x":1}\' > package.json; ci r');
      await c.look();
    },
  ],
  [
    "H09 mode only",
    { T1: "done" },
    async (c) => {
      await c.add("T1", ["run.sh"]);
      c.sh("chmod +x run.sh; ci");
      await c.done("T1", "HEAD");
    },
  ],
  [
    "H10 submodule moved on",
    { T1: "done" },
    async (c) => {
      c.sh(
        `rm -rf $R/sub; git init -q $R/sub; (cd $R/sub; echo 1 > f; git add .; git commit -qm 1); git submodule -q add $R/sub vendor/m; ci`,
      );
      await c.add("T1", ["vendor/m"]);
      c.sh("(cd vendor/m; echo 2 > f; git add .; git commit -qm 2); git add vendor/m; git commit -qm bump");
      await c.done("T1", "HEAD");
    },
  ],
  [
    "H11 rename with edits, new name listed",
    { T1: "done" },
    async (c) => {
      await c.add("T1", ["src/a.ts", "src/z.ts"]);
      c.sh("git mv src/a.ts src/z.ts; edit src/z.ts; ci");
      await c.done("T1", "HEAD", { listed: ["src/z.ts"] });
    },
  ],
  [
    "H12 amended with more after the report",
    { T1: "done" },
    async (c) => {
      await simple(c);
      c.sh("edit src/a.ts; git commit -qa --amend --no-edit");
      await c.look();
    },
  ],
  [
    "H13 rebased and force-pushed",
    { T1: "done" },
    async (c) => {
      c.sh("rm -rf $R/o13; git init -q --bare $R/o13; git remote add origin $R/o13; git push -q origin main");
      await c.add("T1", ["src/a.ts"]);
      c.sh(`git checkout -qb f; ${W}; git push -q -u origin f`);
      await c.done("T1", "HEAD");
      c.sh("git checkout -q main; edit docs/x; ci; git checkout -q f; git rebase -q main; git push -qf origin f");
      await c.look();
    },
  ],
  [
    "H14 octopus",
    { T1: "done" },
    async (c) => {
      await c.add("T1", ["src/a.ts", "src/b.ts", "src/c.ts"]);
      c.sh(
        "for f in a b c; do git checkout -qb f$f main; edit src/$f.ts; ci $f; done; git checkout -q main; git merge -q fa fb fc -m oct >/dev/null 2>&1",
      );
      await c.done("T1", "HEAD");
    },
  ],
  [
    "H15 dates of 1970 and 2099",
    { T1: "done" },
    async (c) => {
      await c.add("T1", ["src/a.ts"]);
      c.sh(
        "edit src/a.ts; git add src; GIT_AUTHOR_DATE='1970-01-02T00:00:00 +0000' GIT_COMMITTER_DATE='2099-01-01T00:00:00 -1200' git commit -qm d; edit src/a.ts; git add src; GIT_COMMITTER_DATE='1971-01-01T00:00:00 +1400' git commit -qm d2",
      );
      await c.done("T1", ["HEAD", "HEAD~1"]);
    },
  ],
  [
    "H16 NUL, Latin-1 and gpgsig in the commit",
    { T1: "done" },
    async (c) => {
      await c.add("T1", ["src/a.ts"]);
      c.sh(
        "edit src/a.ts; git add src; T=$(git write-tree); P=$(h); printf 'tree %s\\nparent %s\\nauthor d\\xe9v <d@x> 1700000000 +0000\\ncommitter d <d@x> 1700000000 +0000\\nencoding ISO-8859-1\\ngpgsig -----BEGIN PGP SIGNATURE-----\\n \\n iQ\\n tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\\n -----END PGP SIGNATURE-----\\n\\nsubj\\0hidden\\xff\\n' $T $P > $R/c16; C=$(git hash-object -t commit -w --literally $R/c16); git reset -q --soft $C",
      );
      await c.done("T1", "HEAD");
    },
  ],
  [
    "H17 notes and replace refs",
    { T1: "done" },
    async (c) => {
      await c.add("T1", ["src/a.ts"]);
      c.sh(`${W}; git notes add -m n HEAD; git replace HEAD HEAD~1`);
      await c.done("T1", "HEAD");
    },
  ],
  [
    "H18 packed, commit graph, packed refs",
    { T1: "done" },
    async (c) => {
      await c.add("T1", ["src/a.ts"]);
      c.sh(`${W}; git gc -q --prune=now; git commit-graph write --reachable 2>/dev/null; git pack-refs --all`);
      await c.done("T1", "HEAD");
    },
  ],
  [
    "H19 SHA-256 repository, landed by squash",
    { T1: "done" },
    async (c) => {
      await c.add("T1", ["src/a.ts"]);
      c.sh(`git checkout -qb f; ${W}`);
      await c.done("T1", "HEAD");
      c.sh("git checkout -q main; git merge -q --squash f >/dev/null; git commit -qm s; git branch -qD f");
      await c.look();
    },
    "--object-format=sha256",
  ],
  [
    "H20 commit on a detached HEAD of a worktree",
    { T1: "noted detached" },
    async (c) => {
      await c.add("T1", ["src/a.ts"]);
      c.sh(
        "git worktree prune; rm -rf $R/wt20; git worktree add -q --detach $R/wt20; cd $R/wt20; edit src/a.ts; git commit -qam wt",
      );
      await c.done("T1", c.sh("git -C $R/wt20 rev-parse HEAD"));
    },
  ],
  [
    "H21 CRLF normalised with .gitattributes",
    { T1: "done" },
    async (c) => {
      await c.add("T1", ["src/a.ts", ".gitattributes"]);
      c.sh("printf '*.ts text eol=lf\\n' > .gitattributes; sed -i 's/$/\\r/' src/a.ts; edit src/a.ts; ci");
      await c.done("T1", "HEAD");
    },
  ],
  [
    "H22 names with blanks, quotes, umlauts",
    { T1: "done" },
    async (c) => {
      await c.add("T1", ["src/é ü.ts", "src/it's.ts"]);
      c.sh("echo x > 'src/é ü.ts'; echo y > \"src/it's.ts\"; ci");
      await c.done("T1", "HEAD");
    },
  ],
  [
    "H23 only a deletion",
    { T1: "done" },
    async (c) => {
      await c.add("T1", ["src/a.ts"]);
      c.sh("git rm -q src/a.ts; git commit -qm del");
      await c.done("T1", "HEAD");
    },
  ],
  [
    "H24 git am, empty message",
    { T1: "done" },
    async (c) => {
      await c.add("T1", ["src/a.ts"]);
      c.sh(
        `git checkout -qb t; ${W}; git format-patch -q -1 -o $R/p24; git checkout -q main; git branch -qD t; git am -q $R/p24/*.patch; git commit -q --amend --allow-empty-message -m ''; rm -rf $R/p24`,
      );
      await c.done("T1", "HEAD");
    },
  ],
  [
    "H25 stacked branches, T1 amended, T2 rebased",
    { T1: "done", T2: "done" },
    async (c) => {
      await c.add("T1", ["src/a.ts"]);
      c.sh(`git checkout -qb s1; ${W}`);
      await c.done("T1", "HEAD");
      await c.add("T2", ["src/b.ts"], ["T1"]);
      c.sh("git checkout -qb s2; edit src/b.ts; ci");
      await c.done("T2", "HEAD");
      c.sh(
        "git checkout -q s1; edit src/a.ts; git commit -qa --amend --no-edit; git checkout -q s2; git rebase -q --onto s1 s2~1 s2",
      );
      await c.look();
    },
  ],
  [
    "K06 shared clone (alternates)",
    { T1: "done" },
    async (c) => {
      c.sh("rm -rf $R/k6; git clone -q --shared . $R/k6");
      c.directory = `${c.root}/k6`;
      await simple(c);
    },
  ],
  [
    "K07 sparse checkout",
    { T1: "done" },
    async (c) => {
      c.sh("rm -rf $R/k7; git clone -q --sparse . $R/k7; cd $R/k7; git sparse-checkout set src");
      c.directory = `${c.root}/k7`;
      await c.add("T1", ["src/a.ts"]);
      c.sh("edit src/a.ts; git commit -qam w");
      await c.done("T1", "HEAD");
    },
  ],
  [
    "K08 folder of a monorepo, path from the root",
    { T1: "done" },
    async (c) => {
      c.sh("mkdir -p packages/web/src; echo 1 > packages/web/src/w.ts; ci");
      await c.add("T1", ["packages/web/src/w.ts"]);
      c.sh("edit packages/web/src/w.ts; ci");
      await c.done("T1", "HEAD");
    },
  ],
  [
    "K09 commit inside a submodule reported",
    { T1: "caught" },
    async (c) => {
      c.sh(
        "rm -rf $R/sub9; git init -q $R/sub9; (cd $R/sub9; echo 1 > f; git add .; git commit -qm 1); git submodule -q add $R/sub9 vendor/m; ci",
      );
      await c.add("T1", ["vendor/m/f"]);
      c.sh("cd vendor/m; echo 2 > f; git commit -qam 2");
      await c.done("T1", c.sh("git -C vendor/m rev-parse HEAD"));
    },
  ],
  [
    "K10 history rewritten by filter-branch",
    { T1: "done", T2: "done" },
    async (c) => {
      await simple(c);
      await c.add("T2", ["src/b.ts"]);
      c.sh("edit src/b.ts; ci");
      await c.done("T2", "HEAD");
      c.sh(
        "FILTER_BRANCH_SQUELCH_WARNING=1 git filter-branch -f --msg-filter 'cat; echo x' HEAD >/dev/null 2>&1; git update-ref -d refs/original/refs/heads/main",
      );
      await c.look();
    },
  ],
  [
    "K11 branch renamed",
    { T1: "done" },
    async (c) => {
      await c.add("T1", ["src/a.ts"]);
      c.sh(`${W}; git branch -m trunk`);
      await c.done("T1", "HEAD");
    },
  ],
  [
    "K12 conflict resolved by a person in the merge",
    { T1: "done" },
    async (c) => {
      await c.add("T1", ["src/a.ts"]);
      c.sh(`git checkout -qb f; ${W}`);
      await c.done("T1", "HEAD");
      c.sh(
        "git checkout -q main; sed -i 's/line5/line5 human/' src/a.ts; ci hum; git merge -q f -m m >/dev/null 2>&1 || true; sed -i '/^[<=>]/d' src/a.ts; ci merge",
      );
      await c.look();
    },
  ],
  [
    "K13 clean merge of two changes in one file",
    { T1: "done" },
    async (c) => {
      c.sh("seq 1 60 > src/a.ts; ci");
      await c.add("T1", ["src/a.ts"]);
      c.sh(`git checkout -qb f; ${W}`);
      await c.done("T1", "HEAD");
      c.sh("git checkout -q main; sed -i '1s/.*/human/' src/a.ts; ci; git merge -q f -m m");
      await c.look();
    },
  ],
  [
    "K14 after a format bot the format commit is reported",
    { T1: "done" },
    async (c) => {
      await simple(c);
      c.sh("sed -i 's/^/  /' src/*.ts; GIT_AUTHOR_NAME=bot git commit -qam style");
      await c.look();
      await c.done("T1", ["HEAD~1", "HEAD"]);
    },
  ],
  [
    "K15 dependabot changes the shared lock file",
    { T1: "done" },
    async (c) => {
      c.sh("echo '{\"lockfileVersion\":3}' > package-lock.json; echo '{}' > package.json; ci");
      await c.add("T1", ["package.json", "package-lock.json"]);
      c.sh('echo \'{"a":1}\' > package.json; echo \'{"lockfileVersion":3,"a":1}\' > package-lock.json; ci');
      await c.done("T1", "HEAD");
      c.sh('echo \'{"lockfileVersion":3,"a":1,"b":2}\' > package-lock.json; ci');
      await c.look();
    },
  ],
  [
    "K16 own small fix afterwards, not reported",
    { T1: "done" },
    async (c) => {
      await simple(c);
      c.sh(W);
      await c.look();
    },
  ],
  [
    "K17 rollback as a task of its own",
    { T1: "gone", T2: "done" },
    async (c) => {
      await simple(c);
      await c.add("T2", ["src/a.ts"]);
      c.sh("git revert --no-edit HEAD >/dev/null");
      await c.done("T2", "HEAD");
    },
  ],
  [
    "K18 commit message of 1.2 MB",
    { T1: "done" },
    async (c) => {
      await c.add("T1", ["src/a.ts"]);
      c.sh("edit src/a.ts; git add src; head -c 1200000 /dev/zero | tr '\\0' m | git commit -q -F -");
      await c.done("T1", "HEAD");
    },
  ],
  [
    "K19 merge of 33 parents",
    { T1: "done" },
    async (c) => {
      await c.add("T1", ["src/"]);
      c.sh(
        "P=''; for i in $(seq 33); do T=$(git commit-tree HEAD^{tree} -p HEAD -m p$i); P=\"$P -p $T\"; done; edit src/a.ts; git add src; C=$(git commit-tree $(git write-tree) $P -m m); git reset -q --hard $C",
      );
      await c.done("T1", "HEAD");
    },
  ],
  [
    "K20 the merge of a pair reported",
    { T1: "done" },
    async (c) => {
      await c.add("T1", ["src/a.ts", "src/b.ts"]);
      c.sh(
        "git checkout -qb d1; edit src/a.ts; ci; git checkout -qb d2 main; edit src/b.ts; ci; git checkout -q main; git merge -q d1 d2 -m both >/dev/null 2>&1",
      );
      await c.done("T1", "HEAD");
    },
  ],
  [
    "K21 fast-forward, branch deleted",
    { T1: "done" },
    async (c) => {
      await c.add("T1", ["src/a.ts"]);
      c.sh(`git checkout -qb f; ${W}`);
      await c.done("T1", "HEAD");
      c.sh("git checkout -q main; git merge -q --ff-only f; git branch -qd f");
      await c.look();
    },
  ],
  [
    "K22 work came in a bundle",
    { T1: "done" },
    async (c) => {
      await c.add("T1", ["src/a.ts"]);
      c.sh(
        "rm -rf $R/k22; git clone -q . $R/k22; (cd $R/k22; edit src/a.ts; git commit -qam o; git bundle create -q $R/k22b main~1..main); git pull -q $R/k22b main",
      );
      await c.done("T1", "HEAD");
    },
  ],
  [
    "K23 own commit and the merge of a shared branch",
    { T1: "done" },
    async (c) => {
      c.sh("git checkout -qb feat; edit src/b.ts; ci; git checkout -q main");
      await c.add("T1", ["src/"]);
      c.sh(`${W}; git merge -q feat -m i`);
      await c.done("T1", ["HEAD~1", "HEAD"]);
    },
  ],
  [
    "K24 a link becomes a file",
    { T1: "done" },
    async (c) => {
      c.sh("ln -s a.ts src/l.ts; ci");
      await c.add("T1", ["src/l.ts"]);
      c.sh("rm src/l.ts; cp src/a.ts src/l.ts; ci");
      await c.done("T1", "HEAD");
    },
  ],
  [
    "K25 case-only rename",
    { T1: "done" },
    async (c) => {
      await c.add("T1", ["src/a.ts", "src/A.ts"]);
      c.sh("git mv src/a.ts src/A.ts; git commit -qm case");
      await c.done("T1", "HEAD");
    },
  ],
];
