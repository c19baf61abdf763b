/**
 * The address of a journal in a command that a person pastes: it connects as the same user and holds no password; and what
 * a person adds to an address that was recorded, which holds neither.
 */
import { fileAddress, isServerAddress } from "./engines.ts";

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

/**
 * How a project names the journal at `place`, which is an address as it is recorded: without user and options, so it does
 * not open as it is, or opens with weaker guarantees. A file is only on its machine.
 */
export function namingAdvice(place: string): string {
  if (!isServerAddress(place))
    return (
      "In the project whose file it is run `baton journal place --default`; elsewhere on its machine name it by " +
      `\`--journal ${fileAddress(place)}\`. Then start the hubs again.`
    );
  const options = place.startsWith("nats:") ? "such as `?monitor=URL`" : "such as `?sslmode=verify-full`";
  return (
    "Name that journal by `baton journal place URL` and start the hubs again. The address here is without credentials and " +
    `options: in URL add your user (\`USER@\` before the server) and the options that the journal is used with, ${options}.`
  );
}

function isSecret(option: string): boolean {
  return secretOptions.includes(option.toLowerCase());
}
