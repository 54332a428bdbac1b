import type { Addresses } from "../../admin/state.ts";
import type { Server } from "../../app/control-plane.ts";
import { Signals } from "../../app/process/signals.ts";
import { ExitCode } from "../command.ts";

export interface Manners<Counts> {
  /** Called when the server is ready. */
  readonly announce: (addresses: Addresses, summary: Counts) => void;
  /** The sources that the settings name when they are read again. */
  readonly urls: () => readonly string[];
}

/** Runs a server until a signal ends it. One that comes during the start ends that: a source may be taking for ever. */
export async function runUntilTold<Counts>(
  server: Server<Counts>,
  { announce, urls }: Manners<Counts>,
): Promise<ExitCode> {
  // What goes wrong is in the log, and the server goes on as it was.
  using signals = new Signals({ reload: () => void server.reload(urls).catch(() => {}) });
  const started = server.start().then((addresses) => announce(addresses, server.summary()));
  await Promise.race([started, signals.toldToStop]);
  await signals.toldToStop;
  await server.stop();
  return ExitCode.ok;
}
