/**
 * The circuit breaker of a department as the story shows it: two agents disappear and open it, nobody new comes in, after
 * its time one may try, and shows life. No time is waited for: the clock of all that is opened here is moved.
 */
import { mustBe, type Stage, same } from "../stage.ts";

/** Frontend loses two agents and gets one. */
export async function breakerOpens(stage: Stage): Promise<void> {
  stage.step("Two agents of frontend disappear, and its circuit breaker opens");
  const owner = await stage.as("owner");
  const standing = async () => {
    const breaker = mustBe(await owner.breakers()).find(({ department }) => department === "frontend");
    return [breaker?.state, breaker?.failures, breaker?.probe, breaker?.spawn];
  };
  const newcomer = (agent: string) => ({ agent, role: "dev", department: "frontend" }) as const;
  const lost = await stage.program("frontend-dev");
  same("its program stays, and is expected", (await lost.attend()).ok, true);
  await silent(stage);
  same("one alone opens nothing", await standing(), ["closed", 1, null, "teammate"]);
  const second = await stage.program("frontend-tester");
  same("another stays", (await second.attend()).ok, true);
  await silent(stage);
  same("two within the window open it", await standing(), ["open", 2, null, "task"]);
  same("backend's is its own", await closedElsewhere(stage), true);
  // The person may always bring somebody in; the lead waits for the breaker.
  const lead = await stage.as("frontend-lead");
  const why = await stage.denied(lead.register(newcomer("frontend-dev-2")), "breaker-open");
  same("no teammate comes in", why.length, 1);
  await stage.done(lead.register({ ...newcomer("frontend-helper"), mode: "task" }));

  stage.step("After its time one may try");
  stage.later(120);
  await stage.done(lead.register(newcomer("frontend-dev-2")));
  same("it is the probe", await standing(), ["half-open", 2, "frontend-dev-2", "task"]);
  await stage.denied(lead.register(newcomer("frontend-dev-3")), "breaker-open");
  const probe = await (await stage.as("frontend-dev-2")).inbox();
  same("it shows life by asking for its mail", probe.ok, true);
  same("and the breaker closes", await standing(), ["closed", 0, null, "teammate"]);
  await stage.done(lead.register(newcomer("frontend-dev-3")));
}

/** Longer than the program of an agent may be silent: a minute after the sign that is due in half of one. */
async function silent(stage: Stage): Promise<void> {
  stage.later(101);
  // The next operation records expired deadlines.
  same("time is noticed", (await (await stage.as("frontend-lead")).inbox()).ok, true);
}

async function closedElsewhere(stage: Stage): Promise<boolean> {
  const found = await (await stage.as("owner")).breakers();
  return found.ok && found.value.every(({ department, state }) => department === "frontend" || state === "closed");
}
