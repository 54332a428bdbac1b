import { type Command, type DocumentedFlag, ExitCode } from "../command.ts";
import { inNotation, notations, outputFlag } from "../flags/notation.ts";
import { readFlags } from "../flags/read-flags.ts";
import { serverFlag } from "../flags/server-flag.ts";
import { fetchDump } from "../mesh/fetch-dump.ts";
import { withServerProgress } from "../mesh/with-server-progress.ts";
import { fetchStatus, type ProxyStatus, proxiesNamed } from "../proxies/fetch-status.ts";
import { proxyText } from "../proxies/proxy-text.ts";
import { statusText } from "../proxies/status-text.ts";

const flags: readonly DocumentedFlag[] = [serverFlag, outputFlag(notations)];

export const command: Command = {
  usage: "[NODE] [flags]",
  flags,
  examples: ["proxy-status", "proxy-status gw-0.istio-system", "proxy-status --server 127.0.0.1:8080 -o json"],
  problem: "a proxy is out of sync, or not connected",
  async run(args, terminal) {
    const given = readFlags(args, flags, { expected: "one NODE or none", atLeast: 0, atMost: 1 });
    const notation = given.choice("output", notations);
    const server = given.value("server");
    const status = await withServerProgress(server, terminal, () => fetchStatus(server));
    const [wanted] = given.positionals;
    if (wanted === undefined) {
      if (notation === "text") terminal.print(statusText(status));
      else terminal.printData(inNotation(status, notation));
      return status.proxies.every(isSynced) ? ExitCode.ok : ExitCode.problem;
    }
    const proxies = proxiesNamed(wanted, status.proxies);
    const nodes = new Set(proxies.map(({ node }) => node));
    const nacks = status.nacks.filter((nack) => nack.proxies.some((node) => nodes.has(node)));
    if (notation !== "text") terminal.printData(inNotation({ proxies, nacks }, notation));
    else {
      for (const { connection, quarantined } of proxies) {
        const dump = await withServerProgress(server, terminal, () => fetchDump(server, connection));
        terminal.print(proxyText(dump, nacks, quarantined));
      }
    }
    return proxies.every(isSynced) ? ExitCode.ok : ExitCode.problem;
  },
};

function isSynced({ resources }: ProxyStatus): boolean {
  return Object.values(resources).every(({ state }) => state === "SYNCED");
}
