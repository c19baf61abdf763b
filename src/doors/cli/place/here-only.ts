/** The refusal of a command that works where the journal lies, in an environment that names a hub. */
import type { Problem } from "../../../base/problem.ts";
import { addressForm } from "../../../journal/engines.ts";
import { usageProblem } from "../kernel/arguments.ts";

/** `because`: why the hub is no use, after "BATON_HUB names a hub, and". */
export function hereOnly(url: string, because: string): Problem {
  return usageProblem(
    "BATON_HUB",
    `BATON_HUB names a hub, and ${because}.`,
    `name the journal with --journal ${addressForm}, on the machine that holds it; its hub may run meanwhile`,
    url,
  );
}
