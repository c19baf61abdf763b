/** Lies, and work that was undone: all of it must be seen, or say why it is not. `story.ts` says how to read it. */
export const lies = String.raw`# Reports

an old branch merged beside work that nobody claims
> T1 caught commit-before-task outside-claim
git checkout -qb old; work; git checkout -q main; work lib/x.ts
task T1 src/a.ts
git merge -q --no-commit old; edit docs/r; ci m
done T1

a copy of another's two commits, listed both ways
> T2 caught same-change outside-claim
task T1 src/a.ts
task T2 src/a.ts
printf '01\n02\n' > src/a.ts; ci; git checkout -qb g HEAD~1; echo 01 > src/a.ts; seq 30 > src/old.ts; ci; printf '01\n02\n' > src/a.ts; ci
done T1 main
done T2 g g~1

a third task that claims both files of a commit of two
> T3 caught commit-credited
task T1 src/a.ts
task T2 src/b.ts
task T3 src/
edit src/a.ts src/b.ts; ci
report T1
report T2
done T3

spoilt and mended, for a file that another finished
> T1 landed, T2 caught nothing-changed
main T1
task T2 src/a.ts
echo spoilt > src/a.ts; ci; git checkout -q HEAD~1 -- src/a.ts; ci
done T2 HEAD~1 HEAD

white space only
> T1 landed only-format
task T1 src/a.ts
sed -i 's/$/ /' src/a.ts; ci
done T1

emptied, restored later, first reported
> T1 caught work-reverted
task T1 src/a.ts
: > src/a.ts; ci e; git checkout -q HEAD~1 -- src/a.ts; ci r
done T1 HEAD~1

emptied and restored, both reported
> T1 caught nothing-changed
task T1 src/a.ts
: > src/a.ts; ci e; git checkout -q HEAD~1 -- src/a.ts; ci r
done T1 HEAD~1 HEAD

outside change hidden in a merge's 2nd parent
> T1 landed
missed: nobody reported the other parent, and no message names the task
task T1 src/a.ts
git checkout -qb evil; edit lib/x.ts; ci hidden; git checkout -q main; edit src/a.ts; git add src; git checkout -q evil -- lib/x.ts; C=$(git commit-tree $(git write-tree) -p main -p evil -m m); git reset -q --hard $C; git branch -qD evil
done T1

outside change in an unreported commit below
> T1 landed
missed: nobody reported the commit below, and its message does not name the task
task T1 src/a.ts
edit lib/x.ts; ci; work
done T1

merge -s ours drops T1, branch deleted
> T1 gone, T2 landed
task T1 src/a.ts
git checkout -qb f1; work
done T1
git checkout -q main
task T2 src/b.ts
edit src/b.ts; ci; git merge -q -s ours f1 -m m; git branch -qD f1
done T2 HEAD~1

the -s ours merge reported as T2
> T1 gone
task T1 src/a.ts
git checkout -qb f1; work
done T1
git checkout -q main
task T2 src/b.ts
edit src/b.ts; git add src; C=$(git commit-tree $(git write-tree) -p main -p f1 -m m); git reset -q --hard $C; git branch -qD f1
done T2

T2 takes back one of T1's two files
> T1 landed part-gone changed-since, T2 landed
task T1 src/a.ts,src/b.ts
edit src/a.ts src/b.ts; ci
done T1
task T2 src/a.ts,src/c.ts
git checkout -q HEAD~1 -- src/a.ts; edit src/c.ts; ci
done T2

T2 takes T1 back plus a blank line
> T1 gone, T2 landed
main T1
task T2 src/a.ts,src/c.ts
git checkout -q HEAD~1 -- src/a.ts; echo >> src/a.ts; edit src/c.ts; ci
done T2

main merged into the own branch, as one's work
> T1 caught nothing-changed
task T1 src/a.ts
git checkout -qb f; git commit -q --allow-empty -m x; git checkout -q main; work; work lib/x.ts; git checkout -q f; git merge -q main -m m; git checkout -q main
done T1 f

the same beside an own commit elsewhere, and landed
> T1 caught nothing-changed outside-claim
task T1 src/a.ts
git checkout -qb f; work docs/r; git checkout -q main; work; git checkout -q f; git merge -q main -m m; git checkout -q main; git merge -q --no-ff f -m l
done T1 f^0

the same without files named
> T1 caught nothing-changed
task T1
git checkout -qb f; git commit -q --allow-empty -m x; git checkout -q main; work; git checkout -q f; git merge -q main -m m; git checkout -q main
done T1 f

orphan root commit
> T1 caught unrelated-history
task T1 src/a.ts
git checkout -q --orphan o; git rm -rqf --cached .; edit src/a.ts; git add src/a.ts; git commit -qm o; git checkout -qf main
done T1 o

LFS pointer to nothing
> T1 landed pointer
task T1 src/a.bin
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%064d\nsize 12345\n' 0 > src/a.bin; ci
done T1

submodule commit that does not exist
> T1 landed pointer
task T1 vendor/m,.gitmodules
printf '[submodule "m"]\n\tpath = vendor/m\n\turl = ./nowhere\n' > .gitmodules; git add .gitmodules; git update-index --add --cacheinfo 160000,$(printf '%040d' 7),vendor/m; git commit -qm s
done T1

older work kept in a tag, merged
> T1 landed
missed: a tag kept it, and only branches are recorded
git checkout -qb old; work; git tag keep; git checkout -q main; git branch -qD old
task T1 src/a.ts
git merge -q keep
done T1

credited work copied with CRLF on another branch
> T2 asked same-change
task T1 src/n.ts
git checkout -qb f1; printf 'a\nb\nc\n' > src/n.ts; ci
done T1
git checkout -q main; git checkout -qb f2
task T2 src/n.ts
printf 'a\r\nb\r\nc\r\n' > src/n.ts; ci
done T2

credited work copied under another name
> T2 landed
missed: only the same file is compared
task T1 src/n.ts
printf 'a\nb\nc\n' > src/n.ts; ci
done T1
task T2 src/m.ts
cp src/n.ts src/m.ts; ci
done T2

unclaimed file renamed to the claimed name
> T1 caught outside-claim
task T1 src/new.ts
git mv src/b.ts src/new.ts; ci
done T1

existing file copied to the claimed name
> T1 landed
missed: a copy is work in its file
task T1 src/new.ts
cp src/b.ts src/new.ts; ci
done T1

disputed commit again under a new task
> T1 caught nothing-changed, T2 caught commit-before-task
task T1 src/a.ts
edit src/b.ts; ci
done T1
task T2 src/b.ts
done T2

older commit, only its words amended
> T1 caught commit-before-task
work
task T1 src/a.ts
git commit -q --amend -m other
done T1

older commit amended by a blank line
> T1 caught commit-before-task
work
task T1 src/a.ts
echo >> src/a.ts; git commit -qa --amend -m other
done T1

outside change in a merge's 2nd parent, with a trailer
> T1 caught outside-claim
task T1 src/a.ts
git checkout -qb evil; edit lib/x.ts; git commit -qam $'h\n\nBaton-Task: T1'; git checkout -q main; edit src/a.ts; git add src; git checkout -q evil -- lib/x.ts; C=$(git commit-tree $(git write-tree) -p main -p evil -m m); git reset -q --hard $C; git branch -qD evil
done T1

outside change in a commit below, with a trailer
> T1 caught outside-claim
task T1 src/a.ts
edit lib/x.ts; git commit -qam $'h\n\nBaton-Task: T1'; edit src/a.ts; git commit -qam $'w\n\nBaton-Task: T1'
done T1

rollback as a task of its own
> T1 reverted, T2 landed
main T1
task T2 src/a.ts
git revert --no-edit HEAD
done T2

a file outside the contract
> 1-1-T1 caught outside-contract
contract src/
task 1-1-T1
edit src/a.ts lib/new.ts; ci
done 1-1-T1

a file deleted outside the contract
> 1-1-T1 caught outside-contract
contract src/
task 1-1-T1
edit src/a.ts; git rm -q lib/x.ts; ci
done 1-1-T1

a forbidden file under another case
> 1-1-T1 caught outside-contract
contract src/ not src/vault/
task 1-1-T1
mkdir src/VAULT; edit src/VAULT/key.ts; ci
done 1-1-T1

a rename that leaves the contract
> 1-1-T1 caught outside-contract
contract src/
task 1-1-T1
git mv src/b.ts lib/b.ts; work
done 1-1-T1

a mode outside the contract
> 1-1-T1 caught outside-contract
contract src/
task 1-1-T1
chmod +x lib/x.ts; work
done 1-1-T1

a link to an absolute path
> T1 caught symlink-escape
task T1 src/
ln -s /etc/passwd src/l.ts; ci
done T1

a link out of the repository
> T1 caught symlink-escape
task T1 src/
ln -s ../../elsewhere src/l.ts; ci
done T1

a link into git's own files
> T1 caught symlink-escape
task T1 src/
ln -s ../.git/hooks src/l; ci
done T1

a link out of the contract
> 1-1-T1 caught symlink-escape
contract src/
task 1-1-T1
ln -s ../lib/x.ts src/l.ts; ci
done 1-1-T1

a file of Baton's own
> T1 caught invalid-path
task T1 **
mkdir .baton; edit .baton/team.yaml; ci
done T1

a file that was not listed
> T1 caught files-unlisted
task T1 src/
edit src/a.ts src/b.ts; ci
done T1 HEAD listed src/a.ts

a deletion that was not listed
> T1 caught files-unlisted
task T1 src/
edit src/a.ts; git rm -q src/b.ts; ci
done T1 HEAD listed src/a.ts

a listed file that is as it was
> T1 caught files-not-changed
task T1 src/
work
done T1 HEAD listed src/a.ts,src/b.ts

a link through another link, without a contract
> T1 landed
missed: the edit through it is a change of the file that it names, and is judged there
ln -s .. src/up; ci
task T1 src/
ln -s up/lib/x.ts src/l.ts; ci
done T1

a submodule outside the claim
> T1 caught submodule-change
task T1 src/a.ts
edit src/a.ts; git add -A; git update-index --add --cacheinfo 160000,$(printf '%040d' 7),vendor/m; git commit -qm s
done T1

attributes for more than the contract allows
> 1-1-T1 landed
missed: attributes are judged at their own path
contract src/*
task 1-1-T1
echo '* -diff merge=ours' > src/.gitattributes; ci
done 1-1-T1

a merge that changes by hand what nobody gave it
> T1 caught outside-claim
git checkout -qb o; work src/b.ts; git checkout -q main
task T1 src/a.ts
git checkout -qb f; work; git merge -q --no-commit o; edit lib/x.ts; ci m
done T1

a merge that throws others' work away
> T1 caught outside-claim
git checkout -qb o; work src/b.ts; git checkout -q main
task T1 src/a.ts
git checkout -qb f; work; git checkout -q main; git merge -q o; git merge -q --no-ff --no-commit f; git checkout -q f -- src/b.ts; ci m
done T1

a commit that is not there
> T1 caught commit-missing
task T1 src/a.ts
work
done T1 0123456789012345678901234567890123456789

a commit that only a tag has
> T1 caught commit-unreachable
task T1 src/a.ts
work; git tag v1; git reset -q --hard HEAD~1
done T1 v1

a commit that only a stash has
> T1 caught commit-unreachable
task T1 src/a.ts
edit src/a.ts; git stash -q
done T1 stash@{0}

a commit that only a note of git has
> T1 caught commit-unreachable
task T1 src/a.ts
work; git update-ref refs/notes/x HEAD; git reset -q --hard HEAD~1
done T1 refs/notes/x

an empty commit
> T1 caught nothing-changed
task T1
git commit -q --allow-empty -m nothing
done T1

work in other files than those of the claim
> T1 caught nothing-changed outside-claim
task T1 src/a.ts
work src/b.ts
done T1

a commit that was the branch already
> T1 caught commit-before-task
work
task T1 src/a.ts
done T1

a commit that lay behind the branch
> T1 caught commit-before-task
work; work lib/x.ts
task T1 src/a.ts
done T1 HEAD~1

a commit of a branch that is gone
> T1 caught commit-before-task
git checkout -qb old; work; git checkout -q main
task T1 src/a.ts
git merge -q --ff-only old; git branch -qD old
done T1

taken away and brought back for the task
> T1 caught commit-before-task
work
task T1 src/a.ts
git revert --no-edit HEAD; git revert --no-edit HEAD
done T1

an old branch merged anew
> T1 caught commit-before-task
git checkout -qb old; work; git checkout -q main; work lib/x.ts
task T1 src/a.ts
git merge -q old -m m; git branch -qD old
done T1

an old commit rebased onto newer
> T1 caught commit-before-task
git checkout -qb old; work; git checkout -q main
task T1 src/a.ts
work lib/x.ts; git checkout -q old; git rebase -q main; git checkout -q main; git merge -q --ff-only old; git branch -qD old
done T1

old commits squashed
> T1 caught commit-before-task
git checkout -qb old; work; work; git checkout -q main
task T1 src/a.ts
work lib/x.ts; git merge -q --squash old; ci s; git branch -qD old
done T1

an old commit picked beside its living branch
> T1 landed same-on-another-branch
git checkout -qb old; work; git checkout -q main
task T1 src/a.ts
work lib/x.ts; git cherry-pick old
done T1

old work amended on another branch
> T1 branch same-on-another-branch
git checkout -qb old; work; git checkout -qb again; git checkout -q main
task T1 src/a.ts
git checkout -q again; git commit -q --amend -m other
done T1

old work, each line changed a little
> T1 landed
missed: no line of it is the old one
git checkout -qb old; seq 9 | sed 's/^/old /' >> src/a.ts; ci; git checkout -q main
task T1 src/a.ts
git checkout -q old -- src/a.ts; sed -i 's/^old/new/' src/a.ts; ci; git branch -qD old
done T1

an amended commit that adds what was not reported
> T1 caught files-unlisted
task T1 src/
work; edit src/b.ts; git add -A; git commit -q --amend --no-edit
done T1 HEAD listed src/a.ts

a rebased commit that lost what was reported
> T1 caught files-not-changed
task T1 src/
git checkout -qb f; edit src/a.ts src/b.ts; ci; git checkout -q main; work lib/x.ts; git checkout -q f; git rebase -q main; git checkout -q main -- src/b.ts; git commit -q --amend --no-edit
done T1 HEAD listed src/a.ts,src/b.ts

a squash that brings what another did
> T1 caught outside-claim
git checkout -qb o; work lib/x.ts; git checkout -q main
task T1 src/a.ts
git checkout -qb f; git merge -q o; work; git checkout -q main; git merge -q --squash f; ci s
done T1

a list of commits, one of which leaves the claim
> T1 caught outside-claim
task T1 src/a.ts
work; work lib/x.ts
done T1 HEAD~1 HEAD

a list of commits, one of which is not there
> T1 caught commit-missing
task T1 src/a.ts
work
done T1 HEAD 0123456789012345678901234567890123456789

undone before it was reported
> T1 caught work-reverted
task T1 src/a.ts
work; git revert --no-edit HEAD
done T1 HEAD~1

a rename of which the old side is another's
> T1 caught outside-claim
task T1 src/new.ts
git mv lib/x.ts src/new.ts; ci
done T1

a file listed that never was
> T1 caught files-not-changed
task T1 src/
work
done T1 HEAD listed src/a.ts,src/never.ts

# Clones

commit inside a submodule reported
> T1 caught commit-missing
git init -q $R/sub9; (cd $R/sub9; echo 1 > f; git add .; git commit -qm 1); git submodule -q add $R/sub9 vendor/m; ci
task T1 vendor/m/f
cd vendor/m; echo 2 > f; git commit -qam 2
done T1 $(git -C vendor/m rev-parse HEAD)

the commit is the cut of a shallow clone
> T1 asked shallow-clone
work; git clone -q --depth 1 file://$PWD $R/m12
in $R/m12
task T1 src/a.ts
done T1

a new commit in a treeless clone, whose remote is gone
> T1 asked repository-unreadable
git config uploadpack.allowFilter true; git clone -q --no-checkout --filter=tree:0 file://$PWD $R/m14; cd $R/m14; git remote set-head -d origin
in $R/m14
task T1 src/a.ts
cd $(git config remote.origin.url | cut -c8-); work; cd $R/m14; git fetch -q origin; git remote set-url origin file://$R/nowhere
done T1 origin/main

# Undone

rewritten on its branch before anybody looked
> T1 caught work-reverted
missed: honest, but what the branch has is not what was reported; reported again, it is verified
task T1 src/a.ts
work; sed -i 's/^work.*/something else entirely/' src/a.ts; ci fix
done T1 HEAD~1

one of two files taken back
> T1 landed part-gone changed-since
task T1 src/a.ts,src/b.ts
edit src/a.ts src/b.ts; ci
done T1
git checkout -q HEAD~1 -- src/b.ts; ci back

branch deleted, nothing merged
> T1 gone
branch T1
git branch -qD f

main reset to before
> T1 gone
main T1
git reset -q --hard HEAD~1

taken back
> T1 reverted
main T1
git revert --no-edit HEAD

the file deleted
> T1 gone
main T1
git rm -q src/a.ts; git commit -qm rm

a binary file, taken back
> T1 reverted
task T1 src/a.bin
head -c 3000 /dev/urandom > src/a.bin; ci
done T1
git revert --no-edit HEAD

a mode, taken back
> T1 gone
task T1 run.sh
chmod +x run.sh; ci
done T1
chmod -x run.sh; ci

a deletion, brought back
> T1 reverted
task T1 src/b.ts
git rm -q src/b.ts; git commit -qm rm
done T1
git revert --no-edit HEAD

a rename, taken back
> T1 reverted
task T1 src/
git mv src/a.ts src/z.ts; ci
done T1
git revert --no-edit HEAD

an operator changed, and back
> T1 reverted
task T1 src/a.ts
sed -i 's/line3/line3 < 4/' src/a.ts; ci
done T1
git revert --no-edit HEAD

a link, taken back
> T1 reverted
task T1 src/
ln -s b.ts src/l.ts; ci
done T1
git revert --no-edit HEAD

a merge that takes the other side whole
> T1 gone
git checkout -qb other; sed -i 's/line5/other/' src/a.ts; ci other; git checkout -q main
main T1
git merge -q -s ours --no-commit other; git checkout -q other -- src/a.ts; git commit -qm merge

squash of one side that takes theirs
> T1 gone
git checkout -qb other; sed -i 's/line5/other/' src/a.ts; ci other; git checkout -q main
task T1 src/a.ts
sed -i 's/line5/mine/' src/a.ts; ci
done T1
git merge -q -X theirs other -m m

force-pushed without it
> T1 gone
git init -q --bare $R/r30; git remote add origin $R/r30; git push -q origin main
main T1
git push -q origin main; git reset -q --hard HEAD~1; edit docs/r; ci o; git push -qf origin main

its branch merged with -s ours, and kept
> T1 gone
branch T1
edit docs/r; ci o; git merge -q -s ours f -m m; work lib/x.ts

a conflict of its merge solved as ours, and main goes on in the file
> T1 gone
branch T1
echo theirs >> src/a.ts; ci o; git merge -q f || true; git checkout -q --ours src/a.ts; git add src; git commit -qm merge; echo more >> src/a.ts; ci more

a conflict of a binary file solved as ours
> T1 gone
head -c 3000 /dev/urandom > src/a.bin; ci
task T1 src/a.bin
git checkout -qb f; head -c 3000 /dev/urandom > src/a.bin; ci
done T1
git checkout -q main; head -c 3000 /dev/urandom > src/a.bin; ci o; git merge -q f || true; git add src; git commit -qm merge

reverted, while a new file has most of the same lines
> T1 reverted
task T1 src/n1.ts
printf 'import x\nimport y\nthe one\nexport z\n' > src/n1.ts; ci
done T1
printf 'import x\nimport y\nthe two\nexport z\n' > src/n2.ts; ci
git revert --no-edit HEAD~1

taken out by hand, while another task's new file has most of the same lines
> T1 gone, T2 landed
task T1 src/n1.ts
task T2 src/n2.ts
printf 'import x\nimport y\nthe one\nexport z\n' > src/n1.ts; ci
done T1
printf 'import x\nimport y\nthe two\nexport z\n' > src/n2.ts; ci
done T2
git rm -q src/n1.ts; ci drop

one line of two, by the merge that lands it
> T1 landed changed-since
task T1 src/a.ts
git checkout -qb f; sed -i 's/line2/one work/;s/line5/two work/' src/a.ts; ci
done T1
git checkout -q main; work lib/x.ts
git merge -q --no-commit f; sed -i 's/two work/line5/' src/a.ts; ci merge; git branch -qD f

one file of two in a conflict solved as ours
> T1 landed part-gone changed-since
task T1 src/a.ts,src/b.ts
git checkout -qb f; edit src/a.ts src/b.ts; ci
done T1
git checkout -q main; echo theirs >> src/a.ts; ci o; git merge -q f || true; git checkout -q --ours src/a.ts; git add src; git commit -qm merge

main merged into its branch, and taken in its place
> T1 gone
branch T1
echo theirs >> src/a.ts; ci o; git checkout -q f; git merge -q main || true; git checkout -q --theirs src/a.ts; git add src; git commit -qm merge; git checkout -q main

mended on its branch, then merged with -s ours by another branch
> T1 gone
branch T1
git checkout -q f; sed -i 's/^work/better work/' src/a.ts; ci fix; git checkout -qb g; work lib/x.ts; git checkout -q main; edit docs/r; ci o; git merge -q -s ours g -m m

rebased, then merged with -s ours
> T1 gone
branch T1
edit docs/r; ci o; git checkout -q f; git rebase -q main; git checkout -q main; edit docs/r; ci o2; git merge -q -s ours f -m m

one task's line of two in a file, merged with -X ours
> T1 gone, T2 landed
seq 1 60 > src/a.ts; ci
task T1 src/a.ts
git checkout -qb f; sed -i '5s/.*/five/' src/a.ts; ci
done T1
task T2 src/a.ts
sed -i '50s/.*/fifty/' src/a.ts; ci
done T2
git checkout -q main; sed -i '5s/.*/other/' src/a.ts; ci; git merge -q -X ours f -m m

merged and taken back before anybody looked, its branch kept
> T1 gone
branch T1
git merge -q --no-ff f -m m; git revert --no-edit -m 1 HEAD

its branch closed after only half of it was picked
> T1 gone
task T1 src/a.ts,src/b.ts
git checkout -qb f; work; work src/b.ts
done T1 HEAD~1 HEAD
git checkout -q main; git cherry-pick f~1; git branch -qD f

rewritten and squashed before anybody looked
> T1 gone
missed: nothing that Baton saw has the new lines
branch T1
git checkout -q f; sed -i 's/^work.*/something else entirely/' src/a.ts; ci fix; git checkout -q main; git merge -q --squash f; ci s; git branch -qD f

taken back with a blank line more
> T1 gone
main T1
sed -i '/^work/d' src/a.ts; echo >> src/a.ts; ci back

taken back on the branch, the branch landed
> T1 gone
branch T1
git checkout -q f; git revert --no-edit HEAD; git checkout -q main; git merge -q --ff-only f

its submodule set back
> T1 reverted pointer
git init -q $R/f42; (cd $R/f42; work f); git submodule -q add $R/f42 vendor/m; ci
task T1 vendor/m
(cd vendor/m; work f); ci bump
done T1
git revert --no-edit HEAD

its branch split in two, of which the second is dropped
> T1 gone
task T1 src/a.ts,src/b.ts
git checkout -qb f; edit src/a.ts src/b.ts; ci
done T1
git checkout -qb fb main; git checkout -q f -- src/b.ts; ci b; git checkout -q main; git checkout -q f -- src/a.ts; ci a; git branch -qD f
look
git branch -qD fb

a line that was there before, taken out again
> T1 gone
printf 'prod:\n  timeout: 30\nother: 1\nstaging:\n  name: s\n' > src/a.ts; ci
task T1 src/a.ts
echo '  timeout: 30' >> src/a.ts; ci
done T1
sed -i '$d; s/other: 1/other: 2/' src/a.ts; ci o

a line taken out that a person brings back
> T1 gone
printf 'f() {\n  console.log(err)\n  one\n  two\n}\ng() {\n  three\n}\n' > src/a.ts; ci
task T1 src/a.ts
sed -i 2d src/a.ts; ci
done T1
sed -i 's/  one/  console.log(err)\n  one/; s/three/3/' src/a.ts; ci o

a commit reported of which the next takes more than half of the words
> T1 caught work-reverted
task T1 src/a.ts
echo 'value = compute(one, two, three)' >> src/a.ts; ci; sed -i 's/^value.*/other = f(one, two)/' src/a.ts; ci fix
done T1 HEAD~1

a value set back by hand
> T1 gone
echo 'timeout = 30' >> src/a.ts; ci
task T1 src/a.ts
sed -i 's/timeout = 30/timeout = 60/' src/a.ts; ci
done T1
sed -i 's/timeout = 60/timeout = 30/' src/a.ts; ci

emptied
> T1 gone
main T1
: > src/a.ts; ci

taken out of history
> T1 gone
task T1 src/new.ts
seq 9 > src/new.ts; ci
done T1
FILTER_BRANCH_SQUELCH_WARNING=1 git filter-branch -f --index-filter 'git rm -q --cached --ignore-unmatch src/new.ts' HEAD; git update-ref -d refs/original/refs/heads/main

not tracked any more
> T1 gone
task T1 src/new.ts
seq 9 > src/new.ts; ci
done T1
git rm -q --cached src/new.ts; echo src/new.ts > .gitignore; ci ignore

its folder replaced by a submodule
> T1 gone
main T1
git init -q $R/f47; (cd $R/f47; work f); git rm -rqf src; git submodule -q add $R/f47 src; ci

a merge by tree of the other side
> T1 gone
git checkout -qb other; work lib/x.ts; git checkout -q main
main T1
C=$(git commit-tree other^{tree} -p main -p other -m m); git reset -q --hard $C

taken back twice, brought back once
> T1 reverted
main T1
git revert --no-edit HEAD; git revert --no-edit HEAD; git revert --no-edit HEAD

a file turned into a link
> T1 gone
main T1
rm src/a.ts; ln -s b.ts src/a.ts; ci

one of three files that a review takes out on the branch, then squashed
> T1 landed part-gone
task T1 src/a.ts,src/b.ts,src/n.ts
git checkout -qb f; edit src/a.ts src/b.ts; echo new > src/n.ts; ci
done T1
git checkout -q f; git rm -q src/n.ts; ci; git checkout -q main
look
git merge -q --squash f; ci

one of two files taken out on the branch, then squashed, before anybody looked
> T1 landed part-gone
task T1 src/a.ts,src/b.ts
git checkout -qb f; edit src/a.ts src/b.ts; ci
done T1
git checkout -q main -- src/b.ts; ci out; git checkout -q main; git merge -q --squash f; ci s

its branch deleted, while others write its lines in other files
> T1 gone, T2 landed
task T1 src/a.ts
git checkout -qb f; printf 'import one\nuse one\n' >> src/a.ts; ci
done T1
git checkout -q main; git branch -qD f; echo 'import one' >> src/b.ts; ci o
task T2 src/c.ts
printf 'import one\nuse one\n' >> src/c.ts; ci
done T2

its lines taken out, while a file that has them too is changed
> T1 gone
echo 'use strict' >> src/b.ts; ci
task T1 src/a.ts
echo 'use strict' >> src/a.ts; ci
done T1
sed -i '/use strict/d' src/a.ts; echo more >> src/b.ts; ci o

a folder of its name in its place
> T1 gone
echo one > src/tool; ci
task T1 src/tool
work src/tool
done T1
git rm -q src/tool; mkdir -p src/tool; work src/tool/main

# Agents

the same commit for the same file
> T1 landed, T2 caught commit-before-task
main T1
task T2 src/a.ts
done T2

another's work picked to a branch of one's own
> T1 branch, T2 asked same-change
task T2 src/a.ts
branch T1
git checkout -qb g; edit docs/r; ci o; git cherry-pick f
done T2

a commit that only the reflog has
> T1 caught commit-unreachable
task T1 src/a.ts
work; git reset -q --hard HEAD~1
done T1 $(git rev-parse HEAD@{1})

another agent's old copy written over it
> T1 gone, T2 landed
git worktree add -q --detach $R/n23
main T1
task T2 src/a.ts,src/b.ts
cp $R/n23/src/a.ts src/a.ts; edit src/b.ts; ci
done T2

the middle of three dependencies lacks
> T2 branch, T3 branch lacks
task T1 src/a.ts
git checkout -qb f; work
done T1
task T2 src/b.ts after T1
git checkout -qb g; work src/b.ts
done T2
task T3 src/c.ts after T2
git checkout -qb h f; work src/c.ts
done T3

its dependency merged and dropped
> T1 branch, T2 branch lacks
branch T1
task T2 src/b.ts after T1
git checkout -qb g main; work lib/x.ts; git merge -q -s ours f -m m; work src/b.ts
done T2

a third task for a commit of two
> T1 landed, T2 landed, T3 caught nothing-changed
task T1 src/a.ts
task T2 src/b.ts
task T3
edit src/a.ts src/b.ts; ci
report T1
report T2
done T3

the merge that landed another task's work
> T1 landed, T2 caught commit-credited
task T1 src/a.ts
task T2
git checkout -qb f; work
done T1
git checkout -q main; git merge -q --no-ff f -m m
done T2

a merge that brings another task's work into one's own branch
> T1 branch, T2 caught commit-credited
task T1
task T2
git checkout -qb f; edit src/a.ts; ci
done T1
git checkout -q main; git checkout -qb g; git merge -q --no-ff f -m m
done T2

two tasks without files, one commit
> T1 landed, T2 caught commit-credited
task T1
task T2
work
done T1
done T2

the amend of another's commit, reported alone
> T1 caught outside-claim
task T1 src/b.ts
work; edit src/b.ts; git add -A; git commit -q --amend -m both
done T1

a commit of two tasks and a file that nobody names
> T1 caught outside-claim, T2 caught outside-claim
task T1 src/a.ts
task T2 src/b.ts
edit src/a.ts src/b.ts lib/x.ts; ci
report T1
done T2

# Machine

HEAD is away
> T1 asked repository-missing
task T1 src/a.ts
work
report T1
mv .git/HEAD .git/HEAD.away

no git on this machine
> T1 asked git-missing
env PATH=$R/empty
main T1

a program that only says it is git
> T1 asked repository-unreadable
mkdir -p $R/m10; printf '#!/bin/sh\necho nothing\n' > $R/m10/git; chmod +x $R/m10/git
task T1 src/a.ts
env PATH=$R/m10
work
done T1

a format of git that nobody knows
> T1 asked repository-unreadable
task T1 src/a.ts
work
report T1
git config core.repositoryFormatVersion 99

a tree that is lost
> T1 asked repository-unreadable
task T1 src/a.ts
work; T=$(git rev-parse HEAD^{tree}); C=$(h); echo $C > $R/m13; rm -f .git/objects/$(echo $T | cut -c1-2)/$(echo $T | cut -c3-)
done T1 $(cat $R/m13)
`;
