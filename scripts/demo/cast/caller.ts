import { setTimeout as pause } from "node:timers/promises";
import type { CallResult, Traffic } from "../observed/calls.ts";

/** A client that calls reviews as the mesh configures it, and returns which workload answered. */
export interface ReviewsCaller extends AsyncDisposable {
  /** Makes one call after the other. Rejects only when the caller itself is gone. */
  call(calls: number): Promise<readonly CallResult[]>;
}

/** Enough for steady bars, and hardly any work. */
const callsPerRound = 10;
const roundMs = 50;

/**
 * Makes calls, and counts the answers, until the signal. Failures before the first answer mean that the mesh is
 * starting.
 */
export async function keepCalling(caller: ReviewsCaller, traffic: Traffic, signal: AbortSignal): Promise<void> {
  let begun = false;
  while (!signal.aborted) {
    const [answers] = await Promise.all([caller.call(callsPerRound), pause(roundMs)]);
    const first = begun ? 0 : answers.findIndex(({ type }) => type === "answered");
    if (first < 0) continue;
    begun = true;
    traffic.count(answers.slice(first));
  }
}
