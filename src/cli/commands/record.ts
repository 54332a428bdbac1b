import { partBytes } from "../../app/recording/recording-page.ts";
import { MeshError } from "../../lib/errors.ts";
import { type Command, type DocumentedFlag, ExitCode } from "../command.ts";
import { noPositionals, readFlags } from "../flags/read-flags.ts";
import { serverFlag } from "../flags/server-flag.ts";
import { fetchText } from "../mesh/fetch-page.ts";

const flags: readonly DocumentedFlag[] = [{ ...serverFlag, doc: "The --http address of a server with --record." }];

export const command: Command = {
  usage: "[flags]",
  flags,
  examples: ["record --server 127.0.0.1:8080 > server.recording"],
  problem: "the server does not record, or is unreachable",
  async run(args, terminal) {
    const given = readFlags(args, flags, noPositionals);
    for (let from = 0; ; ) {
      const part = await partFrom(from, given.value("server"));
      const bytes = Buffer.byteLength(part);
      if (bytes > 0) terminal.printData(part.trimEnd());
      // Reads no further: the server writes on meanwhile.
      if (bytes < partBytes / 2) return ExitCode.ok;
      from += bytes;
    }
  },
};

async function partFrom(from: number, server: string): Promise<string> {
  try {
    return await fetchText(server, `/debug/recording?from=${from}`);
  } catch (thrown) {
    if (MeshError.from(thrown).code !== "not-found") throw thrown;
    throw new MeshError("not-found", `--server ${server} does not record: start it with --record FILE`);
  }
}
