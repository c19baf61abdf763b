/**
 * Push notifications: webhooks that a caller sets on its own tasks. What they are kept in and who calls them is passed in;
 * without it the team offers none. Answers never show a secret again.
 * Rules: docs/protocol/doors.md, section 15.
 */
import { sha256 } from "../../base/canonical.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { type Problem, problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { type A2aError, a2aError, errorOf, unknownTask } from "./errors.ts";
import { type A2aTask, noPush, type Read, type StreamResponse } from "./wire.ts";

/** A webhook of a caller on one of its tasks, with its secrets. */
export interface Webhook {
  readonly team: string;
  readonly caller: string;
  readonly taskId: string;
  readonly id: string;
  readonly url: string;
  /** What the client recognises the notification by. */
  readonly token: string | null;
  readonly scheme: string | null;
  readonly credentials: string | null;
  /** The hash of the token that set it: the webhook ends with it. */
  readonly setBy: string;
}

/** Where webhooks are kept, and which addresses they may have. */
export interface Webhooks {
  /** Refuses `wrong-value` for an address that the owner has not allowed. */
  judge(url: string): Result<URL, Problem>;
  /** Keeps it until it is removed, also over a restart. Refuses `too-many-requests`. */
  set(webhook: Webhook): Promise<Problem | null>;
  of(team: string, caller: string, taskId: string): readonly Webhook[];
  /** Removes it; one that is not there changes nothing. */
  remove(webhook: Pick<Webhook, "team" | "caller" | "taskId" | "id">): Promise<void>;
}

/** Who asks for a webhook, and how it was proved. */
export interface PushCaller {
  readonly team: string;
  readonly agent: string;
  /** The header by which the request was authenticated. */
  readonly authorization: string;
  readonly webhooks: Webhooks | null;
}

/** A webhook as a request wishes it, before its task is known. */
export type PushWish = Pick<Webhook, "id" | "url" | "token" | "scheme" | "credentials">;

/** Most webhooks of one task. */
export const webhooksMax = 8;

/** Reads a configuration. Refuses what cannot be a header or an address that may not be asked. */
export function readPush(given: JsonObject, webhooks: Webhooks | null): Read<PushWish> {
  if (webhooks === null) return err(noPush);
  const { url, token, id } = given;
  const authentication = isJsonObject(given.authentication) ? given.authentication : {};
  const { scheme, credentials } = authentication;
  const invalid = (path: string, expected: string): { readonly ok: false; readonly error: A2aError } => {
    const wrong = problem("wrong-value", path, `${path} is not ${expected}.`, { expected });
    return err(a2aError("INVALID_PARAMS", wrong.message, [wrong]));
  };
  if (typeof url !== "string") return invalid("url", "a URL");
  const judged = webhooks.judge(url);
  if (!judged.ok) return err(a2aError("INVALID_PARAMS", judged.error.message, [judged.error]));
  const read = { token: textOf(token), scheme: textOf(scheme), credentials: textOf(credentials), id: textOf(id) };
  // Each becomes a header, in which a line break would begin another one.
  if (read.token !== null && !/^[\x21-\x7e]{1,1024}$/.test(read.token)) return invalid("token", "visible ASCII");
  if (read.scheme !== null && !/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/.test(read.scheme))
    return invalid("authentication.scheme", "the name of a scheme");
  if (read.credentials !== null && !/^[\x21-\x7e](?:[\x20-\x7e]{0,4095})$/.test(read.credentials))
    return invalid("authentication.credentials", "visible ASCII");
  const name = read.id ?? `hook-${sha256(url).slice(0, 12)}`;
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(name)) return invalid("id", "1 to 64 of A-Z a-z 0-9 . _ -");
  return ok({ ...read, url: judged.value.href, id: name });
}

/** A string that says something; an empty one is as good as none in ProtoJSON. */
function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** Keeps the webhook of a task that the caller has. */
export async function setPush(caller: PushCaller, taskId: string, wish: PushWish): Promise<Read<object>> {
  const { team, agent, authorization, webhooks } = caller;
  if (webhooks === null) return err(noPush);
  const setBy = sha256(authorization.replace(/^Bearer /i, ""));
  const webhook = { ...wish, team, caller: agent, taskId, setBy };
  const full = await webhooks.set(webhook);
  return full === null ? ok(shown(webhook)) : err(errorOf([full]));
}

type PushMethod = (caller: PushCaller, taskId: string, params: JsonObject) => Read<object> | Promise<Read<object>>;

/** The methods on webhooks, once the task is known to be the caller's. */
export const pushMethods: ReadonlyMap<string, PushMethod> = new Map<string, PushMethod>([
  [
    "CreateTaskPushNotificationConfig",
    (caller, taskId, params) => {
      const wish = readPush(params, caller.webhooks);
      return wish.ok ? setPush(caller, taskId, wish.value) : wish;
    },
  ],
  [
    "GetTaskPushNotificationConfig",
    ({ team, agent, webhooks }, taskId, { id }) => {
      const found = webhooks?.of(team, agent, taskId).find((each) => each.id === id);
      return found === undefined ? err(unknownTask) : ok(shown(found));
    },
  ],
  [
    "ListTaskPushNotificationConfigs",
    ({ team, agent, webhooks }, taskId) =>
      ok({ configs: (webhooks?.of(team, agent, taskId) ?? []).map(shown), nextPageToken: "" }),
  ],
  [
    "DeleteTaskPushNotificationConfig",
    async ({ team, agent, webhooks }, taskId, { id }) => {
      if (typeof id === "string") await webhooks?.remove({ team, caller: agent, taskId, id });
      return ok({});
    },
  ],
]);

/** Without the secrets. */
function shown({ taskId, id, url, scheme }: Webhook): object {
  return { taskId, id, url, ...(scheme === null ? {} : { authentication: { scheme } }) };
}

/** What a client is notified of when a task went from one state to another. */
export function changesBetween(before: A2aTask, after: A2aTask): readonly StreamResponse[] {
  const { id: taskId, contextId, status, artifacts = [] } = after;
  const known = new Set(before.artifacts?.map(({ artifactId }) => artifactId));
  const isNewStatus = JSON.stringify(before.status) !== JSON.stringify(status);
  return [
    ...artifacts
      .filter(({ artifactId }) => !known.has(artifactId))
      .map((artifact) => ({ artifactUpdate: { taskId, contextId, artifact, lastChunk: true as const } })),
    ...(isNewStatus ? [{ statusUpdate: { taskId, contextId, status } }] : []),
  ];
}
