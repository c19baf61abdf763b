/**
 * Words of agents inside a Markdown page of ours: they mean themselves. No HTML, no link, no picture, no heading, no list
 * can come out of them, by CommonMark and by GitHub's extensions, which also make links of bare addresses.
 */
import { visible } from "./text.ts";

/** `text` as one line of Markdown that shows it; white space is one blank, unseen characters are named. */
export function markdownText(text: string): string {
  const line = visible(text.replaceAll(/\s+/g, " ").trim());
  return line
    .replaceAll(/[\\`*_{}[\]<>#|~&@$^!]/g, String.raw`\$&`)
    .replaceAll(/:(?=\/)|(?<=mailto|xmpp):/gi, String.raw`\:`)
    .replaceAll(/(?<=www)\./gi, String.raw`\.`)
    .replace(/^(?:[-+=]|\d{1,9}(?=[.)]))/, (start) => (/\d/.test(start) ? `${start}\\` : `\\${start}`));
}
