/** Reading one message, with every limit and note, against the least that anyone must do: JSON.parse and a validator. */
import { dialects } from "../src/dialects/registry.ts";
import { validators } from "../src/dialects/vbw-2/generated/validators.js";
import { read } from "../src/intake/read.ts";
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
    const validate = validators.execution_update;
    if (validate === undefined) throw new Error("the dialect has no validator for execution_update");
    return {
      yardstick: () =>
        timed(perRound, () => {
          for (const text of texts) if (!validate(JSON.parse(text))) throw new Error("the validator refuses");
        }),
      subject: () =>
        timed(perRound, () => {
          for (const text of texts)
            if (read(text, { dialects }).outcome !== "accepted") throw new Error("not accepted");
        }),
    };
  },
};
