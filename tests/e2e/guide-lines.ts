/**
 * The lines of a guide, run one after the other in this process. A guide has blocks `sh tour` of lines that a person pastes
 * into bash: comments, files (`cat > NAME <<'END'`) and calls of `baton`, each of which ends well or is followed by
 * `|| echo "exit $?"`.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { called } from "./called.ts";

/** One block of lines, and what it printed. */
export interface GuideBlock {
  readonly lines: string;
  readonly printed: string;
}

/** Runs all the blocks of `docs/guides/NAME.md` in `directory`, in their order. */
export async function runGuide(name: string, directory: string): Promise<readonly GuideBlock[]> {
  const guide = readFileSync(join(import.meta.dirname, `../../docs/guides/${name}.md`), "utf8");
  const blocks: GuideBlock[] = [];
  for (const [, lines = ""] of guide.matchAll(/```sh tour\n(.*?)```/gs)) {
    blocks.push({ lines, printed: await runBlock(directory, lines) });
  }
  assert.ok(blocks.length > 0, "the guide has lines to run");
  return blocks;
}

async function runBlock(directory: string, block: string): Promise<string> {
  let printed = "";
  const rest = block.replaceAll(/^cat > (\S+) <<'END'\n(.*?)^END\n/gms, (_, file: string, text: string) => {
    writeFileSync(join(directory, file), text);
    return "";
  });
  for (const line of rest.split("\n").filter((each) => each !== "" && !each.startsWith("#"))) {
    const [, words, catches] = /^baton (.*?)( \|\| echo "exit \$\?")?$/.exec(line) ?? [];
    assert.ok(words !== undefined, `a line of a guide calls baton: ${line}`);
    const done = await called(directory, wordsOf(words));
    assert.equal(done.code !== 0, catches !== undefined, `${line}\n${done.said}`);
    printed += done.said + (catches === undefined ? "" : `exit ${done.code}\n`);
  }
  return printed;
}

/** Words as a shell reads them: quoted by `'` or not, and nothing that a shell would expand. */
function wordsOf(line: string): readonly string[] {
  assert.doesNotMatch(line.replaceAll(/'[^']*'/g, ""), /[$`"\\*?|<>&;~]/, `a line of a guide is plain words: ${line}`);
  return (line.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map((word) => word.replaceAll("'", ""));
}
