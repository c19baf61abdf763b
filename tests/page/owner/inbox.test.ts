/**
 * A person decides what needs them, in a real browser: by mouse and by keyboard, alone and several at once, with the time
 * to take it back; and what is decided elsewhere meanwhile says by whom. In a window whose clock the tests move.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import type { BrowserContext, Page } from "playwright-core";
import { live, visit, withoutChromium } from "../browser.ts";
import { type HttpAgent, passDeadlines } from "../hub.ts";
import { scopeRequest, teamFile, typed } from "../phase.ts";
import { type WatchedHub, watchedHub } from "../watched-hub.ts";

/** Longer than a decision can be taken back. */
const undoneMs = 5_100;

suite("the inbox", { skip: withoutChromium }, () => {
  let watched: WatchedHub;
  let context: BrowserContext;
  let page: Page;
  let dev: HttpAgent;
  let base: string;

  before(async () => {
    watched = await watchedHub();
    base = `${watched.hub.origin}/t/checkout`;
    dev = await watched.agent("dev-1");
    context = await watched.browser.newContext({ storageState: await watched.context.storageState() });
    context.setDefaultTimeout(60_000);
    await context.clock.install();
    page = await context.newPage();
    await page.goto(`${base}/inbox`);
    await live(page);
  });
  after(() => watched?.[Symbol.asyncDispose]());

  const row = (id: string) => page.locator(`[data-need="${id}"]`);
  const request = (id: string) => row(`approval:dev-1/${id}`);
  const button = (name: string | RegExp) => page.locator("[data-decision]").getByRole("button", { name });
  const reason = () => page.locator("[data-decision]").getByLabel("Reason");
  const list = () => page.getByRole("listbox", { name: /needs you/ });
  /** Sends a request of dev-1 and chooses it in the list. */
  async function asked(id: string, subject: string, more: object = {}): Promise<void> {
    const sent = await dev.send(scopeRequest(id, subject, more), ["lead-1"]);
    assert.equal(sent.status, 201);
    await request(id).click();
    await page.locator(`[data-detail="approval:dev-1/${id}"]`).waitFor();
    await settled();
  }
  /** Lets the moment pass in which no click counts because rows moved. */
  async function settled(): Promise<void> {
    await context.clock.runFor(800);
    await page.locator('[data-decision] [aria-disabled="true"]').first().waitFor({ state: "detached" });
  }
  /** Lets the time pass to take it back, and waits for what became of it. */
  async function sent(id: string, words: RegExp): Promise<void> {
    await context.clock.runFor(undoneMs);
    await request(id).getByText(words).waitFor();
    await context.clock.runFor(7_000);
    await request(id).waitFor({ state: "detached" });
  }
  /** What a screen reader is told of the decision; refused where a part of it is missing. */
  async function readOut(...parts: readonly RegExp[]): Promise<void> {
    const decision = await page.locator("[data-decision]").ariaSnapshot();
    const chosen = await list().getByRole("option", { selected: true }).ariaSnapshot();
    for (const part of parts) assert.match(`${chosen}\n${decision}`, part);
  }
  const answers = async () =>
    (await dev.inbox()).map(({ message }) => (message as { payload: Record<string, unknown> }).payload);

  test("everything to decide by is in view, Deny wants a reason, and it reaches the asker after five seconds", async () => {
    await page.getByText("Nothing needs you.").waitFor();
    await asked("ask-deny", "Form <b>styles</b> too");
    const detail = page.locator('[data-detail="approval:dev-1/ask-deny"]');
    for (const words of ["Form <b>styles</b> too", "The form lives there.", "2-1-T2", "lead-1", "If you approve:"])
      await detail.getByText(words).first().waitFor();
    await detail.getByRole("region", { name: "Thread" }).getByText("asks").waitFor();
    await detail.getByText("since", { exact: true }).waitFor();
    const waiting = detail.getByRole("region", { name: "Who is waiting" }).getByRole("listitem");
    assert.deepEqual(await waiting.allTextContents(), ["dev-1 for the answer"]);
    await page.getByText(/until then you can take it back. After that/).waitFor();
    await readOut(
      /option "[^"]*Form <b>styles<\/b> too[^"]*dev-1 · Scope change[^"]*" \[selected\]/,
      /textbox "Reason"/,
      /button "Ask"/,
    );
    await readOut(/button "Edit…"/, /button "Deny"/, /button "Approve"/, /A decision is sent after five seconds/);
    await button(/^Deny/).click();
    await page.getByText("Say why").waitFor();
    await readOut(/alert: "?Say why: those who wait act on it/);
    assert.equal(await reason().evaluate((field) => field === document.activeElement), true);
    await page.keyboard.press("Escape");
    await page.getByText("Say why").waitFor({ state: "detached" });
    await page.keyboard.press("d");
    await page.getByText("Say why").waitFor();
    await page.keyboard.type("The styles belong to phase 3.");
    await page.keyboard.press("Control+Enter");
    await page.getByText(/^Denying in \d s\. Then it is in the journal and cannot be taken back\.$/).waitFor();
    await readOut(/status: Denying in \d s/, /button "Undo"/);
    assert.deepEqual(await dev.inbox(), [], "nothing was sent yet");
    await sent("ask-deny", /^Denied, entry \d+$/);
    await page.locator(".last", { hasText: /^Denied: Form <b>styles<\/b> too Reason: The styles belong/ }).waitFor();
    assert.deepEqual(
      (await answers()).map(({ approved, reason: why }) => [approved, why]),
      [[false, "The styles belong to phase 3."]],
    );
  });

  test("a decides by keyboard, z takes it back before it is sent, and nothing was sent then", async () => {
    await asked("ask-keys", "The mail templates");
    await list().focus();
    await page.keyboard.press("a");
    await page
      .getByText(/^Approving in/)
      .first()
      .waitFor();
    await page.keyboard.press("z");
    await button(/^Approve/).waitFor();
    await context.clock.runFor(undoneMs);
    assert.equal((await answers()).length, 1, "the one before");
    await page.keyboard.press("a");
    await sent("ask-keys", /^Approved, entry \d+$/);
    assert.equal((await answers()).at(-1)?.approved, true);
  });

  test("after r what is typed is a question, and a key without meaning says so and takes no typing for orders", async () => {
    await asked("ask-quest", "The receipts");
    const told = (await answers()).length;
    await list().focus();
    // On a phone and at a great zoom there are no keys to ask with, or no room: the button is there.
    await page.setViewportSize({ width: 390, height: 844 });
    await button(/^Ask/).waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.keyboard.press("r");
    await page.getByLabel("Question").and(page.locator(":focus")).waitFor();
    await page.keyboard.type("Which receipts?");
    await page.keyboard.press("Control+Enter");
    await page.getByText("Asked dev-1: Which receipts?").waitFor();
    await page.getByRole("region", { name: "Thread" }).getByText("Which receipts?").waitFor();
    assert.equal(await page.getByText(/^(Approving|Denying) in/).count(), 0, "a question decides nothing");
    const mail = await dev.inbox();
    assert.deepEqual([mail.length, mail.at(-1)?.message], [told + 1, "Which receipts?"]);
    await list().focus();
    // A slow machine must not let the moment pass in which keys still belong to what was typed.
    await context.clock.pauseAt(await page.evaluate<number>("Date.now() + 1_000"));
    await page.keyboard.press("z");
    await page.getByText("There is nothing to take back.").waitFor();
    await page.keyboard.type("a decision");
    await context.clock.runFor(900);
    await page.keyboard.press("d");
    assert.equal(await page.getByText(/^Approving in|Say why/).count(), 0, "it was typed on");
    await context.clock.runFor(1_100);
    await page.keyboard.press("a");
    await sent("ask-quest", /^Approved/);
    await page.getByText("There is nothing to take back.").waitFor({ state: "detached" });
    await context.clock.resume();
  });

  test("a double-click decides one, takes nothing back, and what slides there is decided by no press at once", async () => {
    for (const id of ["twice-2", "twice-1"]) await asked(id, `Of ${id}`);
    // A slow machine must not let the moment pass in which rows have just moved.
    await context.clock.pauseAt(await page.evaluate<number>("Date.now() + 1_000"));
    const begun = async () =>
      (
        await list()
          .getByText(/^Approving in/)
          .allTextContents()
      ).length;
    await button(/^Approve/).dblclick();
    await page.getByText("The list moved just now. Look again, and press again.").waitFor();
    assert.equal(await begun(), 1);
    await context.clock.runFor(800);
    await button(/^Approve/).dblclick();
    assert.equal(await begun(), 2, "the last one is not taken back by the second click");
    await context.clock.runFor(800);
    await button(/^Undo/).dblclick();
    assert.equal(await begun(), 1, "nor decided anew");
    await context.clock.runFor(4_000);
    await request("twice-1")
      .getByText(/^Approved/)
      .waitFor();
    await context.clock.resume();
    await asked("slid-1", "Of slid-1");
    await watched.act("lead-1", "approvals/slid-1", { approved: false, reason: "Late" });
    await request("slid-1").getByText(/Late$/).waitFor();
    await context.clock.pauseAt(await page.evaluate<number>("Date.now() + 1_000"));
    while ((await request("slid-1").count()) > 0) await context.clock.runFor(100);
    await page.locator('[data-detail="approval:dev-1/twice-2"]').waitFor();
    await button(/^Approve/).click({ force: true });
    await list().focus();
    await page.keyboard.press("a");
    assert.equal(await begun(), 0, "it slid there just now");
    await context.clock.resume();
    await settled();
    await button(/^Approve/).click();
    await sent("twice-2", /^Approved/);
  });

  test("conditions and paths go along with a yes, a line each; a gate says that only the person may lift it", async () => {
    await asked("ask-bound", "src/mail/invoices.ts", { request_type: "scope_change" });
    await page.getByRole("region", { name: "Requested paths" }).getByText("src/mail/invoices.ts").waitFor();
    const paths = page.getByLabel("Paths it lets in, one a line");
    assert.equal(await paths.inputValue(), "src/mail/invoices.ts", "it begins with what is asked for");
    await list().focus();
    await page.keyboard.press("e");
    await paths.and(page.locator(":focus")).waitFor();
    await page.getByLabel("Conditions, one a line").fill("Leave the totals alone\n\n  Add a test ");
    await paths.fill("src/mail/templates/");
    await button(/^Approve/).click();
    await sent("ask-bound", /^Approved/);
    // It has left the list; what was decided and what follows are still said, and lead to the entry.
    await page
      .locator(".last", { hasText: /^Approved: src\/mail\/invoices\.ts dev-1 gets the answer\..*#\d+$/ })
      .getByRole("button", { name: /^#\d+$/ })
      .waitFor();
    const answer = (await answers()).at(-1);
    assert.deepEqual(answer?.conditions, ["Leave the totals alone", "Add a test"]);
    assert.deepEqual(answer?.modifications, ["src/mail/templates/"]);
    const terms = { plan_id: "5-1", phase_id: "phase-5", objective: "Pay", tasks: ["5-1-T1"], must_haves: ["It pays"] };
    const contract = { id: "plan-5-1", type: "plan_contract", task: "5-1", role: "architect" };
    await watched.act("architect-1", "messages", {
      message: typed(contract, { ...terms, allowed_paths: ["src/pay/"] }),
    });
    const ask = { id: "ask-wide", type: "approval_request", task: "5-1-T1", role: "dev" };
    const wanted = {
      subject: "A page",
      request_type: "scope_change",
      evidence: "It is shown",
      paths: ["docs/", "src/a.ts"],
    };
    assert.equal((await dev.send(typed(ask, wanted), ["lead-1"])).status, 201);
    await request("ask-wide").click();
    await page.getByText("The contract of plan 5-1 allows docs/, src/a.ts (revision 2).").first().waitFor();
    assert.equal(await paths.inputValue(), "docs/\nsrc/a.ts");
    await paths.fill("docs/pay.md");
    const follows = "The contract of plan 5-1 allows docs/pay.md (revision 2).";
    await page.locator(".follows", { hasText: follows }).waitFor();
    await settled();
    await button(/^Approve/).click();
    await sent("ask-wide", /^Approved/);
    await page.locator(".last", { hasText: follows }).waitFor();
    const contracts = await fetch(`${watched.hub.origin}/api/teams/checkout/contracts`, {
      headers: { authorization: `Bearer ${await watched.tokenOf("dev-1")}` },
    });
    assert.match(await contracts.text(), /"allowedPaths":\["src\/pay\/","docs\/pay.md"\]/);
    await asked("ask-gate", "Ship with one failing test", { request_type: "gate_override" });
    await page.getByText("Only you can answer").waitFor();
    await button(/^Approve/).click();
    await sent("ask-gate", /^Approved/);
  });

  test("several that are marked get one reason, and each says for itself whether it was recorded", async () => {
    for (const id of ["many-1", "many-2", "many-3"]) await asked(id, `Of ${id}`);
    await list().focus();
    await request("many-1").click();
    for (const key of ["J", "J"]) await page.keyboard.press(key);
    await page.getByRole("heading", { name: "3 marked, decided together" }).waitFor();
    await reason().fill("Not in this phase");
    await settled();
    // One of them is answered elsewhere in the same moment; the page has not heard of it.
    await page.route("**/decisions", async (route) => {
      await watched.act("lead-1", "approvals/many-2", { approved: true, reason: "Fine" });
      await route.continue();
    });
    await button(/^Deny 3/).click();
    await page
      .getByText(/^Denying 3 needs in/)
      .first()
      .waitFor();
    await context.clock.runFor(undoneMs);
    for (const id of ["many-1", "many-3"])
      await request(id)
        .getByText(/^Denied, entry/)
        .waitFor();
    await request("many-2")
      .getByText(/^Approved by lead-1, entry \d+: Fine$/)
      .waitFor();
    const told = page.getByRole("region", { name: "What you decided" });
    await told.getByRole("status").filter({ hasText: "Deny: 2 of 3 recorded, 1 not recorded" }).waitFor();
    await told.getByText(/^not recorded: Of many-2: .*lead-1/).waitFor();
    await page.unroute("**/decisions");
    assert.deepEqual(
      (await answers())
        .slice(-3)
        .map(({ request_id: id, approved }) => `${id} ${approved}`)
        .toSorted(),
      ["many-1 false", "many-2 true", "many-3 false"],
    );
    await context.clock.runFor(7_000);
    await page.getByText("Nothing needs you.").waitFor();
    await page.getByRole("button", { name: "Put away" }).click();
  });

  test("a key decides and opens the next, z takes the last back, and what comes above waits at the edge", async () => {
    for (const id of ["row-1", "row-2", "row-3"]) await asked(id, `Of ${id}`);
    const chosen = (id: string) => page.locator(`[data-detail="approval:dev-1/${id}"]`);
    await request("row-1").click();
    await list().focus();
    for (const [at, id] of ["row-2", "row-3"].entries()) {
      await page.keyboard.press("a");
      await chosen(id).waitFor();
      await request(`row-${at + 1}`)
        .getByText(/^Approving in/)
        .waitFor();
    }
    await page.keyboard.press("z");
    await request("row-2").getByText("Scope change").waitFor();
    await request("row-1")
      .getByText(/^Approving in/)
      .waitFor();
    const first = scopeRequest("row-0", "The most urgent", {
      deadline: new Date(Date.now() + 3_600_000).toISOString(),
    });
    assert.equal((await dev.send(first, ["lead-1"])).status, 201);
    await page.getByRole("button", { name: "1 new above" }).waitFor();
    assert.equal(await request("row-0").count(), 0, "no row moves under the next key");
    await sent("row-1", /^Approved, entry/);
    await page.getByRole("button", { name: "1 new above" }).click();
    await chosen("row-0").waitFor();
    const only = page.getByRole("group", { name: "Only" });
    assert.deepEqual(await only.getByRole("button").allTextContents(), ["Yours to decide 3"]);
    await only.getByRole("button", { name: "Yours to decide" }).click();
    await page.waitForURL(/of=decide/);
    await only.getByRole("button", { name: "Yours to decide", pressed: true }).click();
    await settled();
    for (const _ of [0, 1, 2]) await page.keyboard.press("a");
    await context.clock.runFor(undoneMs);
    for (const id of ["row-0", "row-2", "row-3"])
      await request(id)
        .getByText(/^Approved, entry/)
        .waitFor();
    await context.clock.runFor(7_000);
    await page.getByText("Nothing needs you.").waitFor();
  });

  test("on a phone, what was decided can be taken back while the next request is open", async () => {
    await asked("phone-1", "The first of a phone");
    await asked("phone-2", "The second of a phone");
    await page.setViewportSize({ width: 390, height: 844 });
    await settled();
    await button(/^Approve/).click();
    const back = page.getByRole("button", { name: "Take back" });
    await back.waitFor();
    const first = '[data-detail="approval:dev-1/phone-1"]';
    await page.locator(first).waitFor();
    await back.click();
    await back.waitFor({ state: "detached" });
    await page.setViewportSize({ width: 1280, height: 800 });
    for (const id of ["phone-1", "phone-2"]) {
      await request(id).click();
      await settled();
      await button(/^Approve/).click();
      await sent(id, /^Approved/);
    }
  });

  test("ten keys decide ten, one a second, while the first are sent and leave; none is refused, no mark is lost", async () => {
    const ids = Array.from({ length: 10 }, (_, at) => `ten-${at}`);
    for (const id of [...ids, "kept"]) await asked(id, `Of ${id}`);
    await request("ten-0").click();
    await list().focus();
    await context.clock.pauseAt(await page.evaluate<number>("Date.now() + 1_000"));
    for (const _ of ids) {
      await page.keyboard.press("a");
      await context.clock.runFor(1_000);
      assert.equal(await page.getByText("The list moved just now.").count(), 0);
    }
    await page.keyboard.press("x");
    await context.clock.runFor(undoneMs);
    // The hub answers in its own time: nothing leaves the list before that, and the clock stands still here.
    await page.waitForFunction(
      (all) => all.every((id) => document.querySelector(`[data-need="approval:dev-1/${id}"]:not(.ended)`) === null),
      ids,
    );
    await context.clock.runFor(8_000);
    for (const id of ids) await request(id).waitFor({ state: "detached" });
    await request("kept").getByText("✓").waitFor();
    await context.clock.resume();
    await page.keyboard.press("a");
    await sent("kept", /^Approved/);
    const decided = (await answers()).slice(-11).map(({ request_id: id }) => id);
    assert.deepEqual(decided, [...ids, "kept"]);
  });

  test("an approval that was answered elsewhere in the same second says by whom, and is not answered again", async () => {
    await asked("race-1", "The race");
    await page.route("**/approvals/race-1", async (route) => {
      if (route.request().method() === "POST")
        await watched.act("lead-1", "approvals/race-1", { approved: false, reason: "Late" });
      await route.continue();
    });
    await button(/^Approve/).click();
    await sent("race-1", /^Denied by lead-1, entry \d+: Late$/);
    assert.deepEqual([(await answers()).at(-1)?.approved], [false]);
  });

  test("what is answered elsewhere says by whom and why, leaves, and the list keeps the keyboard", async () => {
    await asked("else-1", "The else");
    await list().focus();
    await watched.act("lead-1", "approvals/else-1", { approved: false, reason: "Not <b>now</b>" });
    await request("else-1")
      .getByText(/^Denied by lead-1, entry \d+: Not <b>now<\/b>$/)
      .waitFor();
    assert.equal(await button(/^Approve/).count(), 0);
    await context.clock.runFor(7_000);
    await request("else-1").waitFor({ state: "detached" });
    await list().and(page.locator(":focus")).waitFor({ state: "attached" });
  });

  test("what has come to the person is decided in words; an option only writes them; who was held up reads them", async () => {
    const other = await watched.agent("dev-2");
    const options = { options: ["Stub the mailer", "Wait for 2-2"] };
    const blocked = {
      plan_id: "2-1",
      task_id: "2-1-T9",
      blocker: "The mailer is missing",
      needs: "Plan 2-2",
      ...options,
    };
    const report = typed({ id: "blocked-9", type: "blocker_report", task: "2-1-T9", role: "dev" }, blocked);
    await other.send(report, ["lead-1"]);
    // Lead and architect say nothing: another process, whose clock is ahead, passes them by.
    for (const minutes of [6, 12]) await passDeadlines(watched.folder, minutes * 60_000);
    await page.waitForFunction(() => document.title.startsWith("(1) "));
    await visit(page, "Timeline");
    await page.getByRole("button", { name: "1 needs you" }).waitFor();
    await page.keyboard.press("w");
    await list().and(page.locator(":focus")).waitFor();
    await page
      .locator('[data-detail="escalation:ESC-02-01-T9"]')
      .getByText("The mailer is missing", { exact: true })
      .waitFor();
    await settled();
    await page.keyboard.press("a");
    await page.getByText("Say what is to be done.").waitFor();
    await page.getByRole("button", { name: "Stub the mailer" }).click();
    assert.equal(await page.getByLabel("Decision").inputValue(), "Stub the mailer");
    await readOut(
      /option "[^"]*The mailer is missing[^"]*dev-2 · Escalated[^"]*" \[selected\]/,
      /textbox "Decision":/,
      /button "Decide"/,
    );
    await button(/^Decide/).click();
    await context.clock.runFor(undoneMs);
    await row("escalation:ESC-02-01-T9")
      .getByText(/^Decided, entry/)
      .waitFor();
    // What was decided is said first, then what it was about.
    await page.locator(".last", { hasText: /^Decided: “Stub the mailer” on: The mailer is missing/ }).waitFor();
    const told = (await other.inbox()).at(-1)?.message;
    assert.match(JSON.stringify(told), /ESC-02-01-T9 is decided by owner: Stub the mailer/);
    await context.clock.runFor(7_000);
  });

  test("a change of the team file shows what it changes, is declined with a reason, and may be confirmed later", async () => {
    const roleOf = async () => {
      const answer = await watched.asOwner("/api/teams/checkout/status");
      const { agents } = (await answer.json()) as { agents: readonly { agent: string; role: string }[] };
      return agents.find(({ agent }) => agent === "dev-1")?.role;
    };
    writeFileSync(
      join(watched.folder, ".baton/team.yaml"),
      teamFile.replace("dev-1: { role: dev,", "dev-1: { role: lead,"),
    );
    await page.getByText("agents.dev-1.role: dev → lead").waitFor();
    await settled();
    await readOut(/option "[^"]*The team file has changed[^"]*" \[selected\]/, /textbox "Reason"/);
    await readOut(/button "Decline"/, /button "Confirm the change"/, /a declined change can still be confirmed/);
    await reason().fill("dev-1 develops");
    await button(/^Decline/).click();
    await context.clock.runFor(undoneMs);
    await page.getByText("You declined this change: dev-1 develops").first().waitFor();
    assert.equal(await roleOf(), "dev");
    await settled();
    await button(/^Confirm the change/).click();
    await context.clock.runFor(undoneMs);
    await page
      .getByText(/^Confirmed, entry/)
      .first()
      .waitFor();
    assert.equal(await roleOf(), "lead");
    await context.clock.runFor(7_000);
  });

  test("nothing went wrong behind any of it", async () => {
    assert.deepEqual(await watched.wrongs(), []);
  });
});
