/**
 * Rules between fields of one message, which JSON Schema cannot say. Definitions name them, the reference pages quote
 * their words, the reader runs them. A rule looks only at fields that have the right type: a wrong one is reported by
 * the validator already. Source: docs/protocol/messages.md, sections 5 and 6.
 */
import { countRules } from "./count-rules.ts";
import { workRules } from "./report-rules.ts";
import type { Rule } from "./rule.ts";

/** Every rule by name. */
export const rules = { ...countRules, ...workRules } as const satisfies { readonly [name: string]: Rule };

export type RuleName = keyof typeof rules;
