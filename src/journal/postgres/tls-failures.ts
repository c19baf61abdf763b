/**
 * Why no TLS connection to a PostgreSQL server comes about: a certificate that does not prove the server, a server without
 * TLS, or a file of the address that cannot be used. Trying again changes none of them.
 * Source: docs/protocol/record.md, section 15.
 */

import { makeProblem, type Problem } from "../../base/problem.ts";
import { certificateProblem } from "../server-certificate.ts";

/** `journal-cannot-open` with what to do; null: `error` is about something else. */
export function tlsProblem(error: Error, place: string): Problem | null {
  const untrusted = certificateProblem(error, place, "sslmode=verify-full&sslrootcert=FILE");
  if (untrusted !== null) return untrusted;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const syscall = "syscall" in error ? error.syscall : null;
  const received = `${error.message.slice(0, 200)}${code === "" ? "" : ` (${code})`}`;
  const told = (message: string, hint: string) =>
    makeProblem("journal-cannot-open", place, message, { received, hint });
  // A socket of the system that is not there fails at `connect`.
  if (syscall === "open" || code === "EISDIR")
    return told(
      "A file that the address names cannot be read.",
      "Name a file that this user can read, by its whole path: sslrootcert, sslcert and sslkey in the address.",
    );
  if (code.startsWith("ERR_OSSL"))
    return told(
      "A file that the address names holds no certificate or key.",
      "Name files in PEM form: sslrootcert, sslcert and sslkey in the address.",
    );
  if (error.message.includes("does not support SSL"))
    return told(
      "The address asks for TLS, and the server has none.",
      "Switch TLS on at the server (ssl = on, with its certificate). Only where the network itself is safe, take the options that begin with ssl out of the address.",
    );
  // The driver's own words, before it asks any server.
  if (error.message.includes("sslmode=verify-ca requires"))
    return told(
      "The address names no authority that sslmode=verify-ca could check.",
      "Name the authority's file, too: sslrootcert=FILE. Or write sslmode=verify-full, which also checks the server's name.",
    );
  return null;
}
