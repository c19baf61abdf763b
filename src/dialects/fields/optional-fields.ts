/** Which of a definition's fields a message may lack, at every depth. */
import type { PathStep } from "../../base/json-path.ts";
import type { ValueForm } from "../../schema/value-form.ts";
import type { FieldFacts } from "../dialect.ts";

/** Whether the field that `steps` lead to, from where `fields` stand, may be missing; a field that is none may not. */
export function isOptional(fields: readonly FieldFacts[], steps: readonly PathStep[]): boolean {
  const [first, ...deeper] = steps;
  const field = fields.find(({ name }) => name === first);
  if (field === undefined) return false;
  return deeper.length === 0 ? !field.required : isOptionalIn(field.value, deeper);
}

function isOptionalIn(form: ValueForm | undefined, steps: readonly PathStep[]): boolean {
  const [first = "", ...deeper] = steps;
  if (form?.is === "list") return deeper.length > 0 && isOptionalIn(form.entry, deeper);
  const name = String(first);
  const held = form?.fields !== undefined && Object.hasOwn(form.fields, name) ? form.fields[name] : undefined;
  if (held === undefined) return false;
  return deeper.length === 0 ? form?.required?.includes(name) !== true : isOptionalIn(held, deeper);
}
