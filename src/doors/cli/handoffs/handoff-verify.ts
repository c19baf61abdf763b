/** `baton handoff verify`: the files of a handoff document, held against what it says of them. */
import { checkFiles } from "../../../evidence/checksums.ts";
import { filesToVerify } from "../../../message/handoff-body.ts";
import type { Command } from "../kernel/command.ts";
import { tellChecks } from "./handoff-checks.ts";
import { handoffIn } from "./handoff-file.ts";
import { rootOf, rootOption } from "./handoff-root.ts";

export const command: Command = {
  isLocal: true,
  globals: [],
  description:
    "Looks for the required files and for every file with a checksum below the root, links resolved, and says of each: ok,\n" +
    "changed, missing, outside (the path or a link leads out of the root) or weak (the checksum is no SHA-256 of 64 hex\n" +
    "digits, so it tells nothing). Exits 2 when one is changed, missing or outside; a weak checksum alone does not.",
  positionals: [{ name: "FILE", required: true, summary: "the document; - reads standard input" }],
  options: [rootOption],
  examples: [
    { line: "baton handoff verify docs/handoffs/story-2.yaml", meaning: "against this working tree" },
    { line: "baton handoff verify handoff.json --root ../checkout --json", meaning: "a line of JSON for each file" },
  ],
  next: "baton handoff accept ID verifies the same way and takes the work over; baton handoff reject ID --reason TEXT does not.",
  run: async (call) => {
    const document = await handoffIn(call, call.given.word("FILE") ?? "-");
    if (!document.ok) return call.output.fail(document.error);
    const checks = await checkFiles(rootOf(call), filesToVerify(document.value.body), { signal: call.signal });
    return checks.ok ? tellChecks(call, checks.value) : call.output.fail(checks.error);
  },
};
