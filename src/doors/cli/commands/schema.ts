/** `baton schema`: what messages look like, as JSON Schema 2020-12. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { invariant } from "../../../base/invariant.ts";
import { problem } from "../../../base/problem.ts";
import { nearest } from "../../../base/text.ts";
import { dialectIds, dialectOf } from "../../../dialects/registry.ts";
import type { Command } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { packageFacts } from "../package-root.ts";

export const command: Command = {
  description:
    "Alone, lists every DIALECT/TYPE, one a line. With one, prints its JSON Schema (2020-12), the whole envelope included.",
  positionals: [{ name: "DIALECT/TYPE", summary: "such as vbw/2/plan_contract" }],
  examples: [
    { line: "baton schema", meaning: "every message type" },
    { line: "baton schema vbw/2/plan_contract", meaning: "the schema of one" },
  ],
  next: "baton validate FILE judges a message and says how to repair it.",
  run: async (call) => {
    const { output } = call;
    const names = dialectIds.flatMap((dialect) =>
      [...(dialectOf(dialect)?.definitions.keys() ?? [])].map((type) => `${dialect}/${type}`),
    );
    const asked = call.given.word("DIALECT/TYPE");
    if (asked === undefined) {
      for (const name of names) output.result(name, () => name);
      return exitCodes.done;
    }
    if (!names.includes(asked)) {
      const near = nearest(asked, names);
      const hint = near === null ? "baton schema lists every name" : `did you mean "${near}"?`;
      return output.fail(problem("not-found", asked, `There is no message "${asked}".`, { hint }));
    }
    const text = schemaText(asked);
    output.result(JSON.parse(text), () => text.trimEnd());
    return exitCodes.done;
  },
};

/** The schema file of `family/revision/type`, as generated. */
function schemaText(name: string): string {
  const path = join(packageFacts().root, "schemas", ...`${name}.json`.split("/"));
  invariant(existsSync(path), `the package brings the schema of ${name}`);
  return readFileSync(path, "utf8");
}
