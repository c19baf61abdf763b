/**
 * Where in the page somebody is, by the browser's address and history: back, forward and reload lead where they lead on
 * any page.
 */
import { addressOf, type Place, readPlace } from "../shown/places.ts";

export class Router {
  /** Null: the address names no place of the page, as `/` does. */
  place = $state.raw<Place | null>(null);
  /** Whether the address names something that the page does not have. */
  isLost = $state(false);
  /** How many places of the page lie behind this one in the browser's history. */
  #depth = 0;

  constructor() {
    this.#read();
    window.addEventListener("popstate", () => this.#read());
  }

  /** Goes there. `replace`: in place of where it was, so that back leads to what was before. */
  go(place: Place, options: { readonly replace?: boolean } = {}): void {
    const address = addressOf(place);
    if (address === location.pathname + location.search) return;
    if (options.replace !== true) this.#depth += 1;
    const state = { depth: this.#depth };
    if (options.replace === true) history.replaceState(state, "", address);
    else history.pushState(state, "", address);
    this.place = place;
    this.isLost = false;
  }

  /** Back to where somebody came from within the page; otherwise to `otherwise`. */
  back(otherwise: Place): void {
    if (this.#depth > 0) history.back();
    else this.go(otherwise, { replace: true });
  }

  #read(): void {
    const state: unknown = history.state;
    const isOurs = typeof state === "object" && state !== null && "depth" in state && typeof state.depth === "number";
    this.#depth = isOurs ? Number(state.depth) : 0;
    this.place = readPlace(location.pathname, location.search);
    this.isLost = this.place === null && location.pathname !== "/";
  }
}
