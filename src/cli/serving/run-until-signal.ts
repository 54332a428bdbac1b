import type { Addresses } from "../../admin/state.ts";
import type { Server } from "../../app/control-plane.ts";
import { Crash } from "../../app/process/crash.ts";
import { Signals } from "../../app/process/signals.ts";
import { collectEarly, keepYoungGeneration } from "../../app/process/small-heap.ts";
import { ExitCode } from "../command.ts";

export interface ServeHooks<Counts> {
  /** Called when the server is ready. */
  readonly announce: (addresses: Addresses, summary: Counts) => void;
  /** The sources after the settings are read again. */
  readonly urls: () => readonly string[];
}

/** Maximum time for streams to end after a failure, independent of `--drain`. */
const abandonWithinMs = 30_000;

/** The graph may be inconsistent, so the process ends even if something hangs. */
async function abandon(server: Server<unknown>, thrown: unknown): Promise<never> {
  setTimeout(exitNow, abandonWithinMs).unref();
  // The log names the components that do not stop.
  await server.abandon(thrown).catch(() => undefined);
  return exitNow();
}

function exitNow(): never {
  process.exit(ExitCode.problem);
}

/** Runs a server until a signal ends it. A signal during the start cancels the start, because a source may hang. */
export async function runUntilSignal<Counts>(
  server: Server<Counts>,
  { announce, urls }: ServeHooks<Counts>,
): Promise<ExitCode> {
  using crash = new Crash(exitNow);
  // A failed reload is logged, and the server continues unchanged.
  using signals = new Signals({ reload: () => void server.reload(urls).catch(() => {}) });
  const start = async () => {
    const addresses = await server.start();
    collectEarly();
    keepYoungGeneration();
    announce(addresses, server.summary());
  };
  const started = start();
  const crashed = crash.happened.then((thrown) => ({ thrown }));
  await Promise.race([started, signals.toldToStop, crashed]);
  const stopped = signals.toldToStop.then(() => server.stop());
  const ending = await Promise.race([stopped, crashed]);
  return ending === undefined ? ExitCode.ok : await abandon(server, ending.thrown);
}
