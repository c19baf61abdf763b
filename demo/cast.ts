/** The cast of the demo: seven agents, the door each comes through, and the team file that names them. */
import type { DialectId } from "../src/message/message.ts";
import type { Role } from "../src/message/role.ts";

/** How an agent reaches the hub. */
export type DoorKind = "mcp" | "http";

/** One agent of the demo. */
export interface CastMember {
  readonly agent: string;
  readonly role: Role;
  readonly door: DoorKind;
  readonly dialect: DialectId;
}

/** The team's name. */
export const demoTeam = "shop";

/** In the order of the play. `dev-1` speaks the other dialect: what it writes is translated for its readers, and back. */
export const cast = {
  lead: { agent: "lead-1", role: "lead", door: "http", dialect: "vbw/2" },
  architect: { agent: "architect-1", role: "architect", door: "http", dialect: "vbw/2" },
  scout: { agent: "scout-1", role: "scout", door: "mcp", dialect: "vbw/2" },
  dev: { agent: "dev-1", role: "dev", door: "mcp", dialect: "yolo/2" },
  secondDev: { agent: "dev-2", role: "dev", door: "http", dialect: "vbw/2" },
  /** The one that falls silent. */
  thirdDev: { agent: "dev-3", role: "dev", door: "mcp", dialect: "vbw/2" },
  qa: { agent: "qa-1", role: "qa", door: "mcp", dialect: "vbw/2" },
} as const satisfies Readonly<Record<string, CastMember>>;

/** Who plays, as a list. */
export const castMembers: readonly CastMember[] = Object.values(cast);

/**
 * `.baton/team.yaml` of the demo; `disappearSeconds`: how late an expected heartbeat may be, null: as usual. The
 * routing lets `qa` be notified of finished work at once, in either dialect.
 */
export function demoTeamFile(disappearSeconds: number | null): string {
  const limits = disappearSeconds === null ? "" : `limits:\n  disappear_seconds: ${disappearSeconds}\n`;
  return `version: 1
team: ${demoTeam}
dialects: [vbw/2, yolo/2]
policy: enforce
agents:
${castMembers.map(({ agent, role, dialect }) => `  ${agent}: {role: ${role}, dialect: ${dialect}}\n`).join("")}routing:
  - {dialect: vbw/2, type: execution_update, receivers: [qa]}
  - {dialect: yolo/2, type: execution_update, receivers: [qa]}
${limits}`;
}
