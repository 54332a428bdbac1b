/**
 * `node unvalidated-server.ts DIR [flags]`: runs the server of `binnacle serve DIR [flags]`, except that objects with
 * errors are served, too. So poison that validation knows reaches an Envoy.
 */
import type { Addresses } from "../../../src/admin/state.ts";
import { createControlPlane, type Summary } from "../../../src/app/control-plane.ts";
import { systemClock } from "../../../src/app/process/system-clock.ts";
import { readServerFlags, serverFlags } from "../../../src/cli/flags/server-flags.ts";
import { readyLine } from "../../../src/cli/serving/ready-line.ts";
import { runUntilSignal } from "../../../src/cli/serving/run-until-signal.ts";
import { kinds } from "../../../src/config/kinds.ts";
import { createFileSource } from "../../../src/galley/source/file/file-source.ts";

const [directory = "", ...flags] = process.argv.slice(2);
const options = readServerFlags(flags, serverFlags, process);
const source = createFileSource({ directory, kinds, clock: systemClock, keepInvalid: true });

const announce = (addresses: Addresses, { services, ...issues }: Summary) => {
  const line = readyLine({ addresses, listeners: ["xds", "http", "metrics"], content: `${services} services`, issues });
  process.stdout.write(`${line}\n`);
};
const server = createControlPlane({ ...options, sources: [], ownSources: [source] });
process.exit(await runUntilSignal(server, { announce, urls: () => [] }));
