/**
 * The artifacts that messages name, as they are kept: of several messages about the same only the last word. Their rules are
 * `artifacts.ts`. A dispute about one holds up the plan that its message is about; where the message names a phase
 * alone, the plans of that phase; where it names neither, nothing but the eye.
 * Source: docs/protocol/verdicts.md.
 */
import { isJsonObject, type JsonObject } from "../base/json.ts";
import type { Problem } from "../base/problem.ts";
import type { FactKind } from "../messages/facts.ts";
import type { Note } from "../messages/message.ts";
import { enter, leave } from "../perform/decider.ts";

/** What the repository says of a message's artifacts. */
export interface ArtifactFinding {
  readonly state: "verified" | "disputed";
  readonly problems: readonly Problem[];
  /** Who decided so, where the repository did not; absent: the repository did. */
  readonly settledBy?: string;
  readonly seq: number;
}

/** A message that names artifacts. */
export interface ArtifactRecord {
  /** Seq of the message. */
  readonly seq: number;
  /** Its type on the wire. */
  readonly type: string;
  readonly kind: FactKind;
  readonly sender: string;
  /** Key of the plan that it is about, else the phase; both null: it names neither. */
  readonly plan: string | null;
  readonly phase: number | null;
  /** The sender and the subject: a later message on the same subject replaces this one. */
  readonly subject: string;
  /** The paths as written, and the forms by which they are compared. */
  readonly artifacts: readonly string[];
  readonly keys: readonly string[];
  /** Null: nobody has looked yet. */
  readonly finding: ArtifactFinding | null;
}

/** All that are the last word on something. */
export interface Artifacts {
  /** By the seq of the message, in their order. */
  readonly records: Map<string, ArtifactRecord>;
  /** Which record is the last word on an artifact, and on a subject. */
  readonly byKey: Map<string, string>;
  readonly bySubject: Map<string, string>;
  /** Records in dispute, by what they hold up. */
  readonly holding: Map<string, Map<string, true>>;
}

/** None. */
export function initialArtifacts(): Artifacts {
  return { records: new Map(), byKey: new Map(), bySubject: new Map(), holding: new Map() };
}

/** Most artifacts of one message that are looked at; of one that names more nothing is verified. */
export const artifactsMax = 100;

/** The paths of a message's artifacts, by the field that names them; none: the message has no artifact. */
export function artifactsIn(body: JsonObject): readonly (readonly [field: string, path: string])[] {
  const named: [string, string][] = typeof body.artifact === "string" ? [["artifact", body.artifact]] : [];
  const several = isJsonObject(body.artifacts) ? Object.entries(body.artifacts) : [];
  for (const [name, path] of several) if (typeof path === "string") named.push([`artifacts.${name}`, path]);
  // An empty text names no file.
  return named.filter(([, path]) => path !== "");
}

/** What a dispute about this record holds up; null: no plan. */
export function heldUpBy({ plan, phase }: Pick<ArtifactRecord, "plan" | "phase">): string | null {
  if (plan !== null) return `plan ${plan}`;
  return phase === null ? null : `phase ${phase}`;
}

/** The records in dispute that hold up a plan, which is named by its key. */
export function holding({ records, holding }: Artifacts, planKey: string): readonly ArtifactRecord[] {
  if (holding.size === 0) return [];
  const phase = phaseNumberOf(planKey);
  const names = [`plan ${planKey}`, ...(phase === null ? [] : [`phase ${phase}`])];
  return names.flatMap((name) => [...(holding.get(name)?.keys() ?? [])].flatMap((seq) => records.get(seq) ?? []));
}

/** The records in dispute that hold up a phase as a whole, which is named by its key. */
export function holdingPhase({ records, holding }: Artifacts, phaseKey: string): readonly ArtifactRecord[] {
  return [...(holding.get(`phase ${phaseKey}`)?.keys() ?? [])].flatMap((seq) => records.get(seq) ?? []);
}

