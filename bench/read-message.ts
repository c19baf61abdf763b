/** Reading one message, with every limit and note, against the least that anyone must do: JSON.parse and a validator. */
import * as yaml from "yaml";
import { yamlParser } from "../src/base/text-formats/yaml.ts";
import type { Dialect } from "../src/dialects/dialect.ts";
import { dialects } from "../src/dialects/registry.ts";
import { validators } from "../src/dialects/vbw-2/generated/validators.js";
import { readWith } from "../src/intake/read.ts";
import { type Measure, timed } from "./measure.ts";
import { updateText } from "./messages.ts";

const perRound = 5_000;

/** The whole reading, from text to fact. */
export const readOne: Measure = {
  name: "Reading one message",
  subject: "text to reading, all limits checked",
  yardstick: "JSON.parse and the message's validator",
  target: { of: "time", atMost: 3 },
  rounds: 25,
  open: async () => {
    const texts = Array.from({ length: perRound }, updateText);
    const validate = validators().execution_update;
    if (validate === undefined) throw new Error("the dialect has no validator for execution_update");
    return {
      yardstick: () =>
        timed(perRound, () => {
          for (const text of texts) if (!validate(JSON.parse(text))) throw new Error("the validator refuses");
        }),
      subject: () =>
        timed(perRound, () => {
          for (const text of texts)
            if (readWith(yamlParser(yaml), text, { dialects }).outcome !== "accepted") throw new Error("not accepted");
        }),
    };
  },
};

/** So many that the worst of sixty medians is the costliest type, and not the one that was disturbed most. */
const turnsEach = 121;

/** Of all definitions the one whose reading costs most against its own parse and check: each is measured by itself. */
export const readWorst: Measure = {
  name: "Reading the costliest type",
  subject: "the example of each definition, text to reading; the worst of them all",
  yardstick: "JSON.parse and that message's validator",
  target: { of: "time", atMost: 3 },
  rounds: turnsEach,
  open: async () => {
    const examples = (await Promise.all(dialects.map(examplesOf))).flat();
    // All of them warm, and by turns: a type alone would be quicker than it is among others.
    for (let turn = 0; turn < 10; turn++) for (const example of examples) takeTurn(example);
    const turns = examples.map((): Turn[] => []);
    for (let turn = 0; turn < turnsEach; turn++) {
      for (const [index, example] of examples.entries()) turns[index]?.push(takeTurn(example));
    }
    const ratios = turns.map(
      (own) => medianOf(own.map((turn) => turn.subject)) / medianOf(own.map((turn) => turn.least)),
    );
    const worst = turns[ratios.indexOf(Math.max(...ratios))] ?? [];
    const [subjects, yardsticks] = [worst.values(), worst.values()];
    return {
      subject: () => subjects.next().value?.subject ?? medianOf(worst.map((turn) => turn.subject)),
      yardstick: () => yardsticks.next().value?.least ?? medianOf(worst.map((turn) => turn.least)),
    };
  },
};

/** Milliseconds for one message: the whole reading, and the least that anyone must do. */
interface Turn {
  readonly subject: number;
  readonly least: number;
}

type Example = Awaited<ReturnType<typeof examplesOf>>[number];

function takeTurn({ text, validate, options }: Example): Turn {
  const start = performance.now();
  for (let time = 0; time < 200; time++) if (!validate(JSON.parse(text))) throw new Error("the validator refuses");
  const middle = performance.now();
  for (let time = 0; time < 200; time++) {
    if (readWith(yamlParser(yaml), text, options).outcome !== "accepted") throw new Error("not accepted");
  }
  return { least: (middle - start) / 200, subject: (performance.now() - middle) / 200 };
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function examplesOf(dialect: Dialect) {
  const folder = `../src/dialects/${dialect.id.replace("/", "-")}/generated/validators.js`;
  const own = ((await import(folder)) as { readonly validators: typeof validators }).validators();
  return [...dialect.definitions.values()].map(({ type, example }) => {
    const validate = own[type];
    if (validate === undefined) throw new Error(`${dialect.id} has no validator for ${type}`);
    return { text: JSON.stringify(example), validate, options: { dialects: [dialect], senderKnown: true } };
  });
}
