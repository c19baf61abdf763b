/**
 * How an operation is defined: once, with its name, its input, its answer, and what each door calls it. The HTTP and MCP
 * servers read the definitions; the command, the client, the log and the page read tables that `npm run generate` makes
 * of them. Rules: docs/protocol/doors.md, sections 13 and 14.
 */
import { z } from "zod";

/** What a credential alone decides; rules about roles are in the deciders. */
export type Access = "open" | "caller" | "owner";

/** Answers of the hub that the page keeps, besides the status, which every entry changes (`state/refetching.ts` there). */
export type PageAnswer = "approvals" | "tasks" | "escalations" | "shutdowns" | "handoffs";

/** One argument on the command line. */
export interface CliArgument {
  /** `TASK`: a word in its place; `--plan PLAN`: an option; `--all`: one without a value. The order is that of help. */
  readonly as: string;
  /** What help says of it; absent: the input's own words. */
  readonly says?: string;
  /** A word may hold several values with commas between. */
  readonly commas?: true;
  /** The input's words are no choices here: a wrong one is refused by the operation, which knows why. */
  readonly anyWord?: true;
  /** What is asked for where the option is left out. */
  readonly fallback?: string;
  /** The argument that a word is instead which is no number and no task's id as documents write it, where that lacks. */
  readonly orElse?: string;
}

export interface CliExample {
  readonly line: string;
  readonly meaning: string;
}

/**
 * A command that does the operation. Its text for people is in `doors/cli/kernel/presented.ts` where `said` is not
 * enough.
 */
export interface CliCommand<Name extends string = string> {
  /** As typed, such as `task claim`. */
  readonly words: string;
  /** The group that help shows it in, and its line there. */
  readonly group: string;
  readonly summary: string;
  readonly description: string;
  readonly arguments: { readonly [Argument in Name]?: CliArgument };
  /** Arguments that the command itself decides, such as the yes of `approve`. */
  readonly sets?: { readonly [Argument in Name]?: boolean | string };
  /** It is for a person: an agent's shell may not run it, with any `--as`. */
  readonly isOwners?: true;
  /** Exactly one of these is given. */
  readonly oneOf?: { readonly names: readonly Name[]; readonly message: string; readonly hint: string };
  readonly examples: readonly CliExample[];
  readonly next: string;
  /**
   * What is printed once it is recorded, a template (`base/text.ts`) over the input and `seq`; of a claim its verb.
   * `unchanged`: where it was so before; `changed`: where something that was there is otherwise now.
   */
  readonly said?: string;
  readonly unchanged?: string;
  readonly changed?: string;
}

/** The command of another operation shows this one in place of that. */
export interface CliOption<Name extends string = string> {
  /** The command, such as `needs`. */
  readonly of: string;
  /** `--requests`; absent: where the command is given no word. */
  readonly as?: string;
  readonly says: string;
  readonly sets?: { readonly [Argument in Name]?: boolean | string };
}

/** One argument of a tool. */
export interface ToolArgument {
  /** What the tool calls it; absent: as the input does. */
  readonly as?: string;
  /** What the tool says of it. Several actions may take one argument; what they say is joined. */
  readonly says?: string;
  /** The tool takes one value where the input takes a list, with commas between where `commas` says so. */
  readonly single?: true;
  readonly commas?: true;
  /** What the tool takes where it is left out. */
  readonly fallback?: string;
}

/** An action of an MCP tool. */
export interface ToolAction<Name extends string = string> {
  readonly tool: string;
  readonly action: string;
  readonly arguments: { readonly [Argument in Name]?: ToolArgument };
  /** Hints that name the command are for a person, so they do not become this action. */
  readonly isNoHint?: true;
}

