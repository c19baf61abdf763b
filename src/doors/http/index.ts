/**
 * The door for programs that put a hub into a server of their own. The app is a fetch handler; `listen` puts it on a
 * loopback port.
 *
 * @example
 * const hub = await openHub({ journal: ".baton/journal.db" });
 * const app = createHubApp({ hub, version: "1", port: () => port });
 */

export type { Hub, HubOptions, Identity } from "../../runtime/hub.ts";
export { openHub } from "../../runtime/hub.ts";
export type { HubApp, HubAppOptions, McpMount, Wire } from "./app.ts";
export { createHubApp } from "./app.ts";
export type { HubLimits } from "./limits.ts";
export { hubLimits } from "./limits.ts";
export type { HubLog } from "./log.ts";
export { openApiDocument } from "./openapi.ts";
export type { HubRepository } from "./operation.ts";
export type { PageFile, Pages } from "./pages.ts";
export type { Listening, ListenOptions } from "./server.ts";
export { listen } from "./server.ts";
export type { SessionStore } from "./sessions.ts";
