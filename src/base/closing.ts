/** What is closed together. Like `AsyncDisposableStack`, which the oldest Node that runs Baton lacks. */

export interface Closing extends AsyncDisposable {
  /** Closes `opened` with the others, and returns it. */
  use<Opened extends AsyncDisposable>(opened: Opened): Opened;
  defer(close: () => unknown): void;
  /** Hands all of it over to a new holder, which is to close it. */
  move(): Closing;
}

/**
 * Closes what it was given when it ends: the last first, and the others also where one throws.
 *
 * @example
 * await using scope = closing();
 * const team = scope.use(await openTeam(options));
 */
export function closing(closes: (() => unknown)[] = []): Closing {
  const closeRest = async (): Promise<void> => {
    const close = closes.pop();
    if (close === undefined) return;
    try {
      await close();
    } finally {
      await closeRest();
    }
  };
  return {
    use(opened) {
      closes.push(() => opened[Symbol.asyncDispose]());
      return opened;
    },
    defer: (close) => void closes.push(close),
    move: () => closing(closes.splice(0)),
    [Symbol.asyncDispose]: closeRest,
  };
}
