/**
 * Hubs of this project that run on another journal than the command uses. The command would otherwise begin a new journal
 * that no hub knows, or say that no hub runs.
 * Rule: docs/protocol/record.md, section 24.
 */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { makeProblem, type Problem } from "../../../base/problem.ts";
import { visible } from "../../../base/text.ts";
import { addressForm, fileAddress, isServerAddress } from "../../../journal/engines.ts";
import type { Place } from "../../../perform/workspace/place.ts";
import { serversIn } from "../../../perform/workspace/server-note.ts";
import { findWorkspace } from "../../../perform/workspace/workspace.ts";
import type { Call } from "../kernel/command.ts";
import { nextCommand, shellLine } from "../kernel/next-command.ts";
import { type OtherHub, otherHubs } from "./running-hubs.ts";

/** The hubs that were started in this project and run on another journal than `journal`, the newest first. */
export async function hubsElsewhere({ given, config }: Call, journal: string): Promise<readonly OtherHub[]> {
  const workspace = findWorkspace(config.directory);
  // Next to a file that is named, there may be journals of other projects.
  const folders = [
    ...(given.text("journal") === undefined ? [dirname(journal)] : []),
    ...(workspace === null ? [] : [workspace.state]),
  ];
  return await otherHubs(journal, [...new Set(folders)]);
}

/** `http://127.0.0.1:4700 (pid 17) on` and the address of its journal. */
export function hubWords({ url, pid, journal }: Pick<OtherHub, "url" | "pid" | "journal">): string {
  return `${url} (pid ${pid}) on ${journal === null ? "a journal in a server" : visible(journal)}`;
}

/** The command that ends the hub. */
export function endingCommand(call: Call, { pid, journal }: Pick<OtherHub, "pid" | "journal">): string {
  const line = journal === null ? null : nextCommand(call, ["stop", "--journal", journal]);
  return line ?? `kill ${pid}`;
}

/**
 * Why the command may not use the place: it would begin a new journal there, while a hub of this project runs on another
 * one, or the project has used a journal in a server. Null: it may. A journal that `--journal` names is meant, so it may
 * be new.
 */
export async function newJournalProblem(
  call: Call,
  { journal, address, shown }: Pick<Place, "journal" | "address" | "shown">,
): Promise<Problem | null> {
  if (call.given.text("journal") !== undefined || isServerAddress(address) || existsSync(journal)) return null;
  const [hub] = await hubsElsewhere(call, journal);
  return hub === undefined
    ? usedServerProblem(call, journal, shown)
    : makeProblem(
        "journal-missing",
        shown,
        `There is no journal here, but a hub of this project runs: ${hubWords(hub)}.`,
        {
          hint: `Name its journal, with the credentials that it needs: ${journalOption(hub)}.`,
        },
      );
}

/** The project was used with a journal in a server, and the command names none. */
function usedServerProblem({ config }: Call, journal: string, shown: string): Problem | null {
  const workspace = findWorkspace(config.directory);
  const [used, ...others] = workspace === null ? [] : serversIn(workspace.state);
  if (used === undefined) return null;
  const addresses = [used, ...others].flatMap(({ address }) => address ?? []);
  const words = addresses.length === 0 ? "" : `: ${addresses.map(visible).join(", ")}`;
  const [only] = addresses.length === 1 ? addresses : [];
  const option = only === undefined ? null : shellLine(["--journal", only]);
  return makeProblem(
    "journal-missing",
    shown,
    `There is no journal here, but this project has used a journal in a server${words}.`,
    {
      hint:
        `Name that journal, with the credentials that it needs: add ${option ?? "--journal URL"} (\`baton journal place URL\` makes it the ` +
        `project's). If you mean a new journal in a file: add ${shellLine(["--journal", fileAddress(journal)]) ?? `--journal ${addressForm}`}.`,
    },
  );
}

/** Says on standard error that a hub of this project uses another journal, where no hub uses this one. */
export async function warnOfOther(call: Call, { journal, shown }: Pick<Place, "journal" | "shown">): Promise<void> {
  if (call.given.text("journal") !== undefined) return;
  const [hub] = await hubsElsewhere(call, journal);
  if (hub === undefined) return;
  call.output.say(
    `warning: this command uses the journal ${visible(shown)}, but a hub of this project runs on another one: ${hubWords(hub)}. If you mean that one: ${journalOption(hub)}.`,
  );
}

function journalOption({ journal }: OtherHub): string {
  const option = journal === null ? null : shellLine(["--journal", journal]);
  return option === null ? "add --journal URL" : `add ${option}`;
}
