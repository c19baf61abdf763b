/**
 * The key that signs receipts: the user's, in the user's own configuration, never in a repository. Its public part is added
 * to `.baton/receipt.pub`, which belongs to the repository. Rules: docs/protocol/verdicts.md, section 13.
 */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { createPlainFile, readPlainFile, reasonOf, replacePlainFile } from "../../base/plain-file.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { takeTurn } from "./file-turn.ts";
import { findWorkspace } from "./workspace.ts";

/** A statement in a DSSE envelope. */
export interface SignedReceipt {
  readonly payloadType: string;
  readonly payload: string;
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
}

type Environment = Readonly<Record<string, string>>;

const fileBytesMax = 64 * 1024;

/** Where the user's key is; null: nothing says where the user's configuration is. */
export function keyFileOf({ XDG_CONFIG_HOME: config = "", HOME, USERPROFILE }: Environment): string | null {
  const home = HOME || USERPROFILE || "";
  const folder = isAbsolute(config) ? config : home === "" ? null : join(home, ".config");
  return folder === null ? null : join(folder, "baton/receipt.key");
}

/** The body, signed with the user's key, which is made the first time, and its public part put into the team's folder. */
export async function signed(
  {
    directory,
    environment,
  }: { readonly directory: string; readonly environment: Readonly<Record<string, string | undefined>> },
  payloadType: string,
  body: string,
): Promise<Result<SignedReceipt, Problem>> {
  const path = keyFileOf(environment as Environment);
  if (path === null) return err(broken("receipt.key", "nothing says where your home folder is"));
  const key = await keyAt(path);
  if (!key.ok) return key;
  const isPublished = publish(key.value, directory);
  if (!isPublished.ok) return isPublished;
  const bytes = Buffer.from(body);
  const framed = Buffer.concat([
    Buffer.from(`DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${bytes.length} `),
    bytes,
  ]);
  const signature = {
    keyid: keyIdOf(createPublicKey(key.value)),
    sig: sign(null, framed, key.value).toString("base64"),
  };
  return ok({ payloadType, payload: bytes.toString("base64"), signatures: [signature] });
}

/** The public part of the user's key, as PEM; null: there is none yet. */
export function ownPublicKey(environment: Environment): Result<string | null, Problem> {
  const path = keyFileOf(environment);
  const read = path === null ? ok(null) : readKey(path);
  return read.ok ? ok(read.value === null ? null : pemOf(read.value)) : read;
}

async function keyAt(path: string): Promise<Result<KeyObject, Problem>> {
  const known = readKey(path);
  if (!known.ok || known.value !== null) return known as Result<KeyObject, Problem>; // It is there, or why not.
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    using _ = await takeTurn(`${path}.lock`);
    const meanwhile = readKey(path);
    if (!meanwhile.ok || meanwhile.value !== null) return meanwhile as Result<KeyObject, Problem>;
    const { privateKey } = generateKeyPairSync("ed25519");
    createPlainFile(path, privateKey.export({ type: "pkcs8", format: "pem" }).toString(), {
      mode: 0o600,
      isSynced: true,
    });
    return ok(privateKey);
  } catch (cause) {
    return err(broken(path, reasonOf(cause)));
  }
}

function readKey(path: string): Result<KeyObject | null, Problem> {
  const file = readPlainFile(path, fileBytesMax);
  if (!file.ok) return err(broken(path, file.error));
  if (file.value === null) return ok(null);
  const { facts, text } = file.value;
  const isOwn = process.getuid === undefined || (facts.uid === process.getuid() && (facts.mode & 0o077) === 0);
  if (!isOwn) return err(broken(path, "others may read it, or it is another user's"));
  try {
    const key = createPrivateKey(text);
    return key.asymmetricKeyType === "ed25519" ? ok(key) : err(broken(path, "it is no Ed25519 key"));
  } catch {
    // Why OpenSSL does not read it may quote the key.
    return err(broken(path, "it is no private key"));
  }
}

/** Adds the public part to the team's folder, unless it is there, or there is no such folder. */
function publish(key: KeyObject, directory: string): Result<void, Problem> {
  const folder = findWorkspace(directory)?.directory;
  if (folder === undefined || !existsSync(folder)) return ok(undefined);
  const path = join(folder, "receipt.pub");
  const file = readPlainFile(path, fileBytesMax);
  if (!file.ok) return err(broken(path, file.error));
  const [text, own] = [file.value?.text ?? "", pemOf(key)];
  if (text.includes(own.trim())) return ok(undefined);
  try {
    replacePlainFile(path, `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${own}`, { mode: 0o644 });
    return ok(undefined);
  } catch (cause) {
    return err(broken(path, reasonOf(cause)));
  }
}

function pemOf(key: KeyObject): string {
  return createPublicKey(key).export({ type: "spki", format: "pem" }).toString();
}

function keyIdOf(key: KeyObject): string {
  const digest = createHash("sha256")
    .update(key.export({ type: "spki", format: "der" }))
    .digest("hex");
  return `ed25519:${digest.slice(0, 32)}`;
}

function broken(path: string, received: string): Problem {
  return makeProblem("settings-file", path, "The key that signs receipts cannot be used.", {
    received,
    hint: "Make it a plain file that only you may read (chmod 600), or move it away: the next receipt makes another key.",
  });
}
