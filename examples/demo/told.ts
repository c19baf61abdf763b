/** What a person reads of the demo: a sentence for each step, and below the first of a kind what that shows. */
import { visible, visibleLines } from "../../src/base/text.ts";
import type { Output, Paint } from "../../src/doors/cli/terminal/output.ts";
import type { Step } from "./agent.ts";
import { agents } from "./story.ts";

export type Telling = ReturnType<typeof tellOn>;

const nameWidth = Math.max(...agents.map((agent) => agent.length)) + 2;

/** Tells the demo on `output`. */
export function tellOn(output: Output) {
  const paint = output.paint.stdout;
  const shown = new Set<Step["step"] | "lie">();
  const indented = (text: string) => text.replaceAll("\n", `\n${" ".repeat(nameWidth)}`);
  const line = (who: string, text: string) => `${paint.strong(who.padEnd(nameWidth))}${indented(text)}`;
  const aside = (words: string) => {
    output.result({ event: "explained", words }, () => `${" ".repeat(nameWidth)}${paint.faint(indented(words))}`);
  };
  return {
    step: (step: Step) => {
      const { step: event, ...rest } = step;
      output.result({ event, ...rest }, () => line(step.agent, sentence(step, paint)));
      const kind = step.step === "reported" && step.isLie ? "lie" : step.step;
      const words = shown.has(kind) ? undefined : lessons[kind];
      shown.add(kind);
      if (words !== undefined) aside(words);
    },
    person: (words: string) => output.result({ event: "person", words }, () => line("you", words)),
    aside,
    chapter: (title: string) => output.result({ event: "chapter", title }, () => `\n${paint.strong(title)}\n`),
  };
}

/** What the first step of a kind shows. */
const lessons: { readonly [kind in Step["step"] | "lie"]?: string } = {
  claimed: "A claim without a task takes the next, and says what is to be done. It brings the agent's tree up to date.",
  "edit-denied":
    "The first edit holds a file. The agent's program asks Baton before each edit, so nothing was written.",
  lie: "The commit exists, but another made it, and nothing of the task is done. Baton believes no report: it looks in git.",
  landed:
    "Verified work is merged, the check runs on exactly that commit, then baton/main moves. Your files stay as they are.",
  stuck: "Its task stays its own, and its tree keeps what it wrote.",
};

/** The step in words, with what is good or bad about it painted. */
function sentence(step: Step, paint: Paint): string {
  switch (step.step) {
    case "sent":
      return `to ${listed(step.to)} (entry ${step.entry}): ${visible(step.words)}`;
    case "claimed":
      return `takes ${step.task}: ${visible(step.title)}`;
    case "edit-denied":
      return `wants to edit ${visible(step.path)}: ${paint.bad("denied")}. ${reasonIn(step.reason)}`;
    case "committed":
      return `writes ${listed(step.files)}, and commits ${step.commit.slice(0, 7)} "${visible(step.title)}"`;
    case "reported":
      return `reports ${step.task} as done with commit ${step.commit.slice(0, 7)}${step.isLie ? `. ${paint.bad("This is a lie.")}` : ""}`;
    case "read":
      return `reads: ${step.sender === "baton" ? noticeIn(step.words, paint) : visible(step.words)}`;
    case "landed":
      return `sees ${step.task} on baton/main: ${paint.good("landed")}`;
    case "stuck":
      return `has written ${listed(step.files)}, and ${paint.bad("hangs")}`;
    case "left":
      return "stops, as it was asked";
    case "failed":
      return `${paint.bad("failed")}: ${visible(step.words)}`;
  }
}

function listed(names: readonly string[]): string {
  return names.map(visible).join(" and ");
}

/** Of a denial that comes after a path, who holds the file. */
function reasonIn(reason: string): string {
  const [words = reason] = reason.slice(reason.indexOf(": ") + 2).split(" since ");
  return `${visible(words)}.`;
}

/** Of Baton's word on a report: what is wrong, and of a disputed one the first thing that git shows against it. */
function noticeIn(notice: string, paint: Paint): string {
  const [head = "", ...lines] = visibleLines(notice).split("\n");
  const [, , words] = lines.find((line) => line.startsWith("Found: "))?.split(": ") ?? [];
  const said = head.replace(/disputed|did not land/, (word) => paint.bad(word));
  return words === undefined ? said : `${said}\nFound in git: ${words.split(". ")[0]}.`;
}
