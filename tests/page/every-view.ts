/** Every view of the page as a link leads to it, for what must hold in each: what is in it, and that it shows only text. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";

/** Addresses after the team's, with what is there once the view is. */
const views: readonly (readonly [address: string, ready: string])[] = [
  ["/", "[data-agent]"],
  ["/inbox", "[data-need]"],
  ["/timeline?view=all", "[role=option]"],
  ["/lanes", "[data-lane]"],
  ["/lanes?as=list", "[data-lane], [role=region] li"],
  ["/board", "[data-task]"],
  ["/board?as=files", "[role=region] tbody tr"],
  ["/agents/dev-1", "main h1"],
  ["/phases", "main h1, main h2"],
  ["/handoffs", "main h1, main h2"],
  ["/shutdown", "main h1"],
  ["/compose", "[data-form]"],
  ["/journal", "[data-journal]"],
  ["/more", ".row"],
];

/** What is in a view that somebody could read: its text, and the names that are read out or come up. */
export interface SeenView {
  readonly address: string;
  readonly text: string;
}

/** Evaluated in the page: done when the frame after the next begins. */
export const nextFrame = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null))))";

/** What a view holds, evaluated in the page. */
const look = String.raw`(() => {
  const names = [...document.querySelectorAll("[title], [aria-label], option")].flatMap((each) => [
    each.getAttribute("title") ?? "",
    each.getAttribute("aria-label") ?? "",
  ]);
  const all = [document.title, document.body.innerText, document.body.textContent, ...names].join("\n");
  const found = /.{0,40}[\p{Bidi_Control}\u200b-\u200d\u2060-\u2064\ufeff\u0000-\u0008\u000e-\u001f].{0,40}/u.exec(all);
  return { text: all, unseen: found?.[0] ?? null, elements: document.querySelectorAll("*").length };
})()`;

/** Goes to a place of the page within it, as back and forward do, and waits for a frame. */
export async function moveTo(page: Page, address: string): Promise<void> {
  await page.evaluate(`history.pushState(null, "", ${JSON.stringify(address)});
    dispatchEvent(new PopStateEvent("popstate"));
    ${nextFrame}`);
}

/**
 * Opens every view but some, and `more`, one after the other. Fails where one holds a character that is not seen or turns
 * what is around it, or more elements than a page can bear.
 */
export async function everyView(
  page: Page,
  more: readonly (readonly [address: string, ready: string])[] = [],
  without: ReadonlySet<string> = new Set(),
): Promise<readonly SeenView[]> {
  const seen: SeenView[] = [];
  for (const [address, ready] of [...views, ...more]) {
    if (without.has(address)) continue;
    await moveTo(page, `/t/checkout${address}`);
    await page.locator(ready).first().waitFor({ state: "attached" });
    await page.evaluate(nextFrame);
    const { text, unseen, elements } = await page.evaluate<{
      readonly text: string;
      readonly unseen: string | null;
      readonly elements: number;
    }>(look);
    assert.equal(unseen, null, `${address} holds a character that is not seen: ${JSON.stringify(unseen)}`);
    assert.ok(elements < 6_000, `${address} has ${elements} elements`);
    seen.push({ address, text });
  }
  return seen;
}

/** Addresses whose every part is `text`, as a link of a stranger may have it. */
export function hostileAddresses(text: string): readonly string[] {
  const each = encodeURIComponent(text.toWellFormed());
  const all = (...names: readonly string[]) => names.map((name) => `${name}=${each}`).join("&");
  return [
    `/timeline?${all("view", "agent", "type", "task", "outcome", "q")}`,
    `/timeline/${each}`,
    `/inbox/${each}`,
    `/lanes?${all("agent", "outcome", "from", "to", "span", "at", "as")}`,
    `/board?${all("plan", "agent", "as", "at")}`,
    `/tasks/${each}`,
    `/phases/${each}?${all("part", "step")}`,
    `/handoffs/${each}`,
    `/compose/${each}`,
    `/journal/${each}`,
    `/${each}`,
  ];
}
