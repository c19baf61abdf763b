/** Honest work, as people, agents and their tools leave it in a repository. `story.ts` says how to read it. */
export const honest = String.raw`# Commits

the first commit of a repository
> T1 landed
git init -q $R/new
in $R/new
task T1 n.ts
work n.ts
done T1

other files than the task expected
> T1 landed outside-forecast
task T1 src/b.ts
work
guess T1

the files that the task expected
> T1 landed
task T1 src/a.ts
work
guess T1

a file moved in two commits, of which only its new name is listed
> T1 landed
seq 30 > src/old.ts; ci
task T1 src/
cp src/old.ts src/new.ts; ci; git rm -q src/old.ts; git commit -qm rm
done T1 HEAD~1 HEAD listed src/new.ts

a file moved, then changed, listed from the newest on
> T1 landed
seq 30 > src/old.ts; ci
task T1 src/old.ts,src/new.ts
git mv src/old.ts src/new.ts; ci; echo more >> src/new.ts; ci
done T1 HEAD HEAD~1 listed src/new.ts

an old branch built upon, and merged
> T1 landed
git checkout -qb old; work; git checkout -q main; work lib/x.ts
task T1 src/a.ts
git checkout -q old; work; git checkout -q main; git merge -q old -m m
done T1

old work in one file beside new work in another
> T1 landed
git checkout -qb old; work; git checkout -q main
task T1 src/a.ts,src/b.ts
git checkout -q old -- src/a.ts; git branch -qD old; edit src/b.ts; ci both
done T1

a file of the work that a later commit took out again, reported with that commit
> T1 landed
task T1 src/a.ts,src/n.ts
edit src/a.ts; edit src/n.ts; ci two; git rm -q src/n.ts; ci out
done T1 HEAD~1 HEAD

a backport stays verified when the branch with the change goes
> T1 landed same-on-another-branch
git checkout -qb old; work; git checkout -q main; work lib/x.ts
task T1 src/a.ts
git cherry-pick old
done T1
git branch -qD old

mode only, for work
> T1 landed
task T1 src/a.ts
chmod +x src/a.ts; ci
done T1

claims everything
> T1 landed
task T1 **
edit lib/x.ts; ci
done T1

older work kept in a stash
> T1 landed
edit src/a.ts; git stash -q
task T1 src/a.ts
git stash pop -q; ci
done T1

branch kept as a forged remote ref only
> T1 branch
task T1 src/a.ts
git checkout -qb f; work; C=$(h); git checkout -q main; git update-ref refs/remotes/origin/f $C; git branch -qD f
done T1 origin/f

co-authors, two commits
> T1 landed
task T1 src/a.ts,src/b.ts
edit src/a.ts; ci $'p\n\nCo-authored-by: dev-2 <dev-2@x>'; edit src/b.ts; git add src; GIT_AUTHOR_NAME=dev-2 git commit -qm p2
done T1 HEAD~1 HEAD

cherry-pick to a release branch as a task
> T1 landed, T2 asked same-change
git branch release
main T1
task T2 src/a.ts
git checkout -q release; git cherry-pick -x main
done T2

squash merge of two commits, branch deleted
> T1 landed
task T1 src/a.ts
git checkout -qb f; work; work
done T1 HEAD~1 HEAD
git checkout -q main; edit docs/r; ci o; git merge -q --squash f; ci 'Squash (#12)'; git branch -qD f

merge queue picks, branch deleted
> T1 landed
branch T1
edit docs/r; ci o; git cherry-pick f; git branch -qD f

revert of a revert
> T1 landed, T3 landed
main T1
task T2 src/a.ts
git revert --no-edit HEAD
done T2
task T3 src/a.ts
git revert --no-edit HEAD
done T3

revert of a revert, reported before anybody looked
> T1 landed, T3 landed
main T1
task T2 src/a.ts
git revert --no-edit HEAD
report T2
task T3 src/a.ts
git revert --no-edit HEAD
done T3

format bot afterwards
> T1 landed
main T1
sed -i 's/^/  /' src/*.ts; GIT_AUTHOR_NAME=bot git commit -qam style

a person mends a typo elsewhere in the file
> T1 landed
main T1
sed -i 's/line2/line 2/' src/a.ts; git commit -qam typo

release bot bumps the same one-line file
> T1 landed changed-since
echo '{"version":"1.0.0"}' > package.json; ci
task T1 package.json
echo '{"version":"1.0.0","x":1}' > package.json; ci
done T1
echo '{"version":"1.0.1","x":1}' > package.json; ci r

mode only
> T1 landed
task T1 run.sh
chmod +x run.sh; ci
done T1

submodule moved on
> T1 landed pointer
git init -q $R/sub; (cd $R/sub; echo 1 > f; git add .; git commit -qm 1); git submodule -q add $R/sub vendor/m; ci
task T1 vendor/m
(cd vendor/m; echo 2 > f; git add .; git commit -qm 2); git add vendor/m; git commit -qm bump
done T1

rename with edits, new name listed
> T1 landed
task T1 src/a.ts,src/z.ts
git mv src/a.ts src/z.ts; edit src/z.ts; ci
done T1 HEAD listed src/z.ts

amended with more after the report
> T1 landed
main T1
edit src/a.ts; git commit -qa --amend --no-edit

rebased and force-pushed
> T1 branch
git init -q --bare $R/o13; git remote add origin $R/o13; git push -q origin main
task T1 src/a.ts
git checkout -qb f; work; git push -q -u origin f
done T1
git checkout -q main; edit docs/x; ci; git checkout -q f; git rebase -q main; git push -qf origin f

octopus
> T1 landed
task T1 src/a.ts,src/b.ts,src/c.ts
for f in a b c; do git checkout -qb f$f main; edit src/$f.ts; ci $f; done; git checkout -q main; git merge -q fa fb fc -m oct
done T1

dates of 1970 and 2099
> T1 landed
task T1 src/a.ts
edit src/a.ts; git add src; GIT_AUTHOR_DATE='1970-01-02T00:00:00 +0000' GIT_COMMITTER_DATE='2099-01-01T00:00:00 -1200' git commit -qm d; edit src/a.ts; git add src; GIT_COMMITTER_DATE='1971-01-01T00:00:00 +1400' git commit -qm d2
done T1 HEAD HEAD~1

NUL, Latin-1 and gpgsig in the commit
> T1 landed
task T1 src/a.ts
edit src/a.ts; git add src; T=$(git write-tree); P=$(h); printf 'tree %s\nparent %s\nauthor d\xe9v <d@x> 1700000000 +0000\ncommitter d <d@x> 1700000000 +0000\nencoding ISO-8859-1\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ\n tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n -----END PGP SIGNATURE-----\n\nsubj\0hidden\xff\n' $T $P > $R/c16; C=$(git hash-object -t commit -w --literally $R/c16); git reset -q --soft $C
done T1

notes and replace refs
> T1 landed
task T1 src/a.ts
work; git notes add -m n HEAD; git replace HEAD HEAD~1
done T1

packed, commit graph, packed refs
> T1 landed
task T1 src/a.ts
work; git gc -q --prune=now; git commit-graph write --reachable 2>/dev/null; git pack-refs --all
done T1

SHA-256 repository, landed by squash --object-format=sha256
> T1 landed
branch T1
git merge -q --squash f; git commit -qm s; git branch -qD f

commit on a detached HEAD of a worktree
> T1 branch detached
task T1 src/a.ts
git worktree add -q --detach $R/wt20; cd $R/wt20; edit src/a.ts; git commit -qam wt
done T1 $(git -C $R/wt20 rev-parse HEAD)

CRLF normalised with .gitattributes
> T1 landed
task T1 src/a.ts,.gitattributes
printf '*.ts text eol=lf\n' > .gitattributes; sed -i 's/$/\r/' src/a.ts; work
done T1

names with blanks, quotes, umlauts
> T1 landed
task T1 src/é ü.ts,src/it's.ts
echo x > 'src/é ü.ts'; echo y > "src/it's.ts"; ci
done T1

only a deletion
> T1 landed
task T1 src/a.ts
git rm -q src/a.ts; git commit -qm del
done T1

git am, empty message
> T1 landed
task T1 src/a.ts
git checkout -qb t; work; git format-patch -q -1 -o $R/p24; git checkout -q main; git branch -qD t; git am -q $R/p24/*.patch; git commit -q --amend --allow-empty-message -m ''
done T1

stacked branches, T1 amended, T2 rebased
> T1 branch, T2 branch
task T1 src/a.ts
git checkout -qb s1; work
done T1
task T2 src/b.ts after T1
git checkout -qb s2; edit src/b.ts; ci
done T2
git checkout -q s1; edit src/a.ts; git commit -qa --amend --no-edit; git checkout -q s2; git rebase -q --onto s1 s2~1 s2

folder of a monorepo, path from the root
> T1 landed
mkdir -p packages/web/src; echo 1 > packages/web/src/w.ts; ci
task T1 packages/web/src/w.ts
edit packages/web/src/w.ts; ci
done T1

history rewritten by filter-branch
> T1 landed, T2 landed
main T1
task T2 src/b.ts
edit src/b.ts; ci
done T2
FILTER_BRANCH_SQUELCH_WARNING=1 git filter-branch -f --msg-filter 'cat; echo x' HEAD; git update-ref -d refs/original/refs/heads/main

branch renamed
> T1 landed
task T1 src/a.ts
work; git branch -m trunk
done T1

conflict resolved by a person in the merge
> T1 landed
branch T1
sed -i 's/line5/line5 human/' src/a.ts; ci hum; git merge -q f -m m || true; sed -i '/^[<=>]/d' src/a.ts; ci merge

clean merge of two changes in one file
> T1 landed
seq 1 60 > src/a.ts; ci
branch T1
sed -i '1s/.*/human/' src/a.ts; ci; git merge -q f -m m

after a format bot the format commit is reported
> T1 landed further-report
main T1
sed -i 's/^/  /' src/*.ts; GIT_AUTHOR_NAME=bot git commit -qam style
look
again T1 HEAD~1 HEAD

dependabot changes the shared lock file
> T1 landed changed-since
echo '{"lockfileVersion":3}' > package-lock.json; echo '{}' > package.json; ci
task T1 package.json,package-lock.json
echo '{"a":1}' > package.json; echo '{"lockfileVersion":3,"a":1}' > package-lock.json; ci
done T1
echo '{"lockfileVersion":3,"a":1,"b":2}' > package-lock.json; ci

own small fix afterwards, not reported
> T1 landed
main T1
work

commit message of 1.2 MB
> T1 landed
task T1 src/a.ts
edit src/a.ts; git add src; head -c 1200000 /dev/zero | tr '\0' m | git commit -q -F -
done T1

merge of 33 parents
> T1 landed
task T1 src/
P=''; for i in $(seq 33); do T=$(git commit-tree HEAD^{tree} -p HEAD -m p$i); P="$P -p $T"; done; edit src/a.ts; git add src; C=$(git commit-tree $(git write-tree) $P -m m); git reset -q --hard $C
done T1

the merge of a pair reported
> T1 landed
task T1 src/a.ts,src/b.ts
git checkout -qb d1; work; git checkout -qb d2 main; edit src/b.ts; ci; git checkout -q main; git merge -q d1 d2 -m both
done T1

fast-forward, branch deleted
> T1 landed
branch T1
git merge -q --ff-only f; git branch -qd f

work came in a bundle
> T1 landed
task T1 src/a.ts
git clone -q . $R/k22; (cd $R/k22; edit src/a.ts; git commit -qam o; git bundle create -q $R/k22b main~1..main); git pull -q $R/k22b main
done T1

main merged into the own branch, and the merge reported
> T1 branch
seq 1 60 > src/a.ts; ci
task T1 src/a.ts
git checkout -qb f; sed -i '50s/.*/fifty/' src/a.ts; ci; git checkout -q main; sed -i '1s/.*/human/' src/a.ts; ci; git checkout -q f; git merge -q main -m m; git checkout -q main
done T1 f

the merge of a branch with two tasks reported for both
> T1 landed, T2 landed
task T1 src/a.ts
task T2 src/b.ts
git checkout -qb f; work; work src/b.ts; git checkout -q main; git merge -q --no-ff f -m m
report T1
done T2

pulled into main, and the merge reported
> T1 landed
task T1 src/a.ts
git checkout -qb o; work lib/x.ts; git checkout -q main; work; git merge -q o -m pull; git branch -qD o
done T1

own commit and the merge of a shared branch
> T1 landed
git checkout -qb feat; edit src/b.ts; ci; git checkout -q main
task T1 src/
work; git merge -q feat -m i
done T1 HEAD~1 HEAD

a link becomes a file
> T1 landed
ln -s a.ts src/l.ts; ci
task T1 src/l.ts
rm src/l.ts; cp src/a.ts src/l.ts; ci
done T1

case-only rename
> T1 landed
task T1 src/a.ts,src/A.ts
git mv src/a.ts src/A.ts; git commit -qm case
done T1

# Clones

shared clone (alternates)
> T1 landed
git clone -q --shared . $R/k6
in $R/k6
main T1

sparse checkout
> T1 landed
git clone -q --sparse . $R/k7; cd $R/k7; git sparse-checkout set src
in $R/k7
task T1 src/a.ts
edit src/a.ts; git commit -qam w
done T1

clone of depth 1, then squash
> T1 landed
work; git clone -q --depth 1 file://$PWD $R/k1
in $R/k1
branch T1
git merge -q --squash f; ci s; git branch -qD f

clone of depth 2 with a merge
> T1 landed
work; git clone -q --depth 2 file://$PWD $R/k2
in $R/k2
task T1 src/a.ts
work; git checkout -qb q HEAD~1; work lib/x.ts; git checkout -q main; git merge -q q -m mm
done T1 HEAD~1

blobless clone, then squash
> T1 landed
git config uploadpack.allowFilter true; git config uploadpack.allowAnySHA1InWant true; for i in 1 2 3; do work; work lib/x.ts; done; git clone -q --filter=blob:none file://$PWD $R/k3
in $R/k3
branch T1
git merge -q --squash f; ci s; git branch -qD f

treeless clone, then squash
> T1 landed
git config uploadpack.allowFilter true; git config uploadpack.allowAnySHA1InWant true; for i in 1 2 3; do work; work lib/x.ts; done; git clone -q --filter=tree:0 file://$PWD $R/k4
in $R/k4
branch T1
git merge -q --squash f; ci s; git branch -qD f

bare repository with worktrees
> T1 landed, T2 branch
git clone -q --bare . $R/k5.git; git -C $R/k5.git worktree add -q $R/k5a main; git -C $R/k5.git worktree add -q -b dev $R/k5b
in $R/k5a
main T1
task T2 src/b.ts
cd $R/k5b; work src/b.ts
done T2 dev

a submodule that is the team's repository
> T1 landed
git init -q $R/outer; cd $R/outer; git submodule -q add $R/template inner; ci
in $R/outer/inner
branch T1
git merge -q --squash f; ci s; git branch -qD f

blobless clone that lost its remote
> T1 landed
git config uploadpack.allowFilter true; for i in 1 2 3; do work; work lib/x.ts; done; git clone -q --filter=blob:none file://$PWD $R/k27
in $R/k27
main T1
git remote set-url origin file://$R/nowhere; work lib/x.ts

linked worktree, SHA-256 --object-format=sha256
> T1 branch
git worktree add -q -b f $R/k28
in $R/k28
main T1

sparse index, a file outside of the cone
> T1 landed
git clone -q --sparse . $R/k29; cd $R/k29; git sparse-checkout set --sparse-index src
in $R/k29
task T1 src/a.ts,lib/x.ts
work; B=$(git hash-object -w src/a.ts); git update-index --cacheinfo 100644,$B,lib/x.ts; git commit -qm outside
done T1 HEAD~1 HEAD

clone by reference of another
> T1 landed
git clone -q --bare . $R/k30r; git clone -q --reference $R/k30r . $R/k30
in $R/k30
branch T1
git merge -q f -m m; git branch -qd f

# Landing

squash, branch deleted, other work between
> T1 landed
branch T1
edit docs/r; ci o; git merge -q --squash f; ci s; git branch -qD f

rebase and merge
> T1 landed
branch T1
edit docs/r; ci o; git checkout -q f; git rebase -q main; git checkout -q main; git merge -q --ff-only f; git branch -qd f

merge commit
> T1 landed
branch T1
edit docs/r; ci o; git merge -q f -m m; git branch -qd f

picked with a note of its origin
> T1 landed
branch T1
edit docs/r; ci o; git cherry-pick -x f; git branch -qD f

am of a patch, branch deleted
> T1 landed
branch T1
git format-patch -q -1 -o $R/p5 f; edit docs/r; ci o; git am -q $R/p5/*.patch; git branch -qD f

squash of two tasks at once
> T1 landed, T2 landed
branch T1
task T2 src/b.ts
git checkout -q f; edit src/b.ts; ci
done T2
git checkout -q main; git merge -q --squash f; ci s; git branch -qD f

squash, then gc of everything else
> T1 landed
branch T1
git merge -q --squash f; ci s; git branch -qD f; git reflog expire --expire=now --all; git gc -q --prune=now

review fixes on the branch, then squash
> T1 landed
branch T1
git checkout -q f; sed -i 's/^work/better work/' src/a.ts; ci fix; git checkout -q main; git merge -q --squash f; ci s; git branch -qD f

rewritten wholly on the branch, then squash
> T1 landed
branch T1
git checkout -q f; sed -i 's/^work.*/something else entirely/' src/a.ts; ci fix
look
git checkout -q main; git merge -q --squash f; ci s; git branch -qD f

only the remote branch is left
> T1 branch
branch T1
git init -q --bare $R/o13r; git remote add origin $R/o13r; git push -q origin f main; git branch -qD f; git fetch -q origin

landed on the remote main only
> T1 landed
branch T1
git init -q --bare $R/o14r; git remote add origin $R/o14r; git checkout -qb tmp; git merge -q f -m m; git push -q origin tmp:main; git checkout -q main; git branch -qD tmp f; git fetch -q origin

fixup that autosquash folds in
> T1 landed
branch T1
git checkout -q f; edit src/a.ts; git commit -qa --fixup HEAD; GIT_SEQUENCE_EDITOR=: git rebase -qi --autosquash main
look
git checkout -q main; git merge -q --ff-only f

one commit split into two
> T1 landed
task T1 src/a.ts,src/b.ts
git checkout -qb f; edit src/a.ts src/b.ts; ci
done T1
git reset -q HEAD~1; git add src/a.ts; git commit -qm a; git add src/b.ts; git commit -qm b; git checkout -q main; git merge -q --ff-only f

two commits joined to one
> T1 branch
task T1 src/a.ts
git checkout -qb f; work; work
done T1 HEAD~1 HEAD
git reset -q --soft main; git commit -qm joined

main merged into the branch, then squash
> T1 landed
branch T1
edit docs/r; ci o; git checkout -q f; git merge -q main -m up; git checkout -q main; git merge -q --squash f; ci s; git branch -qD f

picked with a conflict, solved by hand
> T1 landed
branch T1
echo theirs >> src/a.ts; ci o; git cherry-pick f || true; sed -i '/^[<=>]/d' src/a.ts; git add src; git cherry-pick --continue --no-edit || git commit -qm p; git branch -qD f

merge with a conflict, own side kept by -X ours
> T1 landed
echo theirs > docs/r; ci o; git checkout -qb other; sed -i 's/line5/other/' src/a.ts; ci o; git checkout -q main
main T1
git merge -q -X ours other -m m

on a release branch, main goes on without it
> T1 branch
git branch release
task T1 src/a.ts
git checkout -q release; work; git checkout -q main
done T1 release
work lib/x.ts

only the words of the commit amended
> T1 landed
main T1
git commit -q --amend -m 'better words'

branch deleted after it landed in another branch
> T1 branch
branch T1
git checkout -qb next; git merge -q f -m m; git branch -qD f; git checkout -q main

landed, then main force-pushed with the same on a new base
> T1 landed
main T1
git checkout -q --detach HEAD~1; edit docs/r; ci o; git cherry-pick main; git branch -f main; git checkout -q main

branch and worktree removed after the merge
> T1 landed
git worktree add -q -b f $R/r25
task T1 src/a.ts
cd $R/r25; work
done T1 f
git merge -q f -m m; git worktree remove $R/r25; git branch -qd f

dropped with its branch, brought back from the reflog
> T1 branch
branch T1
C=$(h f); git branch -qD f; echo $C > $R/r26
look
git branch f $(cat $R/r26)

main renamed, and origin says so
> T1 landed
git branch -m trunk; git init -q --bare $R/r27; git remote add origin $R/r27; git push -q origin trunk; git -C $R/r27 symbolic-ref HEAD refs/heads/trunk; git remote set-head origin trunk
task T1 src/a.ts
git checkout -qb f; work
done T1
git checkout -q trunk; git merge -q --squash f; ci s; git branch -qD f

merged with -s ours because its squash is there
> T1 landed
branch T1
git merge -q --squash f; ci s; git merge -q -s ours f -m m

merged with -s ours, then picked
> T1 landed
branch T1
edit docs/r; ci o; git merge -q -s ours f -m m
look
git cherry-pick f

merged with -s ours, then on a new branch
> T1 branch
branch T1
edit docs/r; ci o; git merge -q -s ours f -m m
look
git checkout -qb f2; git cherry-pick f; git checkout -q main

rewritten wholly on the branch, then merged
> T1 landed
branch T1
edit docs/r; ci o; git checkout -q f; sed -i 's/^work.*/something else entirely/' src/a.ts; ci fix; git checkout -q main; git merge -q f -m m

merged, and changed on main before anybody looked
> T1 landed changed-since
task T1 src/a.ts
git checkout -qb f; echo 'one two three' >> src/a.ts; ci
done T1
git checkout -q main; git merge -q --no-ff f -m m; sed -i 's/one two three/one for three/' src/a.ts; ci typo

merged, and replaced on main before anybody looked
> T1 landed replaced changed-since, T2 landed
task T1 src/a.ts
git checkout -qb f; printf 'alpha one\nbeta two\n' >> src/a.ts; ci
done T1
git checkout -q main; git merge -q --no-ff f -m m
task T2 src/a.ts
sed -i 's/alpha one/gamma/; s/beta two/delta/' src/a.ts; ci
report T2

a conflict with main solved by hand on its branch, then merged
> T1 landed
branch T1
echo theirs >> src/a.ts; ci o; git checkout -q f; git merge -q main || true; sed -i '/^[<=>]/d' src/a.ts; git add src; git commit -qm m
look
git checkout -q main; work lib/x.ts; git merge -q --no-ff f -m land

dropped by a merge on another branch than main
> T1 branch
branch T1
git checkout -qb develop; edit docs/r; ci o; git merge -q -s ours f -m m; git checkout -q main

a squash whose conflict a person solved
> T1 landed
seq 1 30 > src/a.ts; ci
task T1 src/a.ts
git checkout -qb f; sed -i '5s/.*/five by dev/; 20s/.*/twenty by dev/' src/a.ts; ci
done T1
git checkout -q main; sed -i '5s/.*/five by main/' src/a.ts; ci o; git merge -q --squash f || true; sed -i '/^[<=>]/d' src/a.ts; ci s; git branch -qD f

a squash whose conflict a person solved by moving the lines to another file
> T1 landed
branch T1
sed -i '3,$d' src/a.ts; ci o; git merge -q --squash f || true; git checkout -q HEAD -- src/a.ts; git show f:src/a.ts | grep work >> src/b.ts; ci s; git branch -qD f

merged, after a review had its branch move the lines to another file
> T1 landed
branch T1
git checkout -q f; grep work src/a.ts >> src/b.ts; sed -i '/^work/d' src/a.ts; ci; git checkout -q main; git merge -q --no-ff f; git branch -qD f

# Agents

another's file is outside until its task names the commit too
> T1 landed, T2 landed
task T1 src/a.ts
task T2 src/b.ts
edit src/a.ts src/b.ts; ci
done T1
done T2

another's work in one file, own work in the next commit
> T1 landed, T2 landed
branch T1
git checkout -qb g main; git cherry-pick f
task T2 src/a.ts,src/b.ts
work src/b.ts; git checkout -q main; git merge -q f; git merge -q g -m m
done T2 g

a dependent task without its dependency's work
> T1 branch, T2 branch lacks
branch T1
task T2 src/b.ts after T1
git checkout -qb g main; edit src/b.ts; ci
done T2

with it, picked
> T1 branch, T2 branch
branch T1
task T2 src/b.ts after T1
git checkout -qb g main; git cherry-pick f; edit src/b.ts; ci
done T2

one commit of two tasks, each its files
> T1 landed, T2 landed
task T1 src/a.ts
task T2 src/b.ts
edit src/a.ts src/b.ts; ci
report T2
done T1

two tasks that each add a file of the same content
> T1 branch, T2 landed
task T1 src/new-1.ts
git checkout -qb f; printf 'export {};\nexport const none = 0;\n' > src/new-1.ts; ci
done T1
git checkout -q main
task T2 src/new-2.ts
printf 'export {};\nexport const none = 0;\n' > src/new-2.ts; ci
done T2

a file without a line, beside a person's
> T1 branch
task T1 src/one/.keep
git checkout -qb f; mkdir src/one; touch src/one/.keep; ci
done T1
git checkout -q main; mkdir src/two; touch src/two/.keep; ci
look

another's line with most of the same words
> T1 branch will-conflict, T2 landed
task T1 src/a.ts
git checkout -qb f; echo '// A: the rounding of all of the totals is up to the caller' >> src/a.ts; ci
done T1
git checkout -q main
task T2 src/a.ts
echo '// B: the rounding of all of the totals is up to the caller' >> src/a.ts; ci
done T2

two tasks that add the same import, and a line of their own
> T1 branch will-conflict, T2 landed
task T1 src/a.ts
git checkout -qb f; printf 'import { x } from "./x.ts";\nexport const one = x(1);\n' >> src/a.ts; ci
done T1
git checkout -q main
task T2 src/a.ts
printf 'import { x } from "./x.ts";\nexport const two = x(2);\n' >> src/a.ts; ci
done T2

a person's line with some of the same words
> T1 branch will-conflict
task T1 src/a.ts
git checkout -qb f; echo '// A: rounding is up to the caller' >> src/a.ts; ci
done T1
git checkout -q main; echo '// B: rounding is down to the shop' >> src/a.ts; ci
look

a stub, then its body by another task
> T1 landed replaced changed-since, T2 landed
task T1 src/a.ts
echo 'function f() { throw todo }' >> src/a.ts; ci
done T1
task T2 src/a.ts
sed -i 's/function f.*/function f() { return 42 }/' src/a.ts; ci
done T2

an old commit beside a new one
> T1 landed commit-before-task
work
task T1 src/a.ts
work
done T1 HEAD~1 HEAD

the branch goes on over the same lines
> T1 branch
branch T1
git checkout -q f; sed -i 's/^work/more work/' src/a.ts; ci; work; git checkout -q main

an amend that takes another's commit in, both report it
> T1 landed, T2 landed
task T1 src/a.ts
task T2 src/b.ts
work; edit src/b.ts; git add -A; git commit -q --amend -m both
report T1
done T2

the dependency came by its squash in main
> T1 landed, T2 branch
branch T1
git merge -q --squash f; ci s; git branch -qD f
look
task T2 src/b.ts after T1
git checkout -qb g; work src/b.ts
done T2

the dependency came by its squash, and main renamed its file
> T1 landed moved changed-since, T2 branch
branch T1
git merge -q --squash f; ci s; git branch -qD f
look
git mv src/a.ts src/z.ts; ci mv
task T2 src/b.ts after T1
git checkout -qb g; work src/b.ts
done T2

the dependency was rewritten on its branch, then squashed
> T1 landed, T2 branch
branch T1
git checkout -q f; sed -i 's/^work.*/something else entirely/' src/a.ts; ci fix
look
git checkout -q main; git merge -q --squash f; ci s; git branch -qD f
task T2 src/b.ts after T1
git checkout -qb g; work src/b.ts
done T2

the dependency was replaced on main
> T1 landed replaced changed-since, T3 landed, T2 branch
task T1 src/a.ts
printf 'alpha one\nbeta two\n' >> src/a.ts; ci
done T1
task T3 src/a.ts
sed -i 's/alpha one/gamma/; s/beta two/delta/' src/a.ts; ci
done T3
task T2 src/b.ts after T1
git checkout -qb g; work src/b.ts
done T2

the dependency came by a merge between worktrees
> T1 branch, T2 branch
git worktree add -q -b d1 $R/n12a; git worktree add -q -b d2 $R/n12b
task T1 src/a.ts
cd $R/n12a; work
done T1 d1
task T2 src/a.ts after T1
cd $R/n12b; git merge -q d1; work
done T2 d2

three tasks in an octopus
> T1 landed, T2 landed, T3 landed
task T1 src/a.ts
task T2 src/b.ts
task T3 src/c.ts
for f in a b c; do git checkout -qb f$f main; work src/$f.ts; done; git checkout -q main
done T1 fa
done T2 fb
done T3 fc
git merge -q fa fb fc -m oct; git branch -qD fa fb fc

two tasks in one file, far apart, one squash each
> T1 landed, T2 landed
seq 1 60 > src/a.ts; ci
task T1 src/a.ts
git checkout -qb f; sed -i '5s/.*/five/' src/a.ts; ci
done T1
task T2 src/a.ts
git checkout -qb g main; sed -i '50s/.*/fifty/' src/a.ts; ci
done T2
git checkout -q main; git merge -q --squash f; ci s; git merge -q --squash g; ci s; git branch -qD f g

a stack of three, squashed from below
> T1 landed, T2 landed, T3 landed
task T1 src/a.ts
git checkout -qb s1; work
done T1
task T2 src/b.ts after T1
git checkout -qb s2; work src/b.ts
done T2
task T3 src/c.ts after T2
git checkout -qb s3; work src/c.ts
done T3
git checkout -q main; for s in s1 s2 s3; do git merge -q --squash $s; ci $s; git branch -qD $s; done

the same fix by two agents at once
> T1 landed, T2 asked same-change
task T1 src/a.ts
task T2 src/a.ts
git checkout -qb g; echo 'the same fix' >> src/a.ts; ci theirs; git checkout -q main; echo 'the same fix' >> src/a.ts; ci mine
done T1
done T2 g

commits found by the task's trailer
> T1 landed
task T1 src/a.ts,src/b.ts
edit src/a.ts; ci $'one\n\nBaton-Task: T1'; edit src/b.ts; ci $'two\n\nBaton-Task: T1'
done T1

pair work, each commits on the other's branch
> T1 landed, T2 landed
task T1 src/a.ts
task T2 src/b.ts
git checkout -qb d1; work; work src/b.ts; git checkout -q main; git merge -q d1
done T1 HEAD~1
done T2 HEAD

without its files named, beside another's task in the commit
> T1 landed, T2 landed
task T1 src/a.ts
task T2
edit src/a.ts src/b.ts; ci
report T1
done T2

a test written first, then the code, by two tasks
> T1 landed changed-since, T2 landed
task T1 src/a.test.ts
printf 'test one\nexpect 1\n' > src/a.test.ts; ci
done T1
task T2 src/a.ts,src/a.test.ts after T1
work; sed -i 's/expect 1/expect 2/' src/a.test.ts; ci
done T2 HEAD~1 HEAD

names as git shows them in another normal form
> T1 landed
task T1 src/
printf x > $'src/e\xcc\x81.ts'; ci
done T1 HEAD listed src/é.ts

one task in two branches, until both are merged
> T1 asked work-apart
task T1 src/a.ts,src/b.ts
git checkout -qb d1; work; git checkout -qb d2 main; work src/b.ts; git checkout -q main
done T1 d1 d2

its branch split in two, of which the first landed
> T1 branch
task T1 src/a.ts,src/b.ts
git checkout -qb f; edit src/a.ts src/b.ts; ci
done T1
git checkout -qb fb main; git checkout -q f -- src/b.ts; ci b; git checkout -q main; git checkout -q f -- src/a.ts; ci a; git branch -qD f

a commit reported that is below an unreported fix of the same line
> T1 landed
task T1 src/a.ts
echo 'value = compute(one, two, three)' >> src/a.ts; ci; sed -i 's/two, three/two, 3/' src/a.ts; ci fix
done T1 HEAD~1

another's verified work squashed under one's own
> T1 branch, T2 branch
branch T1
task T2 src/b.ts
git checkout -qb g main; git merge -q --squash f; edit src/b.ts; ci
done T2

its file renamed on its branch, then squashed
> T1 landed
branch T1
git checkout -q f; git mv src/a.ts src/cart.ts; ci; git checkout -q main; git merge -q --squash f; ci; git branch -qD f

a mode, whose file is renamed
> T1 landed moved changed-since
task T1 run.sh
chmod +x run.sh; ci
done T1
git mv run.sh go.sh; ci

# Afterwards

prettier
> T1 landed
main T1
sed -i "s/'/\"/g; s/$/;/; s/^/  /" src/a.ts; ci style

line endings
> T1 landed
main T1
sed -i 's/$/\r/' src/a.ts; ci crlf

a licence header
> T1 landed
main T1
sed -i '1i // Licence' src/*.ts; ci licence

generated again, longer
> T1 landed
main T1
seq 100 | sed 's/^/gen /' >> src/a.ts; ci gen

the file renamed
> T1 landed moved changed-since
main T1
git mv src/a.ts src/renamed.ts; ci mv

its folder moved
> T1 landed moved changed-since
main T1
git mv src code; ci mv

the code moved to another file
> T1 landed moved changed-since
task T1 src/a.ts
seq 5 | sed 's/^/work of value /' >> src/a.ts; ci
done T1
grep work src/a.ts >> src/b.ts; sed -i '/^work/d' src/a.ts; ci mv

taken back and brought back
> T1 landed
main T1
git revert --no-edit HEAD; git revert --no-edit HEAD

half taken back
> T1 landed changed-since
task T1 src/a.ts
printf 'one\ntwo\n' >> src/a.ts; ci
done T1
sed -i '/one/d' src/a.ts; ci half

a binary file, kept
> T1 landed
task T1 src/a.bin
head -c 3000 /dev/urandom > src/a.bin; ci
done T1
edit docs/r; ci

a binary file, replaced by others
> T1 landed changed-since
task T1 src/a.bin
head -c 3000 /dev/urandom > src/a.bin; ci
done T1
head -c 3000 /dev/urandom > src/a.bin; ci

a value of the same line changed by others
> T1 landed changed-since
task T1 src/a.ts
echo 'timeout = 30, retries = 5, name = long' >> src/a.ts; ci
done T1
sed -i 's/timeout = 30, retries/timeout = 60, retries/' src/a.ts; ci

other lines of the file changed by many
> T1 landed
main T1
for i in 1 2 3 4 5; do sed -i "s/line$i/changed $i/" src/a.ts; ci $i; done

a conflict solved by a person who keeps both
> T1 landed
git checkout -qb other; echo theirs >> src/a.ts; ci other; git checkout -q main
main T1
git merge -q other || true; sed -i '/^[<=>]/d' src/a.ts; ci merge

a further report that is wrong
> T1 landed further-report
main T1
edit lib/x.ts; ci
again T1

another task puts other lines in its place
> T1 landed replaced changed-since, T2 landed
task T1 src/a.ts
printf 'alpha one\nbeta two\n' >> src/a.ts; ci
done T1
task T2 src/a.ts
sed -i 's/alpha one/gamma/; s/beta two/delta/' src/a.ts; ci
done T2

the lock file generated anew
> T1 landed changed-since
task T1 package-lock.json
seq 200 | sed 's/.*/"pkg&": "1.&.0",/' > package-lock.json; ci
done T1
seq 250 | sed 's/.*/"pkg&": "1.&.0",/; 5s/1.5/2.0/; 9s/1.9/2.0/' > package-lock.json; ci lock

a file of 3 MB, others change another one
> T1 landed
task T1 src/big.ts
seq 450000 > src/big.ts; ci
done T1
work lib/x.ts

renamed in case alone
> T1 landed moved changed-since
main T1
git mv src/a.ts src/A.ts; ci case

a brace moved to its own line
> T1 landed changed-since
task T1 src/a.ts
printf 'function f() {\n  return 1\n}\n' >> src/a.ts; ci
done T1
sed -i 's/function f() {/function f()\n{/' src/a.ts; ci style

tabs for blanks
> T1 landed
task T1 src/a.ts
printf 'if (a) {\n    b(1, 2)\n}\n' >> src/a.ts; ci
done T1
sed -i 's/    /\t/' src/a.ts; ci tabs

the lines sorted
> T1 landed
main T1
sort -r -o src/a.ts src/a.ts; ci sort

a comment in the middle of it
> T1 landed
task T1 src/a.ts
printf 'one\ntwo\nthree\n' >> src/a.ts; ci
done T1
sed -i 's/^two/# why\ntwo/' src/a.ts; ci why

an empty file that a person fills on its branch, squashed
> T1 landed
task T1 src/__init__.py
git checkout -qb f; touch src/__init__.py; ci
done T1
echo 'import one' > src/__init__.py; ci; git checkout -q main; git merge -q --squash f; ci s; git branch -qD f

a line that was there before, and the other one is taken out
> T1 landed changed-since
printf 'prod:\n  timeout: 30\nother: 1\nstaging:\n  name: s\n' > src/a.ts; ci
task T1 src/a.ts
echo '  timeout: 30' >> src/a.ts; ci
done T1
sed -i 2d src/a.ts; ci o

a line taken out that a person adds elsewhere
> T1 landed changed-since
printf 'f() {\n  console.log(err)\n  one\n  two\n}\ng() {\n  three\n}\n' > src/a.ts; ci
task T1 src/a.ts
sed -i 2d src/a.ts; ci
done T1
sed -i 's/  three/  three\n  console.log(err)/' src/a.ts; ci o

the file split in two
> T1 landed moved changed-since
task T1 src/a.ts
seq 20 | sed 's/^/alpha /' >> src/a.ts; ci
done T1
grep alpha src/a.ts > src/alpha.ts; sed -i '/alpha/d' src/a.ts; ci split

a name in it replaced everywhere
> T1 landed changed-since
task T1 src/a.ts
seq 9 | sed 's/.*/let total& = count(total, &)/' >> src/a.ts; ci
done T1
sed -i 's/count/sum/g' src/*.ts; ci rename

a mode set by others
> T1 landed
main T1
chmod +x src/a.ts; ci mode

deleted, and written again by hand
> T1 landed
main T1
cp src/a.ts $R/f34; git rm -q src/a.ts; git commit -qm rm; cp $R/f34 src/a.ts; ci again

the submodule moved on by others
> T1 landed pointer changed-since
git init -q $R/f35; (cd $R/f35; work f); git submodule -q add $R/f35 vendor/m; ci
task T1 vendor/m
(cd vendor/m; work f); ci bump
done T1
(cd vendor/m; work f); ci more

a link moved on by others
> T1 landed changed-since
task T1 src/l.ts
ln -s b.ts src/l.ts; ci
done T1
ln -sf c.ts src/l.ts; ci

taken back half by a revert, then finished by hand
> T1 landed
task T1 src/a.ts,src/b.ts
edit src/a.ts src/b.ts; ci
done T1
git checkout -q HEAD~1 -- src/b.ts; ci half; git checkout -q HEAD~1 -- src/b.ts; ci back

what was deleted is made anew with other content
> T1 landed changed-since
task T1 src/b.ts
git rm -q src/b.ts; git commit -qm rm
done T1
seq 30 | sed 's/^/new /' > src/b.ts; ci new

a merge that keeps both sides of one file
> T1 landed
seq 1 40 > src/a.ts; ci; git checkout -qb other; sed -i '30s/.*/thirty/' src/a.ts; ci; git checkout -q main
task T1 src/a.ts
sed -i '3s/.*/three/' src/a.ts; ci
done T1
git merge -q other -m m

moved by another task into its new file
> T1 landed moved changed-since, T2 landed
task T1 src/a.ts
task T2 src/a.ts,src/n2.ts
printf 'import x\nimport y\nthe one\nexport z\n' >> src/a.ts; ci
done T1
printf 'import x\nimport y\nthe one\nexport z\n' > src/n2.ts; git checkout -q HEAD~1 -- src/a.ts; ci
done T2

renamed by a person, then edited by another task
> T1 landed moved changed-since, T2 landed
task T1 src/a.ts
printf 'import x\nimport y\nthe one\nexport z\n' >> src/a.ts; ci
done T1
git mv src/a.ts src/n2.ts; ci
task T2 src/n2.ts
echo 'more of it' >> src/n2.ts; ci
done T2

all of main is written anew, and the work is done on it
> T1 branch
task T1 src/a.ts
C=$(git commit-tree HEAD^{tree} -m anew); git reset -q --hard $C; git checkout -qb f; work
done T1

moved by two tasks, of which one makes the new file and the other takes the old one away
> T1 landed moved changed-since, T2 landed
task T1 src/n1.ts
task T2 src/n2.ts
printf 'import x\nimport y\nthe one\nexport z\n' > src/n1.ts; ci
done T1
printf 'import x\nimport y\nthe one\nexport z\nmore\n' > src/n2.ts; ci
done T2
task T3 src/n1.ts
git rm -q src/n1.ts; ci drop
done T3

# Machine

grafts and a replaced commit
> T1 landed
task T1 src/a.ts
work; git replace HEAD HEAD~1; mkdir -p .git/info; echo "$(h) $(h HEAD~1)" > .git/info/grafts
done T1

a damaged commit graph
> T1 landed
task T1 src/a.ts
work; git commit-graph write --reachable; chmod u+w .git/objects/info/commit-graph; printf garbage > .git/objects/info/commit-graph
done T1

configuration that names programs
> T1 landed
task T1 src/a.ts
printf '*.ts filter=x diff=x\n' > .git/info/attributes; work; for k in core.fsmonitor core.pager diff.external filter.x.clean filter.x.smudge diff.x.textconv; do git config $k false; done
done T1 main

hostile configuration of the user
> T1 landed
env HOME=$R/m04
mkdir $R/m04; printf '[core]\n\tquotePath = true\n\tpager = false\n[diff]\n\trenames = copies\n\tnoprefix = true\n\tignoreSubmodules = all\n[log]\n\tshowSignature = true\n' > $R/m04/.gitconfig
main T1

a caller whose variables name another repository
> T1 landed
env GIT_DIR=$R/nowhere
env GIT_INDEX_FILE=$R/nothing
main T1

a work tree that is said to be elsewhere
> T1 landed
task T1 src/a.ts
work; git config core.worktree /tmp
done T1 $(git rev-parse main)

a dirty tree on another branch
> T1 branch
branch T1
echo broken > src/a.ts; git stash -q; git checkout -qb elsewhere; echo dirty > src/a.ts
`;
