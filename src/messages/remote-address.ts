/**
 * How a remote, an agent of another team, is named where agents are named: `remote:shop`. No agent's name has a colon.
 * Fit for a browser. Source: docs/protocol/doors.md, section 17.
 */

/** What the address of a remote begins with. */
export const remotePrefix = "remote:";

/** The address as it is written: `remote:shop`, or `remote:shop/ASK` about something that the remote was asked. */
export function remoteAddress({ remote, ask }: { readonly remote: string; readonly ask: string | null }): string {
  return `${remotePrefix}${remote}${ask === null ? "" : `/${ask}`}`;
}

/** Whether a name is the address of a remote. */
export function isRemote(name: string): boolean {
  return name.startsWith(remotePrefix);
}
