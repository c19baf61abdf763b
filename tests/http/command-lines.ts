/** What the command takes, a line for each command, word and option, as their declarations say it. */

/** A command of a catalogue, as far as it says what it takes. */
interface Entry {
  readonly name: string;
  load(): Promise<{
    readonly command: {
      readonly options?: readonly {
        readonly name: string;
        readonly kind: string;
        readonly required?: true;
        readonly repeatable?: true;
        readonly choices?: readonly string[];
      }[];
      readonly positionals?: readonly {
        readonly name: string;
        readonly required?: true;
        readonly repeatable?: true;
        readonly choices?: readonly string[];
      }[];
    };
  }>;
}

/** The lines of a catalogue, sorted, without words for people. */
export async function commandLines(catalogue: readonly Entry[]): Promise<readonly string[]> {
  const lines = catalogue.map(async ({ name, load }) => {
    const { options = [], positionals = [] } = (await load()).command;
    return [
      name,
      ...positionals.map((each) => `${name} ${each.name}${marksOf(each)}`),
      ...options.map((each) => `${name} --${each.name} ${each.kind}${marksOf(each)}`),
    ];
  });
  return (await Promise.all(lines)).flat().toSorted();
}

function marksOf({
  required,
  repeatable,
  choices,
}: {
  required?: true;
  repeatable?: true;
  choices?: readonly string[];
}) {
  const marks = [
    required === true ? "required" : "",
    repeatable === true ? "repeatable" : "",
    choices?.join("|") ?? "",
  ];
  return marks.map((mark) => (mark === "" ? "" : ` ${mark}`)).join("");
}