/** How an operation that changes something is recorded. */
export interface Recorded {
  /** The operation's name in its entry. It never changes. */
  readonly act: string;
  /**
   * Its line in the log, after the name of the agent: a template (`base/text.ts`) over what is recorded. Absent:
   * `perform/act-line.ts` has the sentence.
   */
  readonly line?: string;
  /** What the page asks for again after it; absent: it may change everything. */
  readonly touches?: readonly PageAnswer[];
  /** An agent reports work by it, as a message of progress does: the timeline shows it although nobody was notified. */
  readonly isReport?: true;
}

export type AnswerDefinition = ReplyAnswer | StreamAnswer | ShownAnswer<unknown>;

/** A receipt or a refusal (`reply.ts`). */
export interface ReplyAnswer {
  readonly kind: "reply";
  readonly says?: string;
  /** What it means that the operation comes again. */
  readonly repeated?: string;
  /** What is there besides the receipt where it was accepted. */
  readonly more?: z.ZodObject;
  /** It claims something: a refusal also says what denies it. */
  readonly denies?: true;
}

/** A stream, or a file. `item`: what a client checks of each of its parts; `shape`: what the document says of them. */
export interface StreamAnswer {
  readonly kind: "stream";
  readonly says: string;
  readonly mediaType: string;
  readonly shape?: z.ZodType;
  readonly item?: z.ZodType;
}

/** Something that is shown: under `field` in its object, or (null) the object itself. */
export interface ShownAnswer<Value> {
  readonly kind: "shown";
  readonly field: string | null;
  readonly says: string;
  readonly shape: z.ZodType;
  /** Only a type: what the runtime returns. */
  readonly value?: Value;
}

/** Where an operation is found over HTTP. */
export interface HttpRoute {
  readonly method: "get" | "post" | "delete";
  /** Under the team's path. `{agent}` that is no argument is the calling agent: nobody else's is answered for. */
  readonly path: string;
  /** Its answer is drawn in one piece and written in another. */
  readonly isLarge?: true;
  /** Hubs have it that do not list it among the operations that they know. */
  readonly isInEveryHub?: true;
}

/** An operation as it is defined. */
export interface OperationDefinition<Input extends z.ZodObject = z.ZodObject, Answer = AnswerDefinition> {
  /** Its name in the OpenAPI document, and of its definition. It never changes. */
  readonly name: string;
  /** It is about the hub or its whole journal: its path is not under a team's, and `Team` has no method for it. */
  readonly on?: "hub";
  /** The method of `Team` that does it. */
  readonly call: string;
  /**
   * Why each door has separate code for it, such as that it waits: its method of `Team` is then written by hand. Route,
   * document, input and the form of the answer are made of the definition all the same.
   */
  readonly byHand?: string;
  readonly access: Access;
  /** It makes or widens access: the owner's session in a page must have begun lately. */
  readonly grants?: true;
  /** Whom the owner has invited may do it, in the owner's place and under their own name. */
  readonly invited?: true;
  readonly says: string;
  readonly input: Input;
  readonly answer: Answer;
  readonly http: HttpRoute;
  /** The commands that the format makes. */
  readonly cli?: readonly CliCommand<NamesOf<Input>>[];
  readonly cliOption?: CliOption<NamesOf<Input>>;
  /** Commands written by hand that do the operation: a hint that names one becomes the route at other doors. */
  readonly handWritten?: readonly string[];
  readonly mcp?: ToolAction<NamesOf<Input>>;
  readonly record?: Recorded;
}

type NamesOf<Input extends z.ZodObject> = keyof z.infer<Input> & string;

/** A definition, whose arguments the compiler compares with its input. */
export function operation<const Input extends z.ZodObject, const Answer extends AnswerDefinition>(
  definition: OperationDefinition<Input, Answer>,
): OperationDefinition<Input, Answer> {
  return definition;
}

/** An answer that shows a `Value`, checked against its shape by `shapeOf`. */
export function shown<Value>(field: string | null, says: string, shape: z.ZodType): ShownAnswer<Value> {
  return { kind: "shown", field, says, shape };
}

