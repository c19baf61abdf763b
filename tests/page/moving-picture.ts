/**
 * Makes the moving picture of the README (`docs/images/day.gif`) from the page while `baton demo` plays its day:
 * `npm run picture`. Needs chromium and ffmpeg. Not part of the tests, as pictures differ with a machine's fonts.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { systemClock } from "../../src/base/clock.ts";
import { startBrowser } from "./browser.ts";

const everyMs = 700;
const shownPerSecond = 2;
const size = { width: 1360, height: 680 };
const home = join(import.meta.dirname, "../..");
const frames = mkdtempSync(join(tmpdir(), "baton-frames-"));

try {
  const demo = spawn(process.execPath, [join(home, "bin/baton.js"), "demo", "--json"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<number | null>((resolve) => demo.once("close", resolve));
  const opened = new Promise<string>((resolve) => {
    createInterface({ input: demo.stdout }).on("line", (line) => {
      const { event, url } = JSON.parse(line) as { event?: string; url?: string };
      if (event === "page" && url !== undefined) resolve(url);
    });
  });
  await using browser = await startBrowser();
  const page = await browser.newPage({ viewport: size, colorScheme: "light" });
  await page.goto(await opened);
  await page.getByRole("link", { name: "Board" }).first().click();
  const over = new AbortController();
  const code = ended.finally(() => over.abort());
  let count = 0;
  let before: Buffer = Buffer.alloc(0);
  while (!over.signal.aborted) {
    const picture = await page.screenshot();
    if (!picture.equals(before)) writeFileSync(join(frames, `${String(count++).padStart(4, "0")}.png`), picture);
    before = picture;
    await systemClock.wait(everyMs, over.signal);
  }
  if ((await code) !== 0) throw new Error("The demo has failed.");
  const one = `fps=${shownPerSecond},split[a][b];[a]palettegen=max_colors=48[p];[b][p]paletteuse=dither=none`;
  const words = ["-y", "-framerate", String(shownPerSecond), "-i", join(frames, "%04d.png"), "-vf", one];
  const made = spawnSync("ffmpeg", [...words, join(home, "docs/images/day.gif")], { encoding: "utf8" });
  if (made.status !== 0) throw new Error(made.error?.message ?? made.stderr);
} finally {
  rmSync(frames, { recursive: true });
}