/** The number of a plan's phase; null: its key does not say. */
export function phaseNumberOf(planKey: string): number | null {
  const digits = /^(\d{1,9})-\d{1,9}$/.exec(planKey)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** A message named artifacts; it is the last word on them, and on its subject. */
export interface ArtifactsNamed extends Omit<ArtifactRecord, "finding"> {
  readonly event: "artifacts-named";
}

/** The repository bore out what a message says of its artifacts, or did not. `message`: its seq. */
export interface ArtifactsJudged {
  readonly event: "artifacts-verified" | "artifacts-disputed";
  readonly message: number;
  /** Their paths as written. */
  readonly artifacts: readonly string[];
  readonly problems: readonly Problem[];
  readonly settledBy?: string;
  readonly seq: number;
}

/** Folds a message that names artifacts, in place. */
export function keepArtifacts(artifacts: Artifacts, event: ArtifactsNamed): void {
  const { event: _, ...named } = event;
  for (const record of overtakenBy(artifacts, named)) drop(artifacts, record);
  const name = String(named.seq);
  artifacts.records.set(name, { ...named, finding: null });
  artifacts.bySubject.set(named.subject, name);
  for (const key of named.keys) artifacts.byKey.set(key, name);
}

/** Folds what the repository says of them, in place. */
export function keepFinding(artifacts: Artifacts, { event, message, problems, settledBy, seq }: ArtifactsJudged): void {
  const name = String(message);
  const record = artifacts.records.get(name);
  if (record === undefined) return;
  const state = event === "artifacts-verified" ? "verified" : "disputed";
  const settled = settledBy === undefined ? {} : { settledBy };
  artifacts.records.set(name, { ...record, finding: { state, problems, ...settled, seq } });
  const held = heldUpBy(record);
  if (held === null) return;
  if (state === "disputed") enter(artifacts.holding, held, name);
  else leave(artifacts.holding, held, name);
}

function drop(artifacts: Artifacts, record: ArtifactRecord): void {
  const name = String(record.seq);
  artifacts.records.delete(name);
  if (artifacts.bySubject.get(record.subject) === name) artifacts.bySubject.delete(record.subject);
  for (const key of record.keys) if (artifacts.byKey.get(key) === name) artifacts.byKey.delete(key);
  const held = heldUpBy(record);
  if (held !== null) leave(artifacts.holding, held, name);
}

/** The records that are no longer the last word on anything once `named` is said. */
export function overtakenBy(
  { records, byKey, bySubject }: Artifacts,
  named: Pick<ArtifactRecord, "subject" | "keys">,
): readonly ArtifactRecord[] {
  const keys = new Set(named.keys);
  const known = [bySubject.get(named.subject), ...named.keys.map((key) => byKey.get(key))];
  return [...new Set(known)].flatMap((name) => {
    const record = name === undefined ? undefined : records.get(name);
    if (record === undefined) return [];
    const isLeft = (key: string) => !keys.has(key) && byKey.get(key) === name;
    return record.subject !== named.subject && record.keys.some(isLeft) ? [] : [record];
  });
}

/*
 * The work of a report, as the verdict's entry keeps it: what the reported commits change, so that it is known again in
 * whatever commit it lands, also when those commits are gone. Source: docs/protocol/verdicts.md.
 */

/** What the commits of a report changed together, in the files that its task claims. */
export interface TakenWork {
  /** Full ids, each behind those that it descends from. */
  readonly commits: readonly string[];
  /** At most some hundred files; of more an even choice. */
  readonly files: readonly FileWork[];
  /** How many files changed. */
  readonly count: number;
}

/** What was done to one file. */
export interface FileWork {
  readonly path: string;
  /** As git writes modes; `000000`: not there. */
  readonly mode: { readonly before: string; readonly after: string };
  /** Ids of the contents; zeros: not there. */
  readonly content: { readonly before: string; readonly after: string };
  /**
   * Lines of which the file has more or fewer than before, as `deltasIn` reads them. Absent: the file is no text, is too
   * large, or only the order of its lines and white space changed.
   */
  readonly lines?: string;
  /** The same of words that are new or gone. */
  readonly words?: string;
}

/** Where verified work was when somebody last looked. */
export interface Whereabouts {
  /**
   * `branch`: on a branch that is not the team's main one. `landed`: on the main one. `reverted`: it was there, and a commit
   * that says so took it back. `gone`: it was there, and is nowhere any more. `settled`: somebody decided, and nobody looks
   * any more.
   */
  readonly at: "branch" | "landed" | "reverted" | "gone" | "settled";
  /** The branch; null: none. */
  readonly branch: string | null;
  /** The commit of the main branch on which it was found first; null: on none. */
  readonly since: string | null;
  /** Some of it was changed there later. */
  readonly isChanged: boolean;
  /** What is worth knowing about the place; absent: nothing. */
  readonly notes?: readonly Note[];
}

/** The code of a note on what the work will not merge with. */
export const conflictCode = "will-conflict";

/** What is noted of conflicts. */
export function conflictsAt(place: Pick<Whereabouts, "at" | "notes"> | undefined): readonly Note[] {
  return place?.at === "branch" ? (place.notes ?? []).filter(({ code }) => code === conflictCode) : [];
}

/*
 * One file that two agents change at once, each in its own tree. Source: docs/protocol/verdicts.md, section 6.
 */

/** `hot`: git cannot merge the two, because both change the same lines; `soft`: it can, or nobody can say. */
export const collisionKinds = ["hot", "soft"] as const;

export interface Collision {
  readonly file: string;
  /** The two agents, in the order of their names. */
  readonly agents: readonly [string, string];
  readonly kind: (typeof collisionKinds)[number];
  /** About where the first of those lines is; null: nobody can say. */
  readonly line: number | null;
  /** Both agents and their leads were told that it is hot. */
  readonly isTold: boolean;
  readonly seq: number;
}

export interface CollisionView extends Pick<Collision, "file" | "kind" | "line"> {
  readonly agents: readonly string[];
}

/** Two trees change the same file, or in another way than before. */
export interface CollisionSeen extends Collision {
  readonly event: "collision-seen";
}

/** One of them does not change it any more, or has what the other did. */
export interface CollisionOver extends Pick<Collision, "file" | "agents" | "seq"> {
  readonly event: "collision-over";
}

export function collisionKey({ file, agents }: Pick<Collision, "file" | "agents">): string {
  return [...agents, file].join(" ");
}

/** Folds a collision, in place. */
export function keepCollision(collisions: Map<string, Collision>, event: CollisionSeen): void {
  const { event: _, ...seen } = event;
  collisions.set(collisionKey(seen), seen);
}
