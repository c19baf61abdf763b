/**
 * The door for programs that put a hub into their own server. The app is a fetch handler; `listen` puts it on a
 * loopback port, and with `forOthers` on one for other machines.
 *
 * @example
 * const hub = await openHub({ journal: ".baton/journal.db" });
 * const app = createHubApp({ hub, version: "1", port: () => port });
 */

export type { Hub, HubOptions, Identity } from "../../perform/hub.ts";
export { openHub } from "../../perform/hub.ts";
export { openApiDocument } from "./operations/openapi.ts";
export type { HubRepository } from "./operations/operation.ts";
export type { HubApp, HubAppOptions, Wire } from "./server/app.ts";
export { createHubApp } from "./server/app.ts";
export type { Reach } from "./server/guard.ts";
export type { HubLimits } from "./server/http-limits.ts";
export { hubLimits } from "./server/http-limits.ts";
export type { HubLog } from "./server/monitoring.ts";
export type { McpMount, Mounts } from "./server/mounts.ts";
export type { SessionStore } from "./server/owner-sessions.ts";
export type { PageFile, Pages } from "./server/pages.ts";
export type { Listening, ListenOptions, TlsTexts } from "./server/server.ts";
export { listen } from "./server/server.ts";
