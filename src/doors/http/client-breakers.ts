/** Breakers of a hub's team: the calls, and how their answers must look for the client to take them. */
import type { JsonObject } from "../../base/json.ts";
import { ok } from "../../base/result.ts";
import { breakerStates } from "../../coordination/breakers.ts";
import { departments } from "../../message/role.ts";
import type { BreakerView } from "../../runtime/health-views.ts";
import type { Team } from "../../runtime/team.ts";
import { teamModes } from "../../team/definition.ts";
import { count, list, nullable, object, oneOf, opaque, text } from "./client-shape.ts";
import type { Calls } from "./client-shutdowns.ts";

/** A breaker, as a status and the list have it. */
export const breaker = object<BreakerView>({
  department: oneOf([...departments, "team"]),
  state: oneOf(breakerStates),
  failures: count,
  openedAt: nullable(text),
  lastProbeAt: nullable(text),
  probe: nullable(text),
  until: nullable(text),
  spawn: oneOf(teamModes),
});

const breakers = object<{ breakers: readonly BreakerView[] }>({ breakers: list(breaker) });
const events = object<{ events: readonly JsonObject[] }>({ events: list(opaque<JsonObject>()) });

/** Reading and closing breakers, and reading the record of health, by these calls. */
export function remoteBreakers({ at, act, read }: Calls): Pick<Team, "breakers" | "closeBreaker" | "healthRecord"> {
  return {
    async breakers() {
      const found = await read({ method: "GET", path: at("breakers"), shape: breakers });
      return found.ok ? ok(found.value.breakers) : found;
    },
    closeBreaker: (closed, options = {}) => act(at("breakers", "close"), closed, options.id),
    async healthRecord(kind) {
      const path = at(kind === "health" ? "agents" : "breakers", "events");
      const found = await read({ method: "GET", path, shape: events });
      return found.ok ? ok(found.value.events) : found;
    },
  };
}
