import { configId, configKey } from "../../config/config.ts";
import type { TrafficPolicies } from "../../pilot/model/policy/traffic-policies.ts";
import { sidecarScopeFor } from "../../pilot/model/scope/sidecar-scope-for.ts";
import type { Protocol, Service } from "../../pilot/model/service/service.ts";
import type { ChainContext } from "../../pilot/networking/listener/outbound/outbound-chain.ts";
import type { OutboundClient } from "../../pilot/networking/listener/outbound/outbound-client.ts";
import { stockListenerClient } from "./fake-listener-client.ts";
import { fakeService } from "./fake-service.ts";
import { noPolicies } from "./no-policies.ts";
import { pushOf } from "./push.ts";

/** A stock Envoy that receives all outbound traffic of its workload by redirection. */
const client: OutboundClient = {
  ...stockListenerClient,
  reservedPorts: [15_001, 15_006],
  httpProxyPort: 0,
  labels: {},
  ownAddress: "",
  dnsDomain: "web.svc.cluster.local",
};

/** The inputs of the outbound listeners of a sidecar in namespace `web`. The first Sidecar, if any, applies. */
export function outboundContext(
  mesh: Parameters<typeof pushOf>[0],
  changes: Partial<OutboundClient> = {},
): ChainContext & { readonly policies: TrafficPolicies } {
  const push = pushOf(mesh);
  const [sidecar] = mesh.sidecars ?? [];
  const ref = { namespace: "web", sidecar: sidecar === undefined ? "" : configKey(sidecar) };
  return { scope: sidecarScopeFor(ref, push), client: { ...client, ...changes }, push, policies: noPolicies };
}

/** A service with one port, 80 by default, owned by a ServiceEntry of its name. */
export function serviceOn(
  name: string,
  protocol: Protocol,
  changes: Partial<Service> & { port?: number } = {},
): Service {
  const { port: number = 80, ...others } = changes;
  return fakeService({
    hostname: `${name}.shop`,
    ports: [{ number, name: "main", protocol, targetPort: number }],
    owner: configId("ServiceEntry", "shop", name),
    ...others,
  });
}
