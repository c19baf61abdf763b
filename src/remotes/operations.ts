/** Operations on remote agents, which a hub reaches by A2A. Rules: docs/protocol/doors.md, section 17. */
import { z } from "zod";
import { count, operation, shapeOf, shown } from "../perform/operations/define.ts";
import { texts } from "../perform/operations/shapes.ts";
import { type RemoteAsk, remoteStates } from "./decide.ts";

/** A remote with what it was asked. */
export interface RemoteView {
  readonly remote: string;
  /** False: it was removed, and is shown because of what it was asked. */
  readonly isKnown: boolean;
  /** Why it cannot be reached, and since which entry; null: it was reached last, or never tried. */
  readonly problem: { readonly code: string; readonly message: string; readonly seq: number } | null;
  /** What it was asked, the latest change first. */
  readonly asks: readonly RemoteAskView[];
}

/** An ask; `unsent`: how many messages wait to be sent. */
export interface RemoteAskView extends Omit<RemoteAsk, "unsent" | "remoteContext"> {
  readonly unsent: number;
}

export const remoteAskShape = shapeOf<RemoteAskView>()(
  z
    .object({
      ask: z.string(),
      remote: z.string(),
      asker: z.string(),
      task: z.string().nullable().describe("the task of the board that it is about"),
      title: z.string(),
      state: z.enum(remoteStates),
      unsent: count("messages that the remote has not taken yet"),
      remoteTask: z.string().nullable().describe("the task's id at the remote"),
      words: z.string().nullable().describe("the remote's last words about it"),
      work: z
        .object({ commit: z.string().nullable(), files: texts, state: z.string().nullable() })
        .nullable()
        .describe("what the remote says that it did; nothing of it is checked here"),
      isWithdrawn: z.boolean(),
      seq: count("the entry that asked"),
      changed: count("the last entry about it"),
    })
    .meta({ id: "RemoteAsk" }),
);

export const remoteShape = shapeOf<RemoteView>()(
  z
    .object({
      remote: z.string(),
      isKnown: z.boolean().describe("false: it was removed"),
      problem: z
        .object({ code: z.string(), message: z.string(), seq: count("since this entry") })
        .nullable()
        .describe("why it cannot be reached"),
      asks: z.array(remoteAskShape).describe("the latest change first"),
    })
    .meta({ id: "Remote" }),
);

const remoteName = z.string().describe("the remote's name");

export const addRemote = operation({
  name: "addRemote",
  call: "addRemote",
  access: "owner",
  says: "Lets the team ask a remote agent. Its address and token are set where the hub runs, never by a request.",
  input: z.strictObject({ remote: remoteName }),
  answer: { kind: "reply" },
  http: { method: "post", path: "/remotes" },
  handWritten: ["remote add"],
  record: { act: "add-remote", line: "added the remote {remote}", touches: [] },
});

export const removeRemote = operation({
  name: "removeRemote",
  call: "removeRemote",
  access: "owner",
  says: "Takes a remote from the team; what it was asked is over.",
  input: z.strictObject({ remote: remoteName }),
  answer: { kind: "reply" },
  http: { method: "post", path: "/remotes/{remote}/remove" },
  handWritten: ["remote remove"],
  record: { act: "remove-remote", line: "removed the remote {remote}", touches: [] },
});

export const listRemotes = operation({
  name: "listRemotes",
  call: "remotes",
  access: "caller",
  says: "The remote agents of the team, and what they were asked.",
  input: z.strictObject({}),
  answer: shown<readonly RemoteView[]>("remotes", "In the order of their names.", z.array(remoteShape)),
  http: { method: "get", path: "/remotes" },
  cli: [
    {
      words: "remote list",
      group: "People and agents",
      summary: "remote agents, and what they were asked",
      description:
        "Prints the remotes of the team, whether they can be reached, and what each was asked. What a remote calls completed or\n" +
        "verified is its word: Baton has checked nothing of it.",
      arguments: {},
      examples: [
        { line: "baton remote list", meaning: "the remotes of the team" },
        { line: "baton remote list --json", meaning: "a JSON line each" },
      ],
      next: "baton remote ask NAME TEXT asks one; baton remote add NAME URL adds one.",
    },
  ],
});

export const askRemote = operation({
  name: "askRemote",
  call: "askRemote",
  access: "caller",
  says: "Asks a remote agent for something, or writes to it about that. It is recorded, then the hub sends it.",
  input: z.strictObject({
    remote: remoteName,
    text: z.string().describe("what is wanted, in words"),
    task: z.string().optional().describe("the task of the board that it is about"),
    ask: z.string().optional().describe("write about this ask instead of asking for something new"),
  }),
  answer: { kind: "reply" },
  http: { method: "post", path: "/remotes/{remote}/asks" },
  cli: [
    {
      words: "remote ask",
      group: "People and agents",
      summary: "ask a remote agent for something",
      description:
        "Asks a remote agent for something, or with --about writes to it about that. The hub sends it, again until the remote has\n" +
        "taken it, and follows the task. The asker gets what the remote answers. The same as: baton send --to remote:NAME.",
      arguments: {
        remote: { as: "NAME" },
        text: { as: "TEXT" },
        task: { as: "--task TASK" },
        ask: { as: "--about ASK" },
      },
      examples: [
        { line: "baton remote ask shop 'Add the tax to the export' --as dev-1", meaning: "ask the remote shop" },
        {
          line: "baton remote ask shop 'Add the tax' --task 1-1-T2 --as dev-1",
          meaning: "hand the task that you hold to the remote; you report the result",
        },
      ],
      next: "baton remote list shows what became of it.",
      said: "Asked {remote} (entry {seq}).",
    },
  ],
  record: { act: "ask-remote", line: "asked the remote {remote}: {text}", touches: [] },
});

export const withdrawRemote = operation({
  name: "withdrawRemote",
  call: "withdrawRemote",
  access: "caller",
  says: "Withdraws what a remote agent was asked; the hub cancels the task there.",
  input: z.strictObject({ ask: z.string().describe("the ask, as the list of remotes shows it") }),
  answer: { kind: "reply" },
  http: { method: "post", path: "/remote-asks/{ask}/withdraw" },
  cli: [
    {
      words: "remote withdraw",
      group: "People and agents",
      summary: "withdraw what a remote was asked",
      description:
        "Withdraws what a remote was asked, as its asker, a lead or the owner. The hub cancels the task at the remote.",
      arguments: { ask: { as: "ASK" } },
      examples: [
        { line: "baton remote withdraw out-4c1d5e6f7a8b9c0d1e2f --as dev-1", meaning: "you want it no more" },
        { line: "baton remote withdraw out-4c1d5e6f7a8b9c0d1e2f", meaning: "the owner withdraws it" },
      ],
      next: "baton remote list shows how it ended.",
      said: "Withdrawn: {ask} (entry {seq}).",
    },
  ],
  record: { act: "withdraw-remote", line: "withdrew {ask}", touches: [] },
});

export const remoteOperations = [addRemote, removeRemote, listRemotes, askRemote, withdrawRemote] as const;
