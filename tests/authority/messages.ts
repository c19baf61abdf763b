/**
 * Messages that are as true as their form allows: each type's example of the corpus, saying of its sender what is so.
 * Where the form has no word for a sender, it says another's, as a liar would have to.
 */
import { isJsonObject, type JsonObject } from "../../src/base/json.ts";
import type { DialectId } from "../../src/messages/message.ts";
import { acceptedExamples } from "../corpus/messages.ts";
import { receiverName, senderName } from "./people.ts";
import { levelAbove, levelOf, type Person } from "./table.ts";

const examples = new Map<DialectId, ReadonlyMap<string, JsonObject>>();

function exampleOf(dialect: DialectId, type: string): JsonObject {
  const known = examples.get(dialect) ?? new Map(acceptedExamples(dialect).map(({ name, message }) => [name, message]));
  examples.set(dialect, known);
  const example = known.get(`${type}.json`);
  if (example === undefined) throw new Error(`the corpus has no ${dialect} ${type}`);
  return example;
}

/** What fields say of a sender, where a message has them. */
function truths(sender: Person): JsonObject {
  const { role, place } = sender;
  const above = levelAbove(sender);
  const works = ["backend", "frontend", "uiux"].includes(place);
  return {
    author_role: role,
    agent_id: senderName(sender),
    from: above === null ? "lead" : levelOf(sender),
    to: above ?? "architect",
    resolved_by: ["user", "owner", "architect", "lead"].includes(role) ? role : "lead",
    department: works ? place : "uiux",
    direction: place === "backend" ? "backend_to_frontend" : "frontend_to_backend",
  };
}

/** The message of a type that somebody sends; `id` is its own name, where it has one. */
export function messageOf(dialect: DialectId, type: string, sender: Person, id: string): JsonObject {
  const example = exampleOf(dialect, type);
  const known = truths(sender);
  const changed = Object.keys(example).filter((field) => Object.hasOwn(known, field) && !isFixed(type, field));
  const message = {
    ...example,
    ...Object.fromEntries(changed.map((field) => [field, known[field] ?? null])),
    ...(Object.hasOwn(example, "id") ? { id } : {}),
    // Who repeats a resolution word for word may pass it on in another's name.
    ...(Object.hasOwn(example, "decision") && Object.hasOwn(example, "rationale") ? { rationale: id } : {}),
  };
  return isJsonObject(example.handoff) ? { handoff: namedHandoff(example.handoff, sender, id) } : message;
}

/** A design comes from one department, for every sender; its form has no other word. */
function isFixed(type: string, field: string): boolean {
  return type === "design_handoff" && field === "department";
}

function namedHandoff(handoff: JsonObject, sender: Person, id: string): JsonObject {
  const target = receiverName({ role: "dev", place: "none" });
  const metadata = isJsonObject(handoff.metadata) ? handoff.metadata : {};
  return { ...handoff, metadata: { ...metadata, id, source_agent: senderName(sender), target_agent: target } };
}
