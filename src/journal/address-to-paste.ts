/** The address of a journal in a command that a person pastes: it connects as the same user and holds no password. */
import { isServerAddress } from "./engines.ts";

/** Options of an address that hold a secret, or may hold one. */
const secretOptions: readonly string[] = ["password", "sslpassword", "options"];

/**
 * An address for a command that a person pastes: the user stays, for a server asks for it, and the password is left out. It
 * comes from the environment or a file then, as where a person types no password into the address.
 */
export function addressToPaste(address: string): string {
  if (!isServerAddress(address)) return address;
  const [, scheme = "", login, rest = ""] = /^([a-z]+:\/\/)(?:([^/?#]*)@)?(.*)$/s.exec(address) ?? [];
  const [user = ""] = login?.split(":", 1) ?? [];
  const [place = "", options] = rest.split(/\?(.*)/s, 2);
  const kept = options?.split("&").filter((each) => ![...new URLSearchParams(each).keys()].some(isSecret)) ?? [];
  return `${scheme}${user === "" ? "" : `${user}@`}${place}${kept.length === 0 ? "" : `?${kept.join("&")}`}`;
}

function isSecret(option: string): boolean {
  return secretOptions.includes(option.toLowerCase());
}
