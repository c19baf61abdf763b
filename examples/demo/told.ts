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
  sent: "Every message is checked, written to disk and delivered until its reader acknowledges it.",
  claimed: "A claim covers the task's files. Nobody else may edit them until the task is reported or released.",
  "edit-denied": "The agent's program asks Baton before each edit, so nothing was written.",
  lie: "The commit exists, but another made it, and nothing of the task is done. Baton believes no report: it looks in git.",
  verdict:
    "Verified: the commit is in git and changes the files that were reported, which the plan and the claim allow.",
};

/** The step in words, with what is good or bad about it painted. */
function sentence(step: Step, paint: Paint): string {
  switch (step.step) {
    case "sent":
      return `to ${listed(step.to)} (entry ${step.entry}): ${visible(step.words)}`;
    case "claimed":
      return `claims ${step.task}: ${paint.good("granted")}, it holds ${listed(step.files)}`;
    case "edit-denied":
      return `wants to edit ${visible(step.path)}: ${paint.bad("denied")}. ${reasonIn(step.reason)}`;
    case "committed":
      return `writes ${listed(step.files)}, and commits ${step.commit.slice(0, 7)} "${visible(step.title)}"`;
    case "reported":
      return `reports ${step.task} as done with commit ${step.commit.slice(0, 7)}${step.isLie ? `. ${paint.bad("This is a lie.")}` : ""}`;
    case "read":
      return `reads: ${step.sender === "baton" ? disputeIn(step.words, paint) : visible(step.words)}`;
    case "verdict":
      // Complete: its plan is, of which all tasks are verified.
      return `sees on the board: the report of ${step.task} is ${/^(verified|complete)$/.test(step.state) ? paint.good("verified") : paint.bad(visible(step.state))}`;
    case "left":
      return "has nothing left to do, and ends";
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

/** Of Baton's word on a report: that it is disputed, and the first thing that git shows against it. */
function disputeIn(verdict: string, paint: Paint): string {
  const [head = "", ...lines] = visibleLines(verdict).split("\n");
  const [, , words = ""] = lines.find((line) => line.startsWith("Found: "))?.split(": ") ?? [];
  const [found] = words.split(". ");
  return `${head.replace("disputed", () => paint.bad("disputed"))}\nFound in git: ${found}.`;
}
