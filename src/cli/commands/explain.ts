import type { ConfigId } from "../../config/config.ts";
import { explain as explainRequest } from "../../explain/explain.ts";
import type { Explanation } from "../../explain/explanation.ts";
import { renderExplanation } from "../../explain/render-explanation.ts";
import type { Request } from "../../explain/request.ts";
import { MeshError } from "../../lib/errors.ts";
import { type Command, type DocumentedFlag, ExitCode, type Terminal } from "../command.ts";
import { switchFlag, valueFlag } from "../flags/flag.ts";
import { meshFlags, readMeshFlags } from "../flags/mesh-flags.ts";
import { idOf, nodeFlags, readNodeFlags } from "../flags/node-flags.ts";
import { inNotation, notations, outputFlag } from "../flags/notation.ts";
import { type ReadFlags, readFlags } from "../flags/read-flags.ts";
import { readRequest } from "../flags/read-request.ts";
import { type ConfigDump, dumpFor, type KnownConfig, readDump } from "../mesh/config-dump.ts";
import { fetchDump } from "../mesh/fetch-dump.ts";
import { complainOfIssues, openMesh } from "../mesh/open-mesh.ts";

const flags: readonly DocumentedFlag[] = [
  ...nodeFlags("from"),
  {
    ...valueFlag("header", "NAME:VALUE", "a header of the request; may be repeated; host replaces that of the URL"),
    short: "H",
  },
  switchFlag("inbound", "the request comes to the sidecar from outside, instead of from its own workload"),
  valueFlag(
    "server",
    "ADDR",
    "ask a running server (its --http address) for what it sent to this proxy, instead of reading directories",
  ),
  ...meshFlags,
  outputFlag(notations),
];

const expected = "DIR… [METHOD] URL";

export const command: Command = {
  usage: "DIR…|--server ADDR --from ID [METHOD] URL [flags]",
  flags,
  examples: [
    "explain ./mesh --from router~gw-0.istio-system GET http://bookinfo.example:8080/reviews",
    "explain ./mesh --from sidecar~web-0.default http://reviews:9080/ -H 'end-user: jason'",
    "explain --server 127.0.0.1:8080 --from gw-0.istio-system http://bookinfo.example/ -o json",
  ],
  problem: "the request is refused, or nobody can tell what becomes of it",
  async run(args, terminal) {
    const given = readFlags(args, flags, { expected, atLeast: 1, atMost: Infinity });
    const notation = given.choice("output", notations);
    const { paths, method, url } = splitPositionals(given.positionals);
    const request = readRequest(method, url, given.values("header"));
    const dump = await dumpFrom(paths, given, terminal);
    const { config, referenceOf } = readDump(dump);
    const explanation = explainRequest(config, { ...request, direction: directionOf(dump.node, given) });
    terminal.print(shown(explanation, referenceOf, notation));
    const arrives = explanation.outcome.type !== "refused" && explanation.outcome.type !== "unknown";
    return arrives ? ExitCode.ok : ExitCode.problem;
  },
};

/** What stands last is the URL; a word in capitals before it is the method. */
function splitPositionals(positionals: readonly string[]) {
  const url = positionals.at(-1) ?? "";
  const before = positionals.at(-2) ?? "";
  const method = /^[A-Z]+$/u.test(before) ? before : undefined;
  return { paths: positionals.slice(0, method === undefined ? -1 : -2), method: method ?? "GET", url };
}

async function dumpFrom(paths: readonly string[], given: ReadFlags, terminal: Terminal): Promise<ConfigDump> {
  if (given.has("server")) {
    if (paths.length > 0) throw new MeshError("bad-option", `--server: not together with ${paths.join(" ")}`);
    return await fetchDump(given.value("server"), idOf(given, "from"));
  }
  if (paths.length === 0) throw new MeshError("bad-option", `expected ${expected}, found no DIR and no --server`);
  const settings = readMeshFlags(given, terminal);
  const { proxy } = readNodeFlags(given, "from", { ...settings, certificates: { type: "none" }, metadata: {} });
  const mesh = await openMesh(paths, settings, terminal);
  complainOfIssues(mesh, terminal);
  return dumpFor(proxy, mesh);
}

function directionOf(nodeId: string, given: ReadFlags): Request["direction"] & string {
  const isRouter = nodeId.startsWith("router~");
  if (isRouter && given.has("inbound")) {
    throw new MeshError("bad-option", `--inbound: only sidecars have it, and ${nodeId} is a router`);
  }
  return isRouter ? "gateway" : given.has("inbound") ? "inbound" : "outbound";
}

function shown(
  explanation: Explanation,
  referenceOf: KnownConfig["referenceOf"],
  notation: (typeof notations)[number],
): string {
  if (notation !== "text") return inNotation(withReferences(explanation, referenceOf), notation);
  return renderExplanation(explanation, referenceOf);
}

function withReferences({ steps, outcome }: Explanation, referenceOf: KnownConfig["referenceOf"]) {
  const owned = (id: ConfigId) => ({ id, reference: referenceOf(id) ?? "" });
  return { steps: steps.map((step) => ({ ...step, owners: step.owners.map(owned) })), outcome };
}
