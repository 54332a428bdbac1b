import type { Addresses } from "../admin/state.ts";
import type { Server } from "../app/control-plane.ts";
import { Signals } from "../app/signals.ts";
import { ExitCode } from "./command.ts";

/**
 * Runs a server until a signal ends it; `announce` is called when it is ready. A signal that comes during the start
 * ends that: a source may be taking for ever.
 */
export async function runUntilTold<Counts>(
  server: Server<Counts>,
  announce: (addresses: Addresses, summary: Counts) => void,
): Promise<ExitCode> {
  using signals = new Signals({ reload: () => void server.reload() });
  const started = server.start().then((addresses) => announce(addresses, server.summary()));
  await Promise.race([started, signals.toldToStop]);
  await signals.toldToStop;
  await server.stop();
  return ExitCode.ok;
}
