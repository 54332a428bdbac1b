import { signedBy, signedBySecrets } from "../../admin/explain/signed-by.ts";
import type { ConfigId } from "../../config/config.ts";
import type { PeerAt } from "../../explain/cluster/endpoint-peer.ts";
import { explain as explainRequest } from "../../explain/explain.ts";
import type { Explanation, RequestOutcome } from "../../explain/explanation.ts";
import { lookupFor } from "../../explain/near-misses/lookup-for.ts";
import type { Lookup } from "../../explain/near-misses/near-miss.ts";
import { nearMissesFor } from "../../explain/near-misses/near-misses-for.ts";
import type { GuardContext } from "../../explain/policy/guard.ts";
import { readSimulatedRequest } from "../../explain/read-simulated-request.ts";
import { refusedOnTheWayFirst } from "../../explain/refused-object.ts";
import { renderExplanation } from "../../explain/render-explanation.ts";
import type { SimulatedRequest } from "../../explain/simulated-request.ts";
import type { SignedBy } from "../../explain/trust.ts";
import { MeshError } from "../../lib/errors.ts";
import { type Command, type DocumentedFlag, ExitCode, type Terminal } from "../command.ts";
import { callerFlags, guardContextOf, withCaller } from "../flags/caller-flags.ts";
import { switchFlag, valueFlag } from "../flags/flag.ts";
import { meshFlags, readMeshFlags } from "../flags/mesh-flags.ts";
import { idOf, nodeFlags, readNodeFlags } from "../flags/node-flags.ts";
import { inNotation, notations, outputFlag } from "../flags/notation.ts";
import { type ReadFlags, readFlags } from "../flags/read-flags.ts";
import { fetchDump } from "../mesh/fetch-dump.ts";
import { fetchNearMisses, type PlacedMiss } from "../mesh/fetch-near-misses.ts";
import { offlinePeers } from "../mesh/offline-peers.ts";
import { complainOfIssues, openMesh } from "../mesh/open-mesh.ts";
import { dumpFor, type KnownConfig, type ProxyDump, readDump } from "../mesh/proxy-dump.ts";
import { serverPeers } from "../mesh/server-peers.ts";
import { withServerProgress } from "../mesh/with-server-progress.ts";

const flags: readonly DocumentedFlag[] = [
  ...nodeFlags("from"),
  {
    ...valueFlag(
      "header",
      "NAME:VALUE",
      "Header of the request. May be repeated. A host header replaces the host of the URL.",
    ),
    short: "H",
  },
  ...callerFlags,
  switchFlag("inbound", "Explains a request that arrives at the sidecar, instead of one from its own workload."),
  valueFlag(
    "server",
    "ADDR",
    "Uses the resources that a running server (its --http address) sent to this proxy, instead of reading directories.",
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
    "explain ./mesh --from sidecar~web-0.default --principal spiffe://cluster.local/ns/default/sa/web http://reviews:9080/",
    "explain --server 127.0.0.1:8080 --from gw-0.istio-system http://bookinfo.example/ -o json",
  ],
  problem: "the proxy refuses the request, answers it with 4xx or 5xx, or the outcome is unknown",
  async run(args, terminal) {
    const given = readFlags(args, flags, { expected, atLeast: 1, atMost: Infinity });
    const notation = given.choice("output", notations);
    const { paths, method, url } = splitPositionals(given.positionals);
    const asked = readSimulatedRequest(method, url, given.values("header"));
    const request = await withCaller(asked, given, terminal);
    const context = guardContextOf(given);
    const explained = async () => await explainIn(await worldFrom(paths, given, terminal), request, { given, context });
    const found = await (given.has("server")
      ? withServerProgress(given.value("server"), terminal, explained)
      : explained());
    const { explanation, placeOf, needsCertificates } = found;
    if (notation === "text") terminal.print(renderExplanation(explanation, placeOf));
    else terminal.printData(inNotation(withReferences(explanation, placeOf), notation));
    if (needsCertificates) terminal.complain(certificateHint);
    return exitCodeFor(explanation.outcome);
  },
};

const certificateHint =
  "this proxy is assumed to have no mesh certificates; with them (--meta SDS_MODE=agent) the request is not refused";

interface Asked {
  readonly given: ReadFlags;
  readonly context: GuardContext;
}

