/**
 * The options of a journal's address, behind its question mark. One that nobody reads is refused: with `sslmod=verify-full`
 * or `tsl=on` a person asks for TLS and would get none. So is a file that is named by a part of its path.
 */
import { makeProblem, type Problem } from "../base/problem.ts";
import { nearest, shorten } from "../base/text.ts";

/** The options that an engine reads. `file`: a whole path; null: any value, and what is refused of it is said elsewhere. */
export type KnownOptions = Readonly<Record<string, readonly string[] | "file" | null>>;

const wholePath = /^(?:\/|[A-Za-z]:[\\/])/;

/**
 * `wrong-usage` for the first option that is not known, or has a value that is not; null: there is none. Shows no value of
 * an unknown one.
 */
export function wrongOption(options: URLSearchParams, known: KnownOptions): Problem | null {
  for (const [name, value] of options) {
    if (!Object.hasOwn(known, name)) {
      const meant = nearest(name, Object.keys(known));
      const hint = meant === null ? "leave it out" : `did you mean "${meant}"?`;
      return makeProblem("wrong-usage", "journal", "The address of a journal has no such option.", {
        received: shorten(name, 40),
        expected: Object.keys(known).join(", "),
        hint,
      });
    }
    const values = known[name] ?? null;
    if (values === "file") {
      if (wholePath.test(value)) continue;
      // A part of a path would name another file in each folder from which a command is called.
      return makeProblem("wrong-usage", "journal", `The option ${name} does not name a file by its whole path.`, {
        received: shorten(value, 80),
        expected: `${name}=/FOLDER/FILE`,
        hint: "The address is used from every folder. `baton journal place URL` keeps the corrected one for the project.",
      });
    }
    if (values === null || values.includes(value)) continue;
    return makeProblem("wrong-usage", "journal", `This is no value of the option ${name}.`, {
      received: shorten(value, 40),
      expected: values.map((each) => `${name}=${each}`).join(" | "),
    });
  }
  return null;
}
