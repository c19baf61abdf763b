/** The page's files, passed in by the code that composes the hub, with the headers that keep a page harmless. */

import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { safeHeaders } from "./answers.ts";
import { compress, type Encoding, encodingFor } from "./compression.ts";

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
export async function pageAnswer(
  pages: Pages,
  path: string,
  { accept, encodings }: { readonly accept: string; readonly encodings: string },
): Promise<Response | null> {
  const isPlace = path.startsWith("/t/") && /\btext\/html\b/i.test(accept);
  const file = await pages.read(isPlace ? "/" : path);
  if (file === null) return null;
  const encoding = encodingFor(file.mediaType, file.body.length, encodings);
  return new Response(new Uint8Array(await encoded(file, encoding)), {
    headers: {
      ...safeHeaders,
      "content-type": file.mediaType,
      ...(encoding === null ? {} : { "content-encoding": encoding }),
      vary: isPlace ? "accept, accept-encoding" : "accept-encoding",
      "cache-control": file.isImmutable ? "public, max-age=31536000, immutable" : "no-cache",
      "content-security-policy": contentSecurityPolicy,
      "cross-origin-opener-policy": "same-origin",
      "permissions-policy": "camera=(), microphone=(), geolocation=()",
      "x-frame-options": "DENY",
    },
  });
}

/** Each file is compressed once, when it is first asked for. */
const compressed = new WeakMap<PageFile, Map<Encoding, Promise<Uint8Array>>>();

function encoded(file: PageFile, encoding: Encoding | null): Uint8Array | Promise<Uint8Array> {
  if (encoding === null) return file.body;
  const forms = compressed.get(file) ?? new Map<Encoding, Promise<Uint8Array>>();
  compressed.set(file, forms);
  const form = forms.get(encoding) ?? compress(file.body, encoding);
  forms.set(encoding, form);
  return form;
}

/*
 * The built page of the package, read once each: its files change only with the package.
 */

const mediaTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
  ".png": "image/png",
};

/** `/` and the assets next to it; names as the build makes them, so that no path leads out of the folder. */
const pagePath = /^\/(?:assets\/[A-Za-z0-9_-][A-Za-z0-9._-]*)?$/;

/** Where the page says how people call the command here. */
const programMark = '<meta name="baton-program" content="baton"';

/**
 * The page in `folder`, whose hints call the command `program`, such as `npx baton`; without a folder, nothing is served.
 */
export function pageFiles(folder: string, program = "baton"): Pages {
  const known = new Map<string, PageFile>();
  return {
    async read(path) {
      if (!pagePath.test(path)) return null;
      const kept = known.get(path);
      if (kept !== undefined) return kept;
      const name = path === "/" ? "index.html" : path.slice(1);
      const mediaType = mediaTypes[extname(name)];
      const read = mediaType === undefined ? null : await readOrNull(join(folder, name));
      if (read === null || mediaType === undefined) return null;
      const body = path === "/" ? calledAs(read, program) : read;
      const file = { body, mediaType, isImmutable: path !== "/" };
      known.set(path, file);
      return file;
    },
  };
}

/** The program's name comes from a closed list, so nothing in it needs escaping. */
function calledAs(page: Uint8Array, program: string): Uint8Array {
  const named = programMark.replace('content="baton"', `content="${program}"`);
  return new TextEncoder().encode(new TextDecoder().decode(page).replace(programMark, named));
}

async function readOrNull(path: string): Promise<Uint8Array | null> {
  try {
    return await readFile(path);
  } catch {
    // There is no such file, or nobody may read it: to a browser that is the same.
    return null;
  }
}
