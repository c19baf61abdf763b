/** How an error is planted into the core, and taken out again. */
import type { Decider } from "../../src/perform/decider.ts";
import type { SimulationOptions } from "./simulator.ts";

/** What a run is made with, and how the error is taken out again. */
export interface Planted extends Pick<SimulationOptions, "journal" | "context"> {
  remove?(): void;
}

export interface Plant {
  /** What the core does wrong. */
  readonly problem: string;
  /** Puts it in. */
  plant(): Planted;
}

/** Puts `made` in the place of the decider's `decide`; the original comes with it. */
export function decides<State, Command, Event>(
  decider: Decider<State, Command, Event>,
  make: (original: Decider<State, Command, Event>["decide"]) => Decider<State, Command, Event>["decide"],
): () => Planted {
  return () => {
    const { decide } = decider;
    decider.decide = make(decide);
    return {
      remove: () => {
        decider.decide = decide;
      },
    };
  };
}

/** The same for `evolve`. */
export function evolves<State, Command, Event>(
  decider: Decider<State, Command, Event>,
  make: (original: Decider<State, Command, Event>["evolve"]) => Decider<State, Command, Event>["evolve"],
): () => Planted {
  return () => {
    const { evolve } = decider;
    decider.evolve = make(evolve);
    return {
      remove: () => {
        decider.evolve = evolve;
      },
    };
  };
}

/** The same for one function of a table. */
export function replaces<Table extends object, Name extends keyof Table>(
  table: Table,
  name: Name,
  make: (original: Table[Name]) => Table[Name],
): () => Planted {
  return () => {
    const { [name]: original } = table;
    table[name] = make(original);
    return {
      remove: () => {
        table[name] = original;
      },
    };
  };
}

/** The same for an operation, as it is done by command: what it decides, with the state and the input it sees. */
export function performs<Acts extends { decide: unknown }>(
  operation: Acts,
  make: (original: Acts["decide"]) => Acts["decide"],
): () => Planted {
  return replaces(operation, "decide", make);
}

/** A map with each value changed. */
export function changed<Value>(
  values: ReadonlyMap<string, Value>,
  change: (value: Value) => Value,
): Map<string, Value> {
  return new Map([...values].map(([key, value]) => [key, change(value)]));
}