async function explainIn(world: World, request: SimulatedRequest, { given, context }: Asked) {
  const { config, referenceOf } = readDump(world.dump);
  const directed = { ...request, direction: directionOf(world.dump.node, given) };
  const peerAt = await world.peersFor(() => explainRequest(config, directed, context));
  const around = { ...context, peerAt, signedBy: world.signedBy };
  const explanation = explainRequest(config, directed, around);
  const lookup = lookupFor(explanation, directed);
  const nearMisses = lookup === undefined ? [] : await world.nearMisses(lookup);
  const placed = new Map(nearMisses.map(({ object, reference }) => [object, reference]));
  const placeOf = (id: ConfigId) => referenceOf(id) ?? (placed.get(id) || undefined);
  const certified = explanation.outcome.type === "refused" ? world.certified?.() : undefined;
  const needsCertificates =
    certified !== undefined && explainRequest(readDump(certified).config, directed, around).outcome.type !== "refused";
  const quarantined = refusedOnTheWayFirst(explanation, world.dump.quarantined ?? []);
  return { explanation: { ...explanation, nearMisses, quarantined }, placeOf, needsCertificates };
}

/** Tells scripts whether the request gets through or gets a good answer. */
function exitCodeFor(outcome: RequestOutcome): ExitCode {
  switch (outcome.type) {
    case "forwarded":
    case "redirect":
    case "accepted":
      return ExitCode.ok;
    case "response":
      return outcome.status < 400 ? ExitCode.ok : ExitCode.problem;
    case "refused":
    case "unknown":
    default:
      return ExitCode.problem;
  }
}

/** The last argument is the URL. A word in capitals before it is the method. */
function splitPositionals(positionals: readonly string[]) {
  const url = positionals.at(-1) ?? "";
  const before = positionals.at(-2) ?? "";
  const method = /^[A-Z]+$/u.test(before) ? before : undefined;
  return { paths: positionals.slice(0, method === undefined ? -1 : -2), method: method ?? "GET", url };
}

/** The proxy to explain, and a lookup for the proxies at the other end. */
interface World {
  readonly dump: ProxyDump;
  /** `explained` is the explanation without these proxies. */
  readonly peersFor: (explained: () => Explanation) => PeerAt | Promise<PeerAt>;
  readonly nearMisses: (lookup: Lookup) => readonly PlacedMiss[] | Promise<readonly PlacedMiss[]>;
  readonly signedBy: SignedBy;
  /** The resources of the proxy if it had mesh certificates; absent if the user says whether it has them. */
  readonly certified?: () => ProxyDump;
}

async function worldFrom(paths: readonly string[], given: ReadFlags, terminal: Terminal): Promise<World> {
  if (given.has("server")) {
    if (paths.length > 0) throw new MeshError("bad-option", `--server: not together with ${paths.join(" ")}`);
    const server = given.value("server");
    const node = idOf(given, "from");
    return {
      dump: await fetchDump(server, node),
      signedBy: signedBySecrets,
      peersFor: (explained) => serverPeers(server, explained()),
      nearMisses: (lookup) => fetchNearMisses(server, node, lookup),
    };
  }
  if (paths.length === 0) throw new MeshError("bad-option", `expected ${expected}, found no DIR and no --server`);
  const settings = readMeshFlags(given, terminal);
  const { proxy } = readNodeFlags(given, "from", { ...settings, certificates: { type: "none" }, metadata: {} });
  const mesh = await openMesh(paths, settings, terminal);
  complainOfIssues(mesh, terminal);
  const isSaid = given.values("meta").some((text) => text.startsWith("SDS_MODE="));
  const withAgent = { ...settings, certificates: { type: "agent" }, metadata: {} } as const;
  return {
    dump: dumpFor(proxy, mesh),
    signedBy,
    ...(!isSaid && { certified: () => dumpFor(readNodeFlags(given, "from", withAgent).proxy, mesh) }),
    peersFor: () => offlinePeers(mesh, settings),
    nearMisses: (lookup) =>
      nearMissesFor({ proxy, push: mesh.push }, lookup).map((miss) => ({
        ...miss,
        reference: mesh.originOf(miss.object)?.reference ?? "",
      })),
  };
}

function directionOf(nodeId: string, given: ReadFlags): SimulatedRequest["direction"] & string {
  const isRouter = nodeId.startsWith("router~");
  if (isRouter && given.has("inbound")) {
    throw new MeshError("bad-option", `--inbound: only for sidecars, and ${nodeId} is a router`);
  }
  return isRouter ? "gateway" : given.has("inbound") ? "inbound" : "outbound";
}

function withReferences(explanation: Explanation, referenceOf: KnownConfig["referenceOf"]) {
  const { steps, outcome, decidedBy, nearMisses = [], quarantined = [] } = explanation;
  const owned = (id: ConfigId) => ({ id, reference: referenceOf(id) ?? "" });
  return {
    steps: steps.map((step) => ({ ...step, owners: step.owners.map(owned) })),
    outcome,
    decidedBy: decidedBy.map(({ object, ...rest }) => ({ ...owned(object), ...rest })),
    nearMisses: nearMisses.map(({ object, why }) => ({ ...owned(object), why })),
    quarantined: quarantined.map(({ object: id, ...rest }) => ({ id, ...rest })),
  };
}
