/** The state of the main thread, as the watchdog knows it. */
export interface Watched {
  /** The last heartbeat. */
  readonly beat: number;
  /** How long the main thread has sent none, while the watchdog itself ran. */
  readonly silentMs: number;
}

/**
 * The state after one tick of the watchdog. A tick counts for at most twice its usual length: if the process was
 * stopped (SIGSTOP), suspended or got no processor, the watchdog ran as little as the main thread, and time alone
 * proves nothing.
 *
 * The watchdog's thread runs the text of this function. It must use nothing but its arguments.
 */
export function afterTick(before: Watched, beat: number, elapsedMs: number, tickMs: number): Watched {
  if (beat !== before.beat) return { beat, silentMs: 0 };
  return { beat, silentMs: before.silentMs + Math.min(elapsedMs, 2 * tickMs) };
}
