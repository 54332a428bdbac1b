import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { readBookinfo } from "./bookinfo.ts";
import { keepCalling, type ReviewsCaller } from "./cast/caller.ts";
import type { Edition } from "./cast/edition.ts";
import { openStage } from "./demo-mesh.ts";
import type { Display } from "./display/display.ts";
import type { Traffic } from "./observed/calls.ts";
import { listenToLog } from "./observed/control-plane-log.ts";
import { readProblems } from "./observed/demo-problem.ts";
import { Observations } from "./observed/observations.ts";

export interface DemoOptions {
  readonly edition: Edition;
  readonly directory: string;
  readonly display: Display;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** Plays the example until the signal. Throws when it cannot begin or go on; either way nothing is left running. */
export async function runDemo({ edition, directory, display, signal }: DemoOptions): Promise<void> {
  const bookinfo = readBookinfo(directory);
  const observations = new Observations({ edition, directory, bookinfo, intervals: display.intervals });
  display.show(observations.scene({ problems: [], debugPages: "" }));

  await using stack = new AsyncDisposableStack();
  const logger = listenToLog(directory, (event) => observations.log.note(event));
  const { addresses } = stack.use(await openStage({ edition, directory, bookinfo, logger }));
  const xdsPort = Number(addresses.xds.slice(addresses.xds.lastIndexOf(":") + 1));

  const calls: { readonly caller: ReviewsCaller; readonly traffic: Traffic }[] = [];
  for (const { flow, traffic } of observations.flows) {
    calls.push({ caller: stack.use(await flow.start({ bookinfo, xdsPort })), traffic });
  }
  const showing = keepShowing(observations, addresses.http, display, signal);
  const calling = calls.map(({ caller, traffic }) => keepCalling(caller, traffic, signal));
  // At the signal calls may still be under way; nobody waits for them, they end with their callers.
  await Promise.race([Promise.all([showing, ...calling]), aborted(signal)]);
}

async function keepShowing(
  observations: Observations,
  httpAddress: string,
  display: Display,
  signal: AbortSignal,
): Promise<void> {
  const debugPages = `http://${httpAddress}/debug`;
  while (await passes(display.intervalMs, signal)) {
    const problems = await readProblems(httpAddress);
    observations.endInterval();
    display.show(observations.scene({ problems, debugPages }));
  }
}

/** Whether the time passed without the signal. */
function passes(ms: number, signal: AbortSignal): Promise<boolean> {
  return pause(ms, true, { signal }).catch(() => false);
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
}
