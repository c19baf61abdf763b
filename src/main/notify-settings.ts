/**
 * How the person is told away from the page that something needs them: by this machine's own notifications, and by requests
 * to one address. Both are off until the person asks for them with `baton start --notify`.
 * Rules: docs/protocol/asking.md, section 20.
 */
import type { Problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import { readOutsideUrl } from "../doors/a2a/guarded-request.ts";
import { usageProblem } from "../doors/cli/kernel/arguments.ts";
import { readOwners, unreadable, writeOwners } from "../perform/workspace/owners-file.ts";
import { notifier } from "./commands/start-outside.ts";

/** Where a webhook goes, and the secret by which its receiver knows it. */
export interface Webhook {
  readonly url: string;
  /** As Standard Webhooks write one: `whsec_` and base64. */
  readonly secret: string;
  /** It may be on this machine or in a private network. */
  readonly isPrivateAllowed: boolean;
}

export interface NotifySettings {
  readonly isDesktop: boolean;
  /** Null: none. */
  readonly webhook: Webhook | null;
}

const fileName = "notify.json";

/** The settings in the state folder. Refuses as `readOwners` does. */
export function readNotify(state: string): Result<NotifySettings, Problem> {
  const file = readOwners(state, fileName);
  if (!file.ok) return file;
  const { desktop = false, url = null, secret = null, isPrivateAllowed = false } = file.value ?? {};
  const isRead = typeof desktop === "boolean" && typeof isPrivateAllowed === "boolean";
  if (isRead && url === null) return ok({ isDesktop: desktop, webhook: null });
  if (isRead && typeof url === "string" && typeof secret === "string")
    return ok({ isDesktop: desktop, webhook: { url, secret, isPrivateAllowed } });
  return err(unreadable(state, fileName, "not what `baton start --notify` writes"));
}

/** What the person wants. `off` ends both ways. */
export type NotifyWish = "off" | "desktop" | { readonly url: URL; readonly isPrivateAllowed: boolean };

/** What `--notify` says. Refuses an address that is never asked, and `desktop` where this machine has no way to notify. */
export function readWish(
  text: string,
  isPrivateAllowed: boolean,
  environment: Readonly<Record<string, string>>,
): Result<NotifyWish, Problem> {
  if (text === "off") return ok(text);
  if (text !== "desktop") {
    const url = readOutsideUrl(text, { isPrivateAllowed }, "--notify");
    if (url.ok) return ok({ url: url.value, isPrivateAllowed });
    const hint = isPrivateAllowed
      ? "desktop, off, or a URL"
      : "desktop, off, or a URL; --allow-private allows one on this machine or in a private network";
    return err({ ...url.error, hint });
  }
  if (notifier(environment) !== null) return ok(text);
  const fact = "This machine has no way to notify you: no notify-send with a screen, no osascript, no tmux.";
  return err(usageProblem("--notify", fact, "install one of them, or give the URL of a webhook", text));
}

/** Sets what is wanted. Answers the secret of a new address, which is shown this once; null: there is none to show. */
export function setNotify(state: string, wish: NotifyWish): Result<string | null, Problem> {
  const before = readNotify(state);
  if (!before.ok) return before;
  const { isDesktop, webhook } = before.value;
  const write = (settings: object) => writeOwners(state, fileName, settings);
  if (wish === "off" || wish === "desktop") {
    const done = write(wish === "off" ? {} : { desktop: true, ...webhook });
    return done.ok ? ok(null) : done;
  }
  // Another address has another secret: who had the old one can sign nothing for the new.
  const url = wish.url.href;
  const known = webhook?.url === url ? webhook.secret : null;
  const secret = known ?? `whsec_${process.getBuiltinModule("node:crypto").randomBytes(32).toString("base64")}`;
  const done = write({ desktop: isDesktop, url, secret, isPrivateAllowed: wish.isPrivateAllowed });
  return done.ok ? ok(known === null ? secret : null) : done;
}
