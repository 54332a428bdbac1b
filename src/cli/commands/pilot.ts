import type { Addresses } from "../../admin/state.ts";
import { createPilot, type Summary } from "../../app/control-plane.ts";
import { pilotDefaults } from "../../app/options/options.ts";
import { counted } from "../../lib/counted.ts";
import type { Command } from "../command.ts";
import { pilotFlags, readServerFlags } from "../flags/server-flags.ts";
import { readyLine } from "../serving/ready-line.ts";
import { runUntilSignal } from "../serving/run-until-signal.ts";

export const command: Command = {
  usage: "--source URL [flags]",
  flags: pilotFlags,
  examples: [
    "pilot --source mcp://galley.example:9901",
    "pilot --source mcp://east:9901 --source mcp://west:9901 --xds 0.0.0.0:15010",
    "pilot --source 'mcps://galley.example:9901?ca=root.pem&cert=cert.pem&key=key.pem'",
  ],
  problem: "it cannot start",
  async run(args, terminal) {
    const read = () => readServerFlags(args, pilotFlags, terminal, pilotDefaults);
    const urls = () => read().sources;
    const announce = (addresses: Addresses, { services, ...issues }: Summary) => {
      const content = counted(services, "service");
      const secure = addresses["xds-tls"] === "off" ? [] : (["xds-tls"] as const);
      terminal.print(readyLine({ addresses, listeners: ["xds", ...secure, "http", "metrics"], content, issues }));
    };
    return await runUntilSignal(createPilot(read()), { announce, urls });
  },
};
