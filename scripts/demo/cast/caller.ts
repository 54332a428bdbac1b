import { setTimeout as pause } from "node:timers/promises";
import type { Answer, Traffic } from "../observed/traffic.ts";

/** Somebody who calls reviews as the mesh tells them to, and learns who answered. */
export interface Caller extends AsyncDisposable {
  /** One call after the other. Rejects only when the caller itself is gone. */
  call(calls: number): Promise<readonly Answer[]>;
}

/** Enough for steady bars, and hardly any work. */
const callsPerRound = 10;
const roundMs = 50;

/** Calls, and counts the answers, until the signal. What fails before the first answer is a mesh that is starting. */
export async function keepCalling(caller: Caller, traffic: Traffic, signal: AbortSignal): Promise<void> {
  let begun = false;
  while (!signal.aborted) {
    const [answers] = await Promise.all([caller.call(callsPerRound), pause(roundMs)]);
    const first = begun ? 0 : answers.findIndex(({ type }) => type === "answered");
    if (first < 0) continue;
    begun = true;
    traffic.count(answers.slice(first));
  }
}
