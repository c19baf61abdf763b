/** The page's files, passed in by the code that composes the hub, with the headers that keep a page harmless. */
import { safeHeaders } from "./answers.ts";

/** One file of the page. */
export interface PageFile {
  readonly body: Uint8Array;
  readonly mediaType: string;
  /** Whether its name changes with its content. */
  readonly isImmutable: boolean;
}

/** Where the files are. `path` begins with `/`; null: there is none. */
export interface Pages {
  read(path: string): Promise<PageFile | null>;
}

/** Scripts and styles from the hub itself only, nothing inline, nobody may frame it. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

/**
 * The file as an answer, or null. A browser that loads a place of the page (`/t/TEAM/VIEW`) is answered with the page
 * itself, which reads the place from its address; a program that asks there is not.
 */
export async function pageAnswer(pages: Pages, path: string, accept: string): Promise<Response | null> {
  const isPlace = path.startsWith("/t/") && /\btext\/html\b/i.test(accept);
  const file = await pages.read(isPlace ? "/" : path);
  if (file === null) return null;
  return new Response(new Uint8Array(file.body), {
    headers: {
      ...safeHeaders,
      "content-type": file.mediaType,
      ...(isPlace ? { vary: "accept" } : {}),
      "cache-control": file.isImmutable ? "public, max-age=31536000, immutable" : "no-cache",
      "content-security-policy": contentSecurityPolicy,
      "cross-origin-opener-policy": "same-origin",
      "permissions-policy": "camera=(), microphone=(), geolocation=()",
      "x-frame-options": "DENY",
    },
  });
}
