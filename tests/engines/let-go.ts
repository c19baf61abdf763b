/** A server that runs on while tests need it, and keeps nobody waiting once they are over. */
import type { ChildProcess } from "node:child_process";
import { Socket } from "node:net";

/** Lets this process end though the child runs. Who waits for its end takes it back with `ref()`. */
export function letGo(child: ChildProcess): void {
  child.unref();
  if (child.stderr instanceof Socket) child.stderr.unref();
}
