/**
 * The command called in this process instead of started as a process: the same catalogue, words, surroundings and
 * answers, without the tenth of a second that a process takes to start. For tests that ask very many questions; what a
 * process adds (its streams, signals and exit code) is tried with `command.ts`.
 */
import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { outputFor, runLine } from "../../src/doors/cli/kernel/run.ts";
import { connectHub } from "../../src/doors/http/client/client.ts";
import { catalogue } from "../../src/main/catalogue.ts";
import { readConfig, type Surroundings } from "../../src/perform/workspace/config.ts";
import { environment, type Finished } from "./command.ts";

/** How a call ended, with all that it said in its order, as one sees it at a terminal. */
export interface Called extends Finished {
  readonly said: string;
}

/**
 * Calls `baton` with these words in `directory`; `signal` stops it as Ctrl-C does; `stdout`: its terminal. One call at a
 * time: directory and standard input are the process's.
 */
export async function called(
  directory: string,
  words: readonly string[],
  input: string | Uint8Array = "",
  variables: Readonly<Record<string, string>> = {},
  signal: AbortSignal = new AbortController().signal,
  stdout: Surroundings["stdout"] = {},
): Promise<Called> {
  using _ = workingIn(directory, input);
  const config = readConfig({
    env: environment(variables),
    stdin: {},
    stdout,
    stderr: {},
    cwd: () => directory,
  });
  const said = { stdout: "", stderr: "", both: "" };
  const tell = (stream: "stdout" | "stderr") => (text: string) => {
    said[stream] += text;
    said.both += text;
  };
  const output = outputFor(words, config, {
    stdout: tell("stdout"),
    stderr: tell("stderr"),
    written: async () => null,
  });
  const stop = { signal, request: () => undefined, interrupted: () => false };
  const code = await runLine({ catalogue, connectHub, line: words, stop, config, output });
  return { code, stdout: said.stdout, stderr: said.stderr, said: said.both };
}

/** As `called`, and the exit code must be the given one. */
export async function calledWithCode(
  code: number,
  directory: string,
  words: readonly string[],
  input: string | Uint8Array = "",
): Promise<Finished> {
  const done = await called(directory, words, input);
  assert.equal(done.code, code, `baton ${words.join(" ")}\n${done.stdout}\n${done.stderr}`);
  return done;
}

/** Puts this process into `directory` with `input` on its standard input; disposed, it is where it was. */
function workingIn(directory: string, input: string | Uint8Array): Disposable {
  const before = { directory: process.cwd(), input: Object.getOwnPropertyDescriptor(process, "stdin") };
  assert.ok(before.input !== undefined);
  process.chdir(directory);
  Object.defineProperty(process, "stdin", { value: Readable.from([Buffer.from(input)]), configurable: true });
  return {
    [Symbol.dispose]() {
      process.chdir(before.directory);
      Object.defineProperty(process, "stdin", before.input ?? {});
    },
  };
}
