/**
 * The power-cut campaign: runs writers under the write log, cuts the power at random moments all along the trace, and
 * opens what each cut may have left. Whatever had been acknowledged before the cut must be in the image.
 */
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { diskFrom, type Image } from "./disk-image.ts";
import { imageOf, temporaryFolder, writeImage } from "./folder.ts";
import { type Acknowledgement, compare, type Holding, readAcknowledgements } from "./ledger.ts";
import { chanceFrom } from "./seed.ts";
import { compileWriteLog, type FileEvent, loggingEnvironment, readTrace } from "./write-log.ts";

/** What is written, and how it is read again. Database and file of acknowledgements are in the same folder. */
export interface PowerCutSubject {
  /** Makes an empty database, already in WAL mode. */
  prepare(database: string): Promise<void> | void;
  /** Programs with their arguments: those of one stage run at once, stages one after another. */
  stages(database: string, acknowledgements: string): readonly (readonly (readonly string[])[])[];
  /** Whether what `inspect` answers depends on the acknowledgements too, and not on the image alone. */
  readonly presentsReceipts?: boolean;
  /** Opens an image; must not throw for what a power cut can cause. */
  inspect(database: string, acknowledged: readonly Acknowledgement[]): Promise<Holding> | Holding;
}

export interface PowerCutReport {
  readonly seed: number;
  readonly events: number;
  readonly acknowledged: number;
  readonly images: number;
  /** Images in which something acknowledged was missing or anything else was wrong. */
  readonly wrongImages: number;
  /** The first few of them, in words. */
  readonly examples: readonly string[];
}

/** Runs the campaign. The same seed cuts the same trace at the same places; the trace itself is new each time. */
export async function cutPower(
  subject: PowerCutSubject,
  options: { readonly images: number; readonly seed: number },
): Promise<PowerCutReport> {
  using base = temporaryFolder("memory");
  const folder = join(base.path, "disk");
  const imageFolder = join(base.path, "image");
  const database = join(folder, "journal.db");
  const acknowledgements = join(folder, "acknowledgements");
  mkdirSync(folder);
  await subject.prepare(database);
  const disk = diskFrom(folder, imageOf(folder));
  const trace = join(base.path, "trace");
  const environment = loggingEnvironment(compileWriteLog(base.path), folder, trace);
  for (const stage of subject.stages(database, acknowledgements)) {
    await Promise.all(stage.map((program) => ended(program, environment)));
  }
  const events = readTrace(trace);
  const chance = chanceFrom(options.seed);
  // One in each stretch of the trace, so that no stretch is left out and few moments come twice.
  const stretch = (events.length + 1) / options.images;
  const cuts = Array.from({ length: options.images }, (_, index) => Math.floor((index + chance.next()) * stretch));
  const given: Acknowledgement[] = [];
  const examples: string[] = [];
  let wrongImages = 0;
  let position = 0;
  let seen: { readonly image: Image; readonly holding: Holding } | null = null;
  for (const cut of cuts) {
    for (; position < cut; position++) advance(events[position]);
    const image = new Map([...disk.cut(chance)].filter(([path]) => path !== acknowledgements));
    // Between two writes each cut leaves the very same files; what was acknowledged of them meanwhile is compared each time.
    if (seen === null || subject.presentsReceipts === true || !isSame(seen.image, image)) {
      writeImage(image, imageFolder);
      seen = { image, holding: await subject.inspect(join(imageFolder, "journal.db"), given) };
    }
    const wrong = compare(given, seen.holding);
    if (wrong.length === 0) continue;
    wrongImages++;
    if (examples.length < 5) examples.push(`cut after event ${cut}: ${wrong.slice(0, 3).join("; ")}`);
  }
  for (; position < events.length; position++) advance(events[position]);
  assertWholeTrace(disk.whole(), imageOf(folder));
  return {
    seed: options.seed,
    events: events.length,
    acknowledged: given.length,
    images: cuts.length,
    wrongImages,
    examples,
  };

  function advance(event: FileEvent | undefined): void {
    if (event === undefined) return;
    disk.apply(event);
    if (event.kind === "write" && event.path === acknowledgements)
      given.push(...readAcknowledgements(event.data.toString("utf8")));
  }
}

/** Whether two images share every byte: what nothing was written to since stays the same buffer. */
function isSame(one: Image, other: Image): boolean {
  return one.size === other.size && [...one].every(([path, content]) => other.get(path) === content);
}

/** A trace with a hole would prove nothing: replayed whole, it must give the very files that the writers left. */
function assertWholeTrace(replayed: ReadonlyMap<string, Buffer>, found: ReadonlyMap<string, Buffer>): void {
  const names = new Set([...replayed.keys(), ...found.keys()]);
  for (const name of names) {
    const [expected, actual] = [replayed.get(name), found.get(name)];
    if (expected === undefined || actual === undefined || !expected.equals(actual)) {
      throw new Error(`the write log missed a change of ${name}`);
    }
  }
}

/** Runs one program to its end; it must succeed, for a broken writer would leave nothing to lose. */
function ended(program: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, program, { env: environment, stdio: ["ignore", "ignore", "pipe"] });
    let errors = "";
    child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString("utf8")));
    child.on("error", reject);
    child.on("exit", (code) =>
      code === 0 ? resolve() : reject(new Error(`${program[0]} ended with ${code}: ${errors}`)),
    );
  });
}
