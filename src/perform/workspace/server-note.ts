/**
 * The note of a state folder that says which journal in a server the project has used: its address without a password, for
 * a person who forgets `--journal`. Nothing is opened by it.
 * Rule: docs/protocol/record.md, section 24.
 */
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { readPlainFile, replacePlainFile } from "../../base/plain-file.ts";
import { addressToPaste } from "../../journal/address-to-paste.ts";
import { isServerAddress, serverFileName } from "../../journal/engines.ts";

const noteBytesMax = 4 * 1024;

/**
 * Leaves the note next to the notes about the journal, whose name there is `journal`. Never a problem: who may only look
 * leaves none, and the journal opens all the same.
 */
export function noteServer({ journal, address }: { readonly journal: string; readonly address: string }): null {
  const said = addressToPaste(address);
  if (addressIn(journal) === said) return null;
  try {
    replacePlainFile(notePath(journal), `${said}\n`);
  } catch {
    // A missing note costs a person the address in one hint.
  }
  return null;
}

/** The journals in a server of which entries were seen in this state folder; `address` null: no note says which. */
export function serversIn(state: string): readonly { readonly address: string | null }[] {
  let names: readonly string[];
  try {
    names = readdirSync(state);
  } catch {
    return []; // No folder has seen nothing.
  }
  const journals = names.flatMap((name) => /^(server-[0-9a-f]{16})\.head$/.exec(name)?.[1] ?? []);
  return journals.toSorted().map((name) => ({ address: addressIn(join(state, name)) }));
}

/** The address in the note. The name of the note confirms it, so that a foreign file leads nobody elsewhere. */
function addressIn(journal: string): string | null {
  const file = readPlainFile(notePath(journal), noteBytesMax);
  if (!file.ok || file.value === null) return null;
  const said = file.value.text.trimEnd();
  if (!isServerAddress(said) || addressToPaste(said) !== said) return null;
  return serverFileName(said) === basename(journal) ? said : null;
}

function notePath(journal: string): string {
  return `${journal}.address`;
}
