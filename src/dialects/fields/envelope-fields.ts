/** The fields of the typed envelope as they are for one type: a table keeps them once for all types of its dialect. */
import type { TableDefinition } from "../definition.ts";
import type { FieldFacts } from "../dialect.ts";

/** `envelope` with the type of `definition`, and with a task that is named where it must be. */
export function envelopeFor(
  { type, taskMayBeEmpty }: Pick<TableDefinition, "type" | "taskMayBeEmpty">,
  envelope: readonly FieldFacts[],
): readonly FieldFacts[] {
  return envelope.map((field) => {
    if (field.name === "type") {
      return {
        ...field,
        summary: "The message's type.",
        form: JSON.stringify(type),
        value: { is: "text", words: [type] },
      };
    }
    if (field.name !== "task" || taskMayBeEmpty) return field;
    return {
      ...field,
      summary: "The task the message belongs to.",
      form: "text, not empty",
      value: { ...field.value, lengthMin: 1 },
    };
  });
}
