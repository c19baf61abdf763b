/** `baton journal backup`: a whole copy of the journal while others write. */
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { problem } from "../../../base/problem.ts";
import { fileAddress } from "../../../journal/engines.ts";
import { noteBackup } from "../../../workspace/state-folder.ts";
import type { Command } from "../kernel/command.ts";
import { exitCodes } from "../kernel/exit-codes.ts";
import { withRecord } from "./journal-session.ts";

export const command: Command = {
  description:
    "Writes a consistent copy of the whole journal, with its anchor, while agents go on working. Copying the database\nfile by other means can lose its write-ahead log. Refuses to overwrite a file. The copy can be read; nothing is recorded\nin it until you remove the note FILE.backup next to it.",
  positionals: [{ name: "FILE", required: true, summary: "the copy's path; it must not exist" }],
  examples: [
    { line: "baton journal backup ../baton-backup.db", meaning: "a copy next to the repository" },
    { line: `baton journal verify --journal ${fileAddress("../baton-backup.db")}`, meaning: "check the copy" },
  ],
  next: `baton journal verify --journal ${fileAddress("FILE")} checks the copy.`,
  run: (call) =>
    withRecord(call, { readOnly: false }, async (record) => {
      const file = resolve(call.config.directory, call.given.word("FILE") ?? "");
      if (!existsSync(dirname(file))) {
        const hint = "make it first, or name another place";
        return call.output.fail(
          problem("not-found", dirname(file), "There is no such directory for the copy.", { hint }),
        );
      }
      call.output.progress("copying …");
      const done = await record.backup(file);
      call.output.progress(null);
      const fault = done.ok ? noteBackup(file) : done.error;
      if (fault !== null) return call.output.fail(fault);
      call.output.result({ file }, () => `Copied to ${file}.`);
      return exitCodes.done;
    }),
};
