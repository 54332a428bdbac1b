import { MeshError } from "../../lib/errors.ts";
import { type Command, type DocumentedFlag, ExitCode } from "../command.ts";
import { inNotation, isText, outputFlag, tableForms } from "../flags/notation.ts";
import { readFlags } from "../flags/read-flags.ts";
import { serverFlag } from "../flags/server-flag.ts";
import { fetchDump } from "../mesh/fetch-dump.ts";
import { type ProxyDump, readDump } from "../mesh/proxy-dump.ts";
import { proxyResourceTypes } from "../mesh/proxy-resource-types.ts";
import { withServerProgress } from "../mesh/with-server-progress.ts";
import { fetchStatus, proxiesNamed } from "../proxies/fetch-status.ts";
import { resourceTables, type TabledType, tabledTypes } from "../proxies/resource-tables.ts";
import { fetchSecrets, secretTable } from "../proxies/secret-table.ts";

const flags: readonly DocumentedFlag[] = [serverFlag, outputFlag(tableForms)];
const words = [...tabledTypes, "secret", "all"];
const expected = `${words.join("|")} NODE`;

export const command: Command = {
  usage: "TYPE NODE [flags]",
  flags,
  words,
  examples: [
    "proxy-config cluster gw-0.istio-system",
    "proxy-config route web-0.default -o yaml",
    "proxy-config cluster web-0.default -o wide",
    "proxy-config secret gw-0.istio-system",
    "proxy-config all web-0.default --server 127.0.0.1:8080",
  ],
  problem: "the proxy is not connected",
  async run(args, terminal) {
    const given = readFlags(args, flags, { expected, atLeast: 2, atMost: 2 });
    const form = given.choice("output", tableForms);
    const [word = "", wanted = ""] = given.positionals;
    const server = given.value("server");
    const fetched = <T>(page: (server: string, node: string) => Promise<T>) =>
      withServerProgress(server, terminal, async () => {
        const [proxy] = proxiesNamed(wanted, (await fetchStatus(server)).proxies);
        return await page(server, proxy?.connection ?? wanted);
      });
    if (word === "secret" || word === "secrets") {
      const secrets = await fetched(fetchSecrets);
      if (isText(form)) terminal.print(secretTable(secrets));
      else terminal.printData(inNotation(secrets, form));
      return ExitCode.ok;
    }
    const shown = typesNamed(word);
    const dump = await fetched(fetchDump);
    if (isText(form)) {
      terminal.print(resourceTables(readDump(dump), shown, form));
    } else {
      terminal.printData(inNotation(bodies(dump, shown), form));
    }
    return ExitCode.ok;
  },
};

/** Both the singular and the plural, as `istioctl` takes them. */
function typesNamed(word: string): readonly TabledType[] {
  if (word === "all") return tabledTypes;
  const type = tabledTypes.find((each) => word === each || word === `${each}s`);
  if (type === undefined) throw new MeshError("bad-option", `expected ${expected}, found ${word}`);
  return [type];
}

function bodies(dump: ProxyDump, shown: readonly TabledType[]) {
  return Object.fromEntries(
    proxyResourceTypes
      .filter(({ name }) => shown.some((type) => type === name))
      .map(({ plural, typeUrl }) => {
        const found = dump.types.filter(({ type_url }) => type_url === typeUrl);
        return [plural, found.flatMap(({ resources }) => resources.map(({ resource }) => resource))];
      }),
  );
}
