/**
 * What the person writes: prose, and acts on tasks, agents and tokens. Drafts are kept in this tab until they are sent; a
 * token is shown once and kept nowhere.
 */
import { isJsonObject, type Json, parseBounded } from "../../../base/json.ts";
import type { Problem } from "../../../base/problem.ts";
import type { Receipt } from "../../../journal/entry.ts";
import { ask, newActId, teamPath } from "../hub/request.ts";
import { type FieldProblem, fieldOfProblem, formField, valuesOf } from "../shown/form-values.ts";
import { actForms, type ComposeForm } from "./act-forms.ts";

/** What the hub said to something that was sent. */
export interface Sent {
  readonly seq: number;
  readonly receivers: readonly string[];
  readonly notes: readonly { readonly message: string }[];
  /** An agent that was registered, which next needs a token; null: none was. */
  readonly agent: string | null;
  /** Tasks that were added. */
  readonly tasks: readonly AddedTask[];
}

/** A task that the hub has by a form, with its title where the hub says it. */
interface AddedTask {
  readonly task: string;
  readonly title?: string;
}

interface Accepted {
  readonly receipt: Receipt;
  readonly receivers?: readonly string[];
  readonly notes?: Sent["notes"];
  readonly token?: string | null;
  /** Of a link to read. */
  readonly secret?: string | null;
  readonly task?: string;
  readonly tasks?: readonly AddedTask[];
}

const toField = formField("to", "lines", "Agents, or all of a role.", true);
const proseField = formField(
  "message",
  "text",
  "Read as it is written; nothing follows from prose but that it is read.",
  true,
);

export class Compose {
  readonly forms: readonly ComposeForm[];
  drafts = $state.raw<Drafts>({});
  fieldProblems = $state.raw<readonly FieldProblem[]>([]);
  /** Problems that belong to no field. */
  problems = $state.raw<readonly Problem[]>([]);
  sent = $state.raw<Sent | null>(null);
  /** New tokens, or links to read, which the hub shows once: they stay until they are hidden, or the form is left. */
  secrets = $state.raw<readonly string[]>([]);
  busy = $state(false);

  readonly #team: string;
  readonly #kept: string;
  /** The last request and its id: a repeat of one has its effect once. */
  #tried: { readonly text: string; readonly id: string } | null = null;

  constructor(team: string) {
    this.#team = team;
    this.#kept = `baton-drafts:${team}`;
    this.drafts = keptDrafts(this.#kept);
    this.forms = [this.#prose(), ...actForms(team)];
  }

  write(key: string, name: string, draft: string): void {
    this.drafts = { ...this.drafts, [key]: { ...this.drafts[key], [name]: draft } };
    keepDrafts(this.#kept, this.drafts);
  }

  /** Forgets what was said about another form, and tokens that were shown. */
  begin(): void {
    this.#forget();
    this.secrets = [];
  }

  #forget(): void {
    this.fieldProblems = [];
    this.problems = [];
    this.sent = null;
  }

  /** Sends the form; whether it was recorded. Nothing is sent while a needed field is empty. */
  async send(form: ComposeForm): Promise<boolean> {
    if (this.busy) return false;
    this.#forget();
    const drafts = this.drafts[form.key] ?? {};
    const { values, problems } = valuesOf(form.fields, drafts);
    // An empty list is a value for the hub, but prose to nobody is nothing.
    const isToNobody = form.key === "prose" && (values.to as readonly Json[] | undefined)?.length === 0;
    this.fieldProblems = isToNobody ? [{ path: "$.to", says: "Name who should read it." }, ...problems] : problems;
    if (this.fieldProblems.length > 0) return false;
    const { path, body } = form.request(values);
    const text = JSON.stringify([path, body]);
    if (this.#tried?.text !== text) this.#tried = { text, id: newActId() };
    this.busy = true;
    const reply = await ask<Accepted>(path, { method: "POST", body: { ...body, id: this.#tried.id } });
    this.busy = false;
    if (!reply.ok) {
      this.#refused(reply.error.problems, values);
      return false;
    }
    const { receipt, receivers = [], notes = [], token = null, secret = null, task, tasks } = reply.value;
    const added =
      tasks ??
      (task === undefined ? [] : [{ task, ...(typeof values.title === "string" ? { title: values.title } : {}) }]);
    const agent = form.key === "agent" && typeof values.agent === "string" ? values.agent : null;
    // In the fragment, which no server and no log sees.
    const link = secret === null ? null : `${location.origin}/t/${encodeURIComponent(this.#team)}/#share=${secret}`;
    this.sent = { seq: receipt.seq, receivers, notes, agent, tasks: added };
    this.secrets = [...this.secrets, ...[token ?? link ?? []].flat()];
    this.#tried = null;
    const { [form.key]: _, ...others } = this.drafts;
    this.drafts = others;
    keepDrafts(this.#kept, others);
    return true;
  }

  #refused(problems: readonly Problem[], values: Readonly<Record<string, Json>>): void {
    const placed = problems.map((problem) => ({ problem, path: fieldOfProblem(problem, values) }));
    this.fieldProblems = placed.flatMap(({ problem: { message, hint }, path }) =>
      path === null ? [] : [{ path, says: hint === undefined ? message : `${message} ${hint}` }],
    );
    this.problems = placed.flatMap(({ problem, path }) => (path === null ? problem : []));
  }

  #prose(): ComposeForm {
    const path = teamPath(this.#team, "messages");
    return {
      key: "prose",
      title: "Write to agents",
      summary: "Words to agents, delivered until each has read them.",
      fields: [toField, proseField],
      request: ({ message, to }) => ({ path, body: { message: message ?? "", to: to ?? [] } }),
    };
  }
}

type Drafts = Readonly<Record<string, Readonly<Record<string, string>>>>;

function keptDrafts(key: string): Drafts {
  try {
    const read = parseBounded(sessionStorage.getItem(key) ?? "{}");
    // What this page wrote; of anything else the fields take what they can show.
    return read.ok && isJsonObject(read.value) && Object.values(read.value).every(isJsonObject)
      ? (read.value as unknown as Drafts)
      : {};
  } catch {
    // Storage may be forbidden; then drafts last as long as the page.
    return {};
  }
}

function keepDrafts(key: string, drafts: Drafts): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(drafts));
  } catch {
    // As above: a browser that keeps nothing has the drafts until the page is left.
  }
}
