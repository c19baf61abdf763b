/**
 * A note next to the journal with the definition that the team's files give, so that the next command does not read YAML.
 * It counts for exactly these files and this version of Baton; otherwise it is ignored and the files are read.
 * It grants nothing: its definition is compared with the one in force, like that of a changed team file.
 * Rule: docs/protocol/state-folder.md, section 2.
 */
import { sha256 } from "../base/canonical.ts";
import { readPlainFile, replacePlainFile } from "../base/plain-file.ts";
import type { TeamFileMemory, TeamFileText } from "../runtime/team/team-files.ts";
import type { TeamDefinition } from "../team/definition.ts";
import { packageFacts } from "./package-root.ts";

/** Most bytes of a note; a larger definition is read from the files each time. */
const noteBytesMax = 1024 * 1024;

/** Raise it when the same files give another definition within one version. */
const noteForm = 1;

/** The note on `files` next to the journal at `path`. */
export function teamFileNote(path: string, files: TeamFileText): TeamFileMemory {
  const note = `${path}.team-file`;
  const key = keyOf(files);
  return {
    recall: () => definitionIn(note, key),
    keep(definition) {
      const body = `${key}\n${JSON.stringify(definition)}`;
      const text = `${sha256(body)}\n${body}`;
      if (Buffer.byteLength(text) > noteBytesMax) return;
      try {
        replacePlainFile(note, text);
      } catch {
        // The folder may be read-only or missing: then the next command reads the files again.
      }
    },
  };
}

/** The definition in the note; null: there is no note, it is on other files, or it is damaged. */
function definitionIn(note: string, key: string): TeamDefinition | null {
  const file = readPlainFile(note, noteBytesMax);
  if (!file.ok || file.value === null) return null;
  const { text } = file.value;
  const bodyAt = text.indexOf("\n") + 1;
  const body = text.slice(bodyAt);
  if (text.slice(0, Math.max(0, bodyAt - 1)) !== sha256(body) || !body.startsWith(`${key}\n`)) return null;
  // The digest shows that `keep` wrote this text from a definition.
  return JSON.parse(body.slice(key.length + 1)) as TeamDefinition;
}

function keyOf({ text, messages = [] }: TeamFileText): string {
  return sha256(JSON.stringify([noteForm, packageFacts().version, text, messages]));
}
