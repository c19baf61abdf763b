/**
 * What `synchronous_standby_names` says of a failover: an acknowledged entry is on as many of the named standbys as the
 * server waits for, so another named one may lack it.
 * Source: docs/protocol/record.md, section 15.
 */

/** How many standbys the server waits for, and of how many; null: of each that connects. */
export interface Waiting {
  readonly count: number;
  readonly of: number | null;
}

/** Reads `a, b`, `2 (a, b, c)`, `FIRST 2 (a, b, c)`, `ANY 1 (a, b)` and the same with `*`; null: it waits for none. */
export function readStandbyNames(setting: string): Waiting | null {
  const text = setting.trim();
  if (text === "") return null;
  const [, count, list = text] = /^(?:(?:first|any)\s+)?(\d+)\s*\((.*)\)$/is.exec(text) ?? [];
  const names: readonly string[] = list.match(/"(?:[^"]|"")*"|[^\s,"]+/g) ?? [];
  const isEach = names.length === 0 || names.some((name) => name === "*" || name === '"*"');
  return { count: Number(count ?? 1), of: isEach ? null : names.length };
}

/** Whether each of the `replicas` that follow the server has every acknowledged entry; else only the furthest one has. */
export function hasEachReplicaAll({ count, of }: Waiting, replicas: number): boolean {
  return of !== null && count >= of && replicas <= of;
}
