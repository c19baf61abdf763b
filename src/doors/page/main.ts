/** The page's entry point: puts the page together and shows it. Nothing of it runs outside a browser. */
import "./hub/ahead.ts";
import { mount } from "svelte";
import { laterViews } from "./page/later-parts.ts";
import Page from "./page/page.svelte";
import { App } from "./state/app.svelte.ts";
import { ThemeChoice } from "./state/browser-choices.svelte.ts";

const app = new App();
document.querySelector(".skeleton")?.remove();
mount(Page, { target: document.body, props: { app, themes: new ThemeChoice() } });
void app.start();
// The view that the address names is loaded while the hub answers.
const view = app.router.place?.view;
if (view !== undefined && view in laterViews) void laterViews[view as keyof typeof laterViews]().catch(() => undefined);
