/** `baton receipt`: signed statements of verified work, and whether one holds. */
import { createRequire } from "node:module";
import { join } from "node:path";
import { isJsonObject, jsonLine, parseBounded } from "../../base/json.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { counted, visible } from "../../base/text.ts";
import { usageProblem } from "../../doors/cli/kernel/arguments.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { withTeam } from "../../doors/cli/place/session.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { batonsName } from "../../evidence/git/new-commit.ts";
import { ask, look } from "../../evidence/git/questions.ts";
import { openRepository, type RepositoryOptions } from "../../evidence/git/repository.ts";
import type { WorkingTeam } from "../../perform/team.ts";
import { packageFacts } from "../../perform/workspace/package-root.ts";
import { ownPublicKey, type SignedReceipt } from "../../perform/workspace/receipt-key.ts";
import { toldBy } from "../view.ts";

export const command: Command = {
  description:
    "Prints a signed statement of each task's verified work, an in-toto statement in a DSSE envelope, one a line: its commits and\n" +
    "files, the verdict, the contract, approvals, checks, and where it landed; what is not known yet is null. The key is yours\n" +
    "(~/.config/baton/receipt.key), and its public part is added to .baton/receipt.pub: commit that file.\n" +
    "With --verify a receipt is compared with its signature and with git, offline and without the record: exits 0 proven,\n" +
    "2 contradicted, 5 cannot say. examples/receipt of the package has the same without Baton, and a check of pull requests.",
  positionals: [
    { name: "TASK", argument: "task", repeatable: true, summary: "only these tasks (default: all that are verified)" },
  ],
  options: [
    {
      name: "note",
      kind: "flag",
      summary: "keep them as git notes of their commits, in refs/notes/baton, and print none",
    },
    { name: "verify", kind: "text", value: "FILE", summary: "does this receipt hold? - reads standard input" },
    {
      name: "key",
      kind: "text",
      value: "KEY",
      summary: "whose: a file with public keys, or REVISION:PATH (default: your own key)",
    },
    { name: "commit", kind: "text", value: "ID", summary: "the receipt must speak of this commit (full id)" },
  ],
  examples: [
    { line: "baton receipt 1-1-T1 > receipt.json", meaning: "a task's receipt" },
    { line: "baton receipt --note", meaning: "of all verified work; then: git push origin refs/notes/baton" },
    { line: "baton receipt --verify receipt.json --key main:.baton/receipt.pub", meaning: "does it hold?" },
  ],
  next: "git show main:.baton/receipt.pub is the key for others; who has the private one can sign anything.",
  run: async (call) => {
    const { given, output } = call;
    const file = given.text("verify");
    if (file !== undefined) return await verify(call, file);
    const lost = ["key", "commit"].find((name) => given.text(name) !== undefined);
    if (lost !== undefined) return output.fail(usageProblem(`--${lost}`, "It belongs to --verify.", "name a receipt"));
    return await withTeam(call, async (team) => {
      const named = given.words("TASK");
      const known = named.length > 0 ? ok<readonly Named[]>(named.map((task) => ({ task }))) : await verifiedIn(team);
      if (!known.ok) return output.fail(known.error);
      const receipts: SignedReceipt[] = [];
      for (const task of known.value) {
        const made = await team.receipt(task);
        if (!made.ok) return output.fail(made.error);
        receipts.push(made.value);
      }
      for (const receipt of receipts) {
        if (output.json || !given.flag("note")) output.raw(jsonLine(receipt));
        output.say(summaryOf(receipt));
      }
      if (receipts.length === 0) output.say("No task is verified.");
      return given.flag("note") ? await note(call, receipts) : exitCodes.done;
    });
  },
};

/** The tasks that are verified, in their order. */
async function verifiedIn(team: WorkingTeam): Promise<Result<readonly Named[], readonly Problem[] | Problem>> {
  const found = await team.tasks();
  if (!found.ok) return found;
  const verified = found.value.filter(({ verdict, state }) => verdict === "verified" && state !== "claimed");
  return ok(verified.map(({ task, plan }) => (plan === null ? { task } : { task, plan })));
}

