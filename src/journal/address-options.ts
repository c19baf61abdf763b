/**
 * The options of a journal's address, behind its question mark. One that nobody reads is refused: with `sslmod=verify-full`
 * or `tsl=on` a person asks for TLS and would get none.
 */
import { type Problem, problem } from "../base/problem.ts";
import { nearest, shorten } from "../base/text.ts";

/** The options that an engine reads. Null: any value; what is refused of the others is said elsewhere. */
export type KnownOptions = Readonly<Record<string, readonly string[] | null>>;

/**
 * `wrong-usage` for the first option that is not known, or has a value that is not; null: there is none. Shows no value of
 * an unknown one.
 */
export function wrongOption(options: URLSearchParams, known: KnownOptions): Problem | null {
  for (const [name, value] of options) {
    if (!Object.hasOwn(known, name)) {
      const meant = nearest(name, Object.keys(known));
      const hint = meant === null ? "leave it out" : `did you mean "${meant}"?`;
      return problem("wrong-usage", "journal", "The address of a journal has no such option.", {
        received: shorten(name, 40),
        expected: Object.keys(known).join(", "),
        hint,
      });
    }
    const values = known[name] ?? null;
    if (values === null || values.includes(value)) continue;
    return problem("wrong-usage", "journal", `This is no value of the option ${name}.`, {
      received: shorten(value, 40),
      expected: values.map((each) => `${name}=${each}`).join(" | "),
    });
  }
  return null;
}
