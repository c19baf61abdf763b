/** The hub's page in a real browser that has never seen it, on a team of a hundred thousand messages. */
import { openPage, startBrowser } from "../tests/page/browser.ts";
import { record, startHub, teamFolder } from "../tests/page/hub.ts";
import { update } from "../tests/page/phase.ts";
import { firstPaintMs } from "../tests/page/watched-hub.ts";
import type { Measure } from "./measure.ts";

const [messages, group] = [100_000, 2_000];

export const firstPaint: Measure = {
  name: `First paint of the page with ${messages.toLocaleString("en")} messages`,
  subject: "navigation to the frame that shows the agents of the overview, cold cache, chromium",
  yardstick: "0.4 seconds",
  target: { of: "time", atMost: 1 },
  rounds: 9,
  open: async (_, opened) => {
    const folder = opened.use(teamFolder());
    for (let from = 0; from < messages; from += group) {
      const texts = Array.from({ length: group }, (_, at) => update(`update-${from + at}`, `2-1-T${at % 7}`));
      await record(folder.path, "dev-1", texts, "lead-1");
    }
    const hub = opened.use(await startHub(folder.path));
    const browser = opened.use(await startBrowser());
    const first = await openPage(browser, hub);
    return {
      yardstick: () => 400,
      subject: () => firstPaintMs(browser, hub.origin, first.context),
    };
  },
};