/** The operation's whole path, from the hub's root. */
export function wholePathOf({ on, http }: Pick<OperationDefinition, "on" | "http">): string {
  return on === "hub" ? http.path : `/api/teams/{team}${http.path}`;
}

/** The fields of the input that are not in the path: those of the query of a look, or of the body of a change. */
export function fieldsBesidePath({ input, http }: Pick<OperationDefinition, "input" | "http">): z.ZodRawShape {
  return Object.fromEntries(Object.entries(input.shape).filter(([field]) => !http.path.includes(`{${field}}`)));
}

/** The commands that do the operation, made and written by hand, with the option by which they do. */
export function commandsOf({ cli = [], cliOption, handWritten = [] }: OperationDefinition): readonly string[] {
  const option = cliOption === undefined ? [] : [[cliOption.of, cliOption.as ?? []].flat().join(" ")];
  return [...cli.map(({ words }) => words), ...option, ...handWritten];
}

/** What the operation's answer shows, as its items or under its field. */
export type ShownBy<Definition> =
  Definition extends OperationDefinition<z.ZodObject, infer Answer>
    ? Answer extends ShownAnswer<infer Value>
      ? Value
      : never
    : never;

/* Checking a shape against the type that it describes, by the compiler. */

/** Every value of `Type` fits the shape: what the runtime may answer is described. */
export function shapeOf<Type>() {
  return <Shape extends z.ZodType>(shape: Shape & ([Loose<Type>] extends [z.input<Shape>] ? unknown : never)): Shape =>
    shape;
}

/** A type without its `readonly`s, which shapes do not say. */
type Loose<Type> = Type extends string ? (string extends Type ? string : LooseText<Type>) : LooseObject<Type>;

/** Branded strings are strings; words of a list stay as they are. */
type LooseText<Type extends string> = Type extends object ? string : Type;
type LooseObject<Type> = Type extends readonly (infer Item)[]
  ? Loose<Item>[]
  : Type extends object
    ? { -readonly [Key in keyof Type]: Loose<Type[Key]> }
    : Type;

/*
 * Forms of values that a client of a hub checks and JSON Schema has no word for: our own words, which hold nothing that a
 * terminal acts on, names, ids and hashes. A shape is marked with its form; the OpenAPI document does not show it.
 */

/**
 * `word`: nothing invisible; `code`: of a problem; `typeSchema`: of a team's own message type, which this build can check
 * by; the rest as `base/ids.ts` and the chain have them.
 */
export type ValueForm = "word" | "hash" | "id" | "team" | "dialect" | "code" | "count" | "typeSchema";

/** The form of each marked shape, or the shape that a client checks in its place. */
export const valueForms = z.registry<{ readonly form: ValueForm | object }>();

/** `shape` marked with its form. To be called last: what describes a shape again makes a new one. */
export function inForm<Shape extends z.ZodType>(form: ValueForm | z.ZodType, shape: Shape): Shape {
  valueForms.add(shape, { form });
  return shape;
}

/** The words before each shown field that all doors show alike; see `labelled`. */
export const labels = z.registry<{ readonly label: string }>();

/** A field that text, the page and the tools show where it says something. To be called last, as `inForm`. */
export function labelled<Shape extends z.ZodType>(label: string, shape: Shape): Shape {
  labels.add(shape, { label });
  return shape;
}

/** A string that Baton created. */
export function word(says?: string): z.ZodString {
  return inForm("word", says === undefined ? z.string() : z.string().describe(says));
}

/** A time, RFC 3339. */
export const time = word("RFC 3339, UTC");

/** 64 hex digits. */
export function hash(says?: string): z.ZodString {
  return inForm("hash", says === undefined ? z.string() : z.string().describe(says));
}

/** A whole number from 0 that the document shows as a whole number. */
export function count(says?: string): z.ZodInt {
  return inForm("count", says === undefined ? z.int() : z.int().describe(says));
}

/** A moment in whole milliseconds. */
export function moment(): z.ZodNumber {
  return inForm("count", z.number());
}
