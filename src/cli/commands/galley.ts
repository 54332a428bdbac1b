import type { Addresses } from "../../admin/state.ts";
import { createGalley, type GalleySummary } from "../../app/control-plane.ts";
import { galleyDefaults } from "../../app/options/options.ts";
import { counted } from "../../lib/counted.ts";
import type { Command } from "../command.ts";
import { galleyFlags, readServerFlags } from "../flags/server-flags.ts";
import { readyLine, sayUnenforced } from "../serving/ready-line.ts";
import { runUntilSignal } from "../serving/run-until-signal.ts";

export const command: Command = {
  usage: "[DIR…] [flags]",
  flags: galleyFlags,
  examples: [
    "galley ./mesh --mcp :9901",
    "galley ./mesh --readiness-file /run/binnacle/ready --log-level processing:debug",
    "galley --source off --webhook :9443 --webhook-cert cert.pem --webhook-key key.pem",
  ],
  problem: "it cannot start",
  async run(args, terminal) {
    const read = () => readServerFlags(args, galleyFlags, terminal, galleyDefaults);
    const urls = () => read().sources;
    const announce = (addresses: Addresses, { objects, ...issues }: GalleySummary) => {
      const content = counted(objects, "object");
      terminal.print(readyLine({ addresses, listeners: ["http", "metrics", "webhook", "mcp"], content, issues }));
      sayUnenforced(issues, terminal);
    };
    return await runUntilSignal(createGalley(read()), { announce, urls });
  },
};
