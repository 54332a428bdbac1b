import type { JsonObject } from "@bufbuild/protobuf";
import type { LoggedProxy } from "../../history/fleet.ts";
import { withoutKeys } from "../../lib/without-keys.ts";
import { isMapping } from "../../lib/is-mapping.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";

/** The facts of a proxy that its resources depend on. Secrets depend on its identity, and are not in the log. */
export function loggedProxy(proxy: Proxy): LoggedProxy {
  const { nodeId, extensions, certificates, identity: _identity, keyAccess: _keyAccess, ...facts } = proxy;
  // Metadata comes from clients, who may put anything into it.
  const clean = withoutKeys(JSON.parse(JSON.stringify(facts)) as JsonObject);
  const paths = JSON.stringify(certificates);
  const source = JSON.parse(withoutKeys(paths) === paths ? paths : '{"type":"none"}') as JsonObject;
  return { nodeId, facts: { ...clean, certificates: source }, extensions: [...extensions].toSorted() };
}

const texts = [
  "id",
  "dnsDomain",
  "namespace",
  "clusterId",
  "network",
  "meshId",
  "serviceAccount",
  "workloadName",
  "serviceCluster",
  "generator",
  "build",
];
const maps = ["labels", "locality", "metadata", "certificates"];

/** The proxy that the pipeline makes the same resources for. Undefined for a record of another form. */
export function proxyIn({ nodeId, facts, extensions }: LoggedProxy): Proxy | undefined {
  const { type, ipAddresses, interception, settings } = facts;
  const hasForm =
    (type === "sidecar" || type === "router") &&
    (interception === "redirect" || interception === "tproxy" || interception === "none") &&
    texts.every((field) => typeof facts[field] === "string") &&
    maps.every((field) => isMapping(facts[field])) &&
    Array.isArray(ipAddresses) &&
    ipAddresses.every((address) => typeof address === "string") &&
    (settings === undefined || isMapping(settings));
  if (!hasForm) return undefined;
  // All fields have been checked; what is inside of them was written by this program.
  return { settings: undefined, ...facts, nodeId, extensions: new Set(extensions) } as unknown as Proxy;
}