interface Named {
  readonly task: string;
  readonly plan?: string;
}

/** What a receipt says, in a line. */
function summaryOf(receipt: SignedReceipt): string {
  const told = toldBy(receipt);
  if (told === null) return "This is no receipt.";
  const { task, by, commits, branch, checks } = told;
  const parts = [counted(commits.length, "commit"), counted(checks, "check"), branch ?? "not landed"];
  return visible(`${task} (${by}): ${parts.join(", ")}`);
}

async function note({ output, config }: Call, receipts: readonly SignedReceipt[]): Promise<ExitCode> {
  const kept = await keepNotes({ directory: config.directory, environment: config.environment() }, receipts);
  if (!kept.ok) return output.fail(kept.error);
  output.say(`Kept as notes of ${counted(kept.value, "commit")}. Share them: git push origin refs/notes/baton`);
  return exitCodes.done;
}

/** The verifying file of the package, which knows nothing of Baton. */
interface Verifier {
  verifyReceipt(words: readonly string[]): { readonly code: ExitCode; readonly found: unknown };
  linesOf(told: object): readonly string[];
}

async function verify({ given, output, config }: Call, file: string): Promise<ExitCode> {
  const other = given.flag("note") || given.words("TASK").length > 0;
  if (other) return output.fail(usageProblem("--verify", "A receipt names its task itself.", "give the file alone"));
  const named = given.text("key");
  const own = named === undefined ? ownPublicKey(config.environment()) : ok(null);
  if (!own.ok) return output.fail(own.error);
  if (named === undefined && own.value === null) return output.fail(noKey());
  const key = named === undefined ? ["--pem", own.value ?? ""] : ["--key", named];
  const commit = given.text("commit");
  const words = [file, ...key, ...(commit === undefined ? [] : ["--commit", commit])];
  const path = join(packageFacts().root, "examples/receipt/verify.mjs");
  // As a bundle, this file has no `import` of a file that is named first when it runs.
  const { verifyReceipt, linesOf }: Verifier = createRequire(import.meta.url)(path);
  const { code, ...told } = verifyReceipt([...words, "--repository", config.directory]);
  output.result(told, () => linesOf(told).join("\n"));
  return code;
}

function noKey(): Problem {
  return makeProblem("wrong-usage", "--key", "You have no key of your own here, so say whose receipt it is.", {
    hint: "Name a branch that you trust: --key main:.baton/receipt.pub",
  });
}

const notes = ["notes", "--ref=refs/notes/baton"];

/** Keeps them; at how many commits. Refuses what git refuses, such as a commit that is not here. */
async function keepNotes(
  { directory, ...options }: RepositoryOptions & { readonly directory: string },
  receipts: readonly SignedReceipt[],
): Promise<Result<number, Problem>> {
  const opened = await openRepository(directory, options);
  if (!opened.ok) return opened;
  await using repository = opened.value;
  return await look(async () => {
    const commits = new Set<string>();
    for (const receipt of receipts) {
      const told = toldBy(receipt);
      for (const commit of told?.commits ?? []) {
        commits.add(commit);
        const { code, output } = await ask(repository, [...notes, "show", commit], { answers: [0, 1] });
        const lines = code === 0 ? output.toString("utf8").split("\n") : [];
        const others = lines.filter((line) => line !== "" && taskIn(line) !== told?.task);
        const input = `${[...others, jsonLine(receipt)].join("\n")}\n`;
        await ask(repository, [...notes, "add", "--force", "--file=-", commit], { input, own: batonsName });
      }
    }
    return commits.size;
  });
}

/** The task of the receipt in a line of a note; undefined: it holds none. */
function taskIn(line: string): string | undefined {
  const parsed = parseBounded(Buffer.from(line));
  const payload = parsed.ok && isJsonObject(parsed.value) ? parsed.value.payload : null;
  return typeof payload === "string" ? toldBy({ payload })?.task : undefined;
}
