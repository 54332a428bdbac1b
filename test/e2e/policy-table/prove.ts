import { signedBy } from "../../../src/admin/explain/signed-by.ts";
import { verifiesToken } from "../../../src/admin/explain/verifies-token.ts";
import type { PeerAt } from "../../../src/explain/cluster/endpoint-peer.ts";
import { workloadPorts } from "./mesh-files.ts";
import { clientIdentity, identityOfGroup, type OpenGroup } from "./open-mesh.ts";
import type { OpenTable } from "./open-table.ts";
import { type Prediction, predict, simulated } from "./predict.ts";
import type { Call, Converted, Row } from "./row.ts";
import { type Answer, send, type Target } from "./send.ts";

/** Both proofs of a row in a form that is easy to compare: what Envoy did, and what explain says. */
export interface Proof {
  readonly seen: object;
  readonly said: object;
}

/** Sends the request of a row, and asks explain about it. */
export async function proofOf(row: Row, open: OpenGroup, table: OpenTable): Promise<Proof> {
  const target = await targetOf(row.call, open, table);
  const answer = await send(row.call, target);
  const { outcome, by, places } = predicted(row.call, target, open);
  const files = places.map((place) => place.slice(place.lastIndexOf("/") + 1));
  return { seen: { outcome: answer.outcome, ...evidenceIn(answer, row) }, said: { outcome, by, files } };
}

/** The answer of a real Envoy to a request to a group. */
export async function answerTo(call: Call, open: OpenGroup, table: OpenTable): Promise<Answer> {
  return await send(call, await targetOf(call, open, table));
}

/** The proof that the row expects. */
export function expectedProof({ outcome, by, answer, received }: Row, open: OpenGroup, table: OpenTable): Proof {
  const deciders = by.map((each): Converted => (typeof each === "string" ? { name: each, at: each } : each));
  const evidence = { ...(answer !== undefined && { answer }), ...(received !== undefined && { received }) };
  const names = deciders.map(({ name }) => fullName(name, open));
  const files = deciders.map(({ at, of }) => {
    const file = of === undefined ? open : table.groupOf(of());
    return placeOf(fullName(at, file), file);
  });
  return { seen: { outcome, ...evidence }, said: { outcome, by: names, files } };
}

/** Where a row's request goes: to the workload's own proxy, or to the client's sidecar. */
async function targetOf(call: Call, { place, servicePort }: OpenGroup, table: OpenTable): Promise<Target> {
  const host = call.host ?? `${place.app}.${place.namespace}.svc.cluster.local`;
  const usual = workloadPorts[call.protocol ?? "http"];
  const sni = call.tls?.sni ?? `outbound_.${usual}_._.${host.replace(/:\d+$/u, "")}`;
  const shown = call.as !== undefined && call.tls?.certificate !== false;
  const certificate = shown ? await table.certificateOf(call.as) : undefined;
  const caller = { host, sni, trusted: table.trusted, certificate };
  if (call.through === undefined) return { ...caller, address: place.address, port: call.port ?? usual };
  return { ...caller, address: "127.0.0.1", port: servicePort ?? 0 };
}

function predicted(call: Call, target: Target, { known, client, place, group }: OpenGroup): Prediction {
  const request = simulated(call, target);
  const told = { signedBy, verifies: verifiesToken, nowSeconds: Date.now() / 1000, ...call.told };
  if (call.through === undefined || client === undefined) {
    return predict(known, { ...request, direction: group.at === "router" ? "gateway" : "inbound" }, told);
  }
  const identity = identityOfGroup({ group, place });
  const peerAt: PeerAt = (address) => {
    if (address !== place.address) return undefined;
    return { type: "proxy", name: `sidecar ${place.app}`, direction: "inbound", identity, config: known.config };
  };
  const { address: _dialled, ...asked } = request;
  const outbound = { ...asked, direction: "outbound", principal: clientIdentity(group.mesh) } as const;
  const config = { ...client, referenceOf: known.referenceOf };
  return predict(config, outbound, { ...told, peerAt });
}

/** The parts of the answer that the row looks at. */
function evidenceIn({ body }: Answer, { answer, received }: Row): object {
  return {
    ...(answer !== undefined && { answer: body.includes(answer) ? answer : body }),
    ...(received !== undefined && { received: headersIn(body, Object.keys(received)) }),
  };
}

/** The application answers with the headers that it received. */
function headersIn(body: string, names: readonly string[]): object {
  const { headers } = JSON.parse(body) as { readonly headers: Readonly<Record<string, string>> };
  return Object.fromEntries(names.map((name) => [name, headers[name]]));
}

/** `KIND NAME` in the group's namespace is `KIND NAMESPACE/NAME`. */
function fullName(decider: string, { place }: OpenGroup): string {
  return decider.replace(/^(?<kind>\S+) (?<name>[^\s/]+)(?=$| )/u, `$<kind> ${place.namespace}/$<name>`);
}

function placeOf(decider: string, { lines, place }: OpenGroup): string {
  return `${place.app}.yaml:${lines.get(decider.replace(/ rule \d+$/u, ""))}`;
}
