/**
 * What it means where a journal's server shows a certificate that does not prove it: nothing of the journal was sent to it.
 */
import { makeProblem, type Problem } from "../base/problem.ts";

/** Codes that Node gives to a certificate: of an authority that nobody knows, of another name, past its time. */
const certificateCodes =
  /^(?:ERR_TLS_CERT_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_CERT|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE)|PATH_LENGTH_)/;

/**
 * `journal-cannot-open` where `error` is about the server's certificate; null: it is not. `option` names the authority in
 * the address.
 */
export function certificateProblem(error: Error, place: string, option: string): Problem | null {
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (!certificateCodes.test(code)) return null;
  return makeProblem("journal-cannot-open", place, "This machine does not trust the server's certificate.", {
    received: `${error.message.slice(0, 200)} (${code})`,
    hint:
      `Name the authority that signed it by ?${option} in the address, or by NODE_EXTRA_CA_CERTS=FILE for every process of ` +
      "Baton, and name the server by a name or an address that is in its certificate.",
  });
}
