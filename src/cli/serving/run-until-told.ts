import type { Addresses } from "../../admin/state.ts";
import type { Server } from "../../app/control-plane.ts";
import { Crash } from "../../app/process/crash.ts";
import { Signals } from "../../app/process/signals.ts";
import { ExitCode } from "../command.ts";

export interface Manners<Counts> {
  /** Called when the server is ready. */
  readonly announce: (addresses: Addresses, summary: Counts) => void;
  /** The sources that the settings name when they are read again. */
  readonly urls: () => readonly string[];
}

/** How long streams may take to end after a failure, whatever they get at a shutdown. */
const abandonWithinMs = 30_000;

/** The graph may be half-made: whatever hangs, the process ends. */
async function abandon(server: Server<unknown>, thrown: unknown): Promise<never> {
  setTimeout(exitNow, abandonWithinMs).unref();
  // What does not stop is in the log.
  await server.abandon(thrown).catch(() => undefined);
  return exitNow();
}

function exitNow(): never {
  process.exit(ExitCode.problem);
}

/** Runs a server until a signal ends it. One that comes during the start ends that: a source may be taking for ever. */
export async function runUntilTold<Counts>(
  server: Server<Counts>,
  { announce, urls }: Manners<Counts>,
): Promise<ExitCode> {
  using crash = new Crash(exitNow);
  // What goes wrong is in the log, and the server goes on as it was.
  using signals = new Signals({ reload: () => void server.reload(urls).catch(() => {}) });
  const started = server.start().then((addresses) => announce(addresses, server.summary()));
  const crashed = crash.happened.then((thrown) => ({ thrown }));
  await Promise.race([started, signals.toldToStop, crashed]);
  const stopped = signals.toldToStop.then(() => server.stop());
  const ending = await Promise.race([stopped, crashed]);
  return ending === undefined ? ExitCode.ok : await abandon(server, ending.thrown);
}
