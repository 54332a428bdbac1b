import { readFileSync } from "node:fs";
import type { Addresses } from "../../admin/state.ts";
import { type ControlPlane, createControlPlane, type Summary } from "../../app/control-plane.ts";
import { readArguments } from "../../app/flags.ts";
import { createLogger } from "../../app/logger.ts";
import { optionRows } from "../../app/options.ts";
import { readOptions } from "../../app/read-options.ts";
import { Signals } from "../../app/signals.ts";
import type { Logger } from "../../lib/logger.ts";
import { type Command, type DocumentedFlag, ExitCode } from "../command.ts";
import { directoryNotes } from "../directory-notes.ts";
import { optionFlag } from "../flags/option-flag.ts";
import { counted } from "../issues/issue-text.ts";

const flags: readonly DocumentedFlag[] = optionRows.map(([, option]) => optionFlag(option));

export const serve: Command = {
  name: "serve",
  usage: "[DIR…] [flags]",
  summary: "Serves proxies from directories of YAML, with Galley and Pilot in one process.",
  flags,
  examples: [
    "serve ./mesh",
    "serve ./team-a ./team-b --mesh mesh.yaml --xds 0.0.0.0:15010",
    "serve ./mesh --xds 127.0.0.1:0 --http 127.0.0.1:0 --metrics off",
  ],
  problem: "it cannot start",
  async run(args, terminal) {
    const options = readOptions({
      arguments: readArguments(args, flags),
      env: terminal.env,
      readFile: (path) => readFileSync(path, "utf8"),
    });
    const logger = createLogger({ level: options.logLevel, format: options.logFormat });
    return await runUntilTold(createControlPlane({ ...options, logger }), {
      logger,
      announce(addresses, summary) {
        terminal.print(readyLine(addresses, summary));
        // For people only: scripts wait for one line.
        if (!process.stderr.isTTY) return;
        for (const notes of directoryNotes(options.sources, addresses)) terminal.complain(notes);
      },
    });
  },
};

interface Listening {
  readonly logger: Logger;
  /** Called when proxies are served. */
  readonly announce: (addresses: Addresses, summary: Summary) => void;
}

/** A signal that comes during the start ends it: a source may be taking for ever. */
async function runUntilTold(plane: ControlPlane, { logger, announce }: Listening): Promise<ExitCode> {
  using signals = new Signals({ reload: () => void reload(plane, logger) });
  const started = plane.start().then((addresses) => announce(addresses, plane.summary()));
  await Promise.race([started, signals.toldToStop]);
  const signal = await signals.toldToStop;
  logger.info({ signal }, "stopping");
  await plane.stop();
  return ExitCode.ok;
}

async function reload(plane: ControlPlane, logger: Logger): Promise<void> {
  logger.info({}, "reading sources again");
  await plane.reload();
}

function readyLine(addresses: Addresses, { services, warnings, errors }: Summary): string {
  const listening = (["xds", "http", "metrics"] as const).map((name) => `${name} ${addresses[name]}`);
  const counts = [counted(services, "service"), counted(warnings, "warning")];
  if (errors > 0) counts.push(counted(errors, "error"));
  return `ready: ${[...listening, ...counts].join(", ")}`;
}
