import { type Command, type DocumentedFlag, ExitCode, type Terminal } from "../command.ts";
import { inNotation, isText, outputFlag, type TableForm, tableForms } from "../flags/notation.ts";
import { readFlags } from "../flags/read-flags.ts";
import { serverFlag } from "../flags/server-flag.ts";
import { fetchDump } from "../mesh/fetch-dump.ts";
import { withServerProgress } from "../mesh/with-server-progress.ts";
import { fetchStatus, type MeshStatus, type ProxyStatus, proxiesNamed } from "../proxies/fetch-status.ts";
import { proxyText } from "../proxies/proxy-text.ts";
import { statusTable, statusText } from "../proxies/status-text.ts";
import { ChangePrinter } from "../watch/change-printer.ts";
import { watch } from "../watch/watch.ts";
import { watchFlag } from "../watch/watch-flag.ts";

const flags: readonly DocumentedFlag[] = [serverFlag, watchFlag, outputFlag(tableForms)];

export const command: Command = {
  usage: "[NODE] [flags]",
  flags,
  examples: [
    "proxy-status",
    "proxy-status gw-0.istio-system",
    "proxy-status --watch",
    "proxy-status -o wide",
    "proxy-status --server 127.0.0.1:8080 -o json",
  ],
  problem: "a proxy is out of sync, or not connected",
  async run(args, terminal) {
    const given = readFlags(args, flags, { expected: "one NODE or none", atLeast: 0, atMost: 1 });
    const form = given.choice("output", tableForms);
    const server = given.value("server");
    const [wanted] = given.positionals;
    if (given.has("watch")) return await watchStatus(server, { wanted, form }, terminal);
    const status = await withServerProgress(server, terminal, () => fetchStatus(server));
    if (wanted !== undefined) return await showProxy(server, ofProxy(wanted, status), { form }, terminal);
    if (isText(form)) terminal.print(statusText(status, form));
    else terminal.printData(inNotation(status, form));
    return exitCodeOf(status);
  },
};

interface StatusOptions {
  readonly wanted: string | undefined;
  readonly form: TableForm;
}

/** A proxy that is not connected is a row that comes later. */
async function watchStatus(server: string, { wanted, form }: StatusOptions, terminal: Terminal): Promise<ExitCode> {
  const printer = new ChangePrinter(form, terminal);
  const isWanted = ({ connection, node }: ProxyStatus) =>
    wanted === undefined || node === wanted || connection.includes(wanted);
  const read = async () => {
    const { proxies } = await fetchStatus(server);
    return { proxies: proxies.filter(isWanted) };
  };
  return await watch(
    {
      from: `--server ${server}`,
      read,
      show: (status) => printer.show(statusTable(status, form)),
      exitCode: (status) =>
        wanted !== undefined && status.proxies.length === 0 ? ExitCode.problem : exitCodeOf(status),
      events: { server, types: new Set(["reset", "proxies"]) },
    },
    terminal,
  );
}

function ofProxy(wanted: string, { proxies: all, nacks }: MeshStatus) {
  const proxies = proxiesNamed(wanted, all);
  const nodes = new Set(proxies.map(({ node }) => node));
  return { proxies, nacks: nacks.filter((nack) => nack.proxies.some((node) => nodes.has(node))) };
}

async function showProxy(
  server: string,
  { proxies, nacks }: Pick<MeshStatus, "proxies" | "nacks">,
  { form }: Pick<StatusOptions, "form">,
  terminal: Terminal,
): Promise<ExitCode> {
  if (!isText(form)) terminal.printData(inNotation({ proxies, nacks }, form));
  else {
    for (const { connection, quarantined } of proxies) {
      const dump = await withServerProgress(server, terminal, () => fetchDump(server, connection));
      terminal.print(proxyText(dump, nacks, quarantined));
    }
  }
  return exitCodeOf({ proxies });
}

function exitCodeOf({ proxies }: Pick<MeshStatus, "proxies">): ExitCode {
  return proxies.every(isSynced) ? ExitCode.ok : ExitCode.problem;
}

function isSynced({ resources }: ProxyStatus): boolean {
  return Object.values(resources).every(({ state }) => state === "SYNCED");
}
