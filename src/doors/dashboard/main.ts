/** The page's entry point: puts the page together and shows it. Nothing of it runs outside a browser. */
import { mount } from "svelte";
import Page from "./page/page.svelte";
import { App } from "./state/app.svelte.ts";
import { ThemeChoice } from "./state/browser-choices.svelte.ts";

const app = new App();
mount(Page, { target: document.body, props: { app, themes: new ThemeChoice() } });
void app.start();
