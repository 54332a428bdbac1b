/** Stops a timer or listener. Calling it again does nothing. */
export type Cancel = () => void;

/** Time as an argument: monotonic milliseconds and one-shot timers. `app/system-clock.ts` is the real one. */
export interface Clock {
  now(): number;
  after(ms: number, run: () => void): Cancel;
}
