import { setTimeout as pause } from "node:timers/promises";
import { Signals } from "../../app/process/signals.ts";
import { Fleet, type FleetReport } from "../../fleet/fleet.ts";
import { problemsOf, renderReport } from "../../fleet/render-report.ts";
import { type Command, ExitCode, type Terminal } from "../command.ts";
import { fleetFlags, fleetFormats, readFleetFlags } from "../flags/fleet-flags.ts";
import { readMeshFlags } from "../flags/mesh-flags.ts";
import { inNotation } from "../flags/notation.ts";
import { noPositionals, readFlags } from "../flags/read-flags.ts";
import { fleetPage } from "../nodes/fleet-page.ts";
import { fleetMembers } from "../nodes/fleet-members.ts";
import { Progress } from "../text/progress.ts";

export const command: Command = {
  usage: "[flags]",
  flags: fleetFlags,
  examples: [
    "fleet --proxies 500 --duration 30s",
    "fleet --proxies 1000 --delta 50% --slow 2% --nack 1% --reconnect 5%",
    "fleet --xds 10.0.0.7:15010 --proxies 20 --routers 100% --router-label istio=ingressgateway -o json",
    "fleet --proxies 200 -o html",
    "fleet --proxies 50 --grpc 100% --target reviews.shop.svc.cluster.local:9080",
  ],
  problem: "a proxy is out of sync at the end, or a response was needless or out of order",
  async run(args, terminal) {
    const given = readFlags(args, fleetFlags, noPositionals);
    const notation = given.choice("output", fleetFormats);
    const settings = readFleetFlags(given);
    const { domain, clusterId } = readMeshFlags(given, terminal);
    const members = fleetMembers({ ...settings, domain, clusterId });
    const report = await reportOf(new Fleet({ ...settings, members }), settings.durationMs, terminal);
    if (notation === "text") terminal.print(renderReport(report));
    else if (notation === "html")
      terminal.printData(fleetPage(report, { address: given.value("xds"), durationMs: settings.durationMs }));
    else terminal.printData(inNotation(report, notation));
    return problemsOf(report).length === 0 ? ExitCode.ok : ExitCode.problem;
  },
};

/** Resolves after this time, or on a signal. */
async function reportOf(running: Fleet, durationMs: number, terminal: Terminal): Promise<FleetReport> {
  using _progress = new Progress(terminal, () => `${running.progress}, of ${durationMs / 1_000} s`);
  using signals = new Signals({ reload: () => undefined });
  const enough = new AbortController();
  running.start();
  await Promise.race([pause(durationMs, undefined, { signal: enough.signal }), signals.toldToStop]);
  enough.abort();
  const { report } = running;
  running.stop();
  return report;
}
