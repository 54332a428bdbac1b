import type { Addresses } from "../../admin/state.ts";
import { createControlPlane, type Summary } from "../../app/control-plane.ts";
import { counted } from "../../lib/counted.ts";
import type { Command } from "../command.ts";
import { readServerFlags, serverFlags } from "../flags/server-flags.ts";
import { directoryNotes } from "../serving/directory-notes.ts";
import { readyLine, sayUnenforced } from "../serving/ready-line.ts";
import { runUntilSignal } from "../serving/run-until-signal.ts";

export const command: Command = {
  usage: "[DIR…] [flags]",
  flags: serverFlags,
  examples: [
    "serve ./mesh",
    "serve ./team-a ./team-b --mesh mesh.yaml --xds 0.0.0.0:15010",
    "serve ./mesh --xds 127.0.0.1:0 --http 127.0.0.1:0 --metrics off --ctrlz off",
  ],
  problem: "it cannot start",
  async run(args, terminal) {
    const read = () => readServerFlags(args, serverFlags, terminal);
    const options = read();
    const urls = () => read().sources;
    const announce = (addresses: Addresses, { services, ...issues }: Summary) => {
      const content = counted(services, "service");
      const more = (["xds-tls", "mcp"] as const).filter((name) => addresses[name] !== "off");
      terminal.print(readyLine({ addresses, listeners: ["xds", "http", "metrics", ...more], content, issues }));
      sayUnenforced(issues, terminal);
      // Only on a terminal, because scripts wait for one line.
      if (!process.stderr.isTTY) return;
      for (const notes of directoryNotes(options.sources, addresses)) terminal.complain(notes);
    };
    return await runUntilSignal(createControlPlane(options), { announce, urls });
  },
};
