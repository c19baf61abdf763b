/**
 * `baton remote add` and `remove`: which remote agents the team may ask, at which address and with which token. Only
 * the owner decides it, on the machine of the hub: an agent names a remote and never an address.
 */
import { dirname } from "node:path";
import { agentName } from "../../base/ids.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import { fetchCard, type RemoteCard } from "../../doors/a2a/client.ts";
import { readOutsideUrl } from "../../doors/a2a/guarded-request.ts";
import { usageProblem } from "../../doors/cli/kernel/arguments.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { readWhole } from "../../doors/cli/kernel/input.ts";
import { answer, openLocal } from "../../doors/cli/place/session.ts";
import type { ExitCode } from "../../doors/cli/terminal/exit-codes.ts";
import type { Reply } from "../../perform/operations/reply.ts";
import type { Team } from "../../perform/team.ts";
import { writablePlaceOf } from "../../perform/workspace/place.ts";
import { type RemoteSettings, writeRemote } from "../../perform/workspace/remotes.ts";

const tokenBytesMax = 8 * 1024;
const cardName = "/.well-known/agent-card.json";

export const addCommand: Command = {
  isLocal: true,
  isOwners: true,
  description:
    "Lets the team ask a remote agent by its name. URL is that of the agent's card, or of the folder of its card. The card is\n" +
    "fetched, checked and shown; then the address and the token are kept in the state folder, in a file that only you may read. They\n" +
    "are in no journal, no team file and no log. A second `remote add` of the name sets another address and token.\n\n" +
    "Only public https addresses are asked. --allow-private allows this one to be on this machine or in a private network.",
  positionals: [
    { name: "NAME", argument: "remote", summary: "what the team calls it", required: true },
    { name: "URL", summary: "its card, such as https://shop.example.com/a2a/web", required: true },
  ],
  options: [
    {
      name: "token-file",
      argument: "tokenFile",
      kind: "text",
      value: "FILE",
      summary: "the token that the remote gave you; - reads standard input (default: none)",
    },
    {
      name: "allow-private",
      argument: "allowPrivate",
      kind: "flag",
      summary: "it may be on this machine or in a private network",
    },
  ],
  examples: [
    {
      line: "baton remote add shop https://shop.example.com/a2a/web --token-file shop.token",
      meaning: "a team of another company",
    },
    {
      line: "baton remote add shop http://127.0.0.1:4999/a2a/web --allow-private",
      meaning: "another hub on this machine",
    },
  ],
  next: "baton remote ask NAME TEXT asks it; baton remote list shows what it was asked.",
  run: async (call) => {
    const settings = await settingsFrom(call);
    if (!settings.ok) return call.output.fail(settings.error);
    const { name, ...wanted } = settings.value;
    const card = await cardOf(wanted, call.signal);
    if (!card.ok) return call.output.fail(card.error);
    return await changed(
      call,
      name,
      wanted,
      (team) => team.addRemote({ remote: name }),
      (seq) => [`Added ${visible(name)} (entry ${seq}). It says of itself:`, ...wordsOf(card.value)].join("\n"),
    );
  },
};

export const removeCommand: Command = {
  isLocal: true,
  isOwners: true,
  description:
    "Takes a remote from the team, and its address and token from the state folder. What it was asked is over; the remote\n" +
    "itself is not notified.",
  positionals: [{ name: "NAME", argument: "remote", summary: "what the team calls it", required: true }],
  examples: [
    { line: "baton remote remove shop", meaning: "the team can ask it no more" },
    { line: "baton remote remove shop --json", meaning: "the receipt as a JSON line" },
  ],
  next: "baton remote list shows the others.",
  run: async (call) => {
    const name = call.given.word("NAME") ?? "";
    return await changed(
      call,
      name,
      null,
      (team) => team.removeRemote({ remote: name }),
      (seq) => `Removed ${visible(name)} (entry ${seq}).`,
    );
  },
};

/** The name, and what the command says of the remote. */
async function settingsFrom(call: Call): Promise<Result<RemoteSettings & { readonly name: string }, Problem>> {
  const { given } = call;
  const name = agentName(given.word("NAME") ?? "");
  if (name === null) return err(usageProblem("NAME", "This cannot name a remote.", "use a name such as shop"));
  const isPrivateAllowed = given.flag("allow-private");
  const url = readOutsideUrl(given.word("URL") ?? "", { isPrivateAllowed }, "URL");
  if (!url.ok) {
    const hint = isPrivateAllowed ? {} : { hint: "--allow-private allows one on this machine or in a private network" };
    return err({ ...url.error, ...hint });
  }
  const card = url.value.pathname.endsWith(".json")
    ? url.value.href
    : `${url.value.href.replace(/\/$/, "")}${cardName}`;
  const file = given.text("token-file");
  if (file === undefined) return ok({ name, card, token: null, isPrivateAllowed });
  const read = await readWhole(file, tokenBytesMax, call.signal);
  if (!read.ok) return read;
  const token = Buffer.from(read.value).toString().trim();
  if (/^[\x21-\x7e]{1,4096}$/.test(token)) return ok({ name, card, token, isPrivateAllowed });
  return err(usageProblem("--token-file", "The file holds no token of visible ASCII.", "put the token alone into it"));
}

/** What the card says; nothing of it is checked but the address. */
function wordsOf({ name, description, url, binding, skills }: RemoteCard): readonly string[] {
  const does = skills.map((each) => `- ${visible(each)}`);
  return [
    `  ${visible(name)}  ${url.href} (${binding})`,
    `  ${visible(description)}`,
    ...does.map((each) => `  ${each}`),
  ];
}

function cardOf(
  { card, token, isPrivateAllowed }: RemoteSettings,
  signal: AbortSignal,
): Promise<Result<RemoteCard, Problem>> {
  return fetchCard({ card, token, rules: { isPrivateAllowed }, signal });
}

/** Records the change, and keeps the settings once it is recorded. */
async function changed(
  call: Call,
  name: string,
  settings: RemoteSettings | null,
  record: (team: Team) => Promise<Reply>,
  said: (seq: number) => string,
): Promise<ExitCode> {
  const place = await writablePlaceOf(call);
  if (!place.ok) return call.output.fail(place.error);
  const opened = await openLocal(call, null);
  if (!opened.ok) return call.output.fail(opened.error);
  await using team = opened.value;
  const state = dirname(place.value.journal);
  // An address comes before the remote's name is known, and goes after it: the hub never misses it in between.
  const before = settings === null ? ok(undefined) : await writeRemote(state, name, settings);
  if (!before.ok) return call.output.fail(before.error);
  const reply = await record(team);
  const after =
    settings === null && reply.outcome === "accepted" ? await writeRemote(state, name, null) : ok(undefined);
  if (!after.ok) return call.output.fail(after.error);
  return answer(call, reply, ({ seq }) => said(seq));
}
