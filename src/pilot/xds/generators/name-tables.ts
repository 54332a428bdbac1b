import type { ConfigId } from "../../../config/config.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { keyOf, kindNameOf } from "../../model/config-id.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { isProxyless } from "../../model/proxy/proxy.ts";
import type { PushContext } from "../../model/push-context.ts";
import type { ScopeRef } from "../../model/scope/sidecar-scope.ts";
import { isHeadless } from "../../model/service/service.ts";
import { buildNameTable, type NameTableClient } from "../../networking/names/build-name-table.ts";
import { type Generated, type GeneratorRun, only, type PartFamily, type PartInputs } from "../generator.ts";
import { envoyScopeRef, scopeDependencies, scopeOf } from "./scope-part.ts";

/** Inputs that agents share if their workloads have the same scope, cluster and network. */
interface TablePart extends PartInputs {
  readonly type: Proxy["type"];
  readonly ref: ScopeRef;
  readonly client: NameTableClient;
}

/** Istio's own type: no Envoy requests it. */
export const nameTableType = "type.googleapis.com/istio.networking.nds.v1.NameTable";

/** NDS: one table of names for the agent beside a proxy, which answers the workload's DNS queries. */
export function nameTables(writer: ProtoWriter): PartFamily<TablePart> {
  function generate({ inputs, push, since }: GeneratorRun<TablePart>): Generated {
    const { services } = scopeOf(inputs, push);
    // Any change, even of a virtual service, may bring a service into the scope.
    const sameServices = since !== undefined && scopeOf(inputs, since.push).services === services;
    if (sameServices && !affectsNames(since.changed, [since.push, push])) return { covers: new Set(), resources: [] };
    return { covers: "all", resources: [buildNameTable(services, inputs.client, push, writer)] };
  }

  return {
    name: "names",
    parts: (proxy, push) => (isProxyless(proxy) ? [] : [tablePart(proxy, push)]),
    concerns: only("Service", "Endpoints", "Sidecar", "VirtualService"),
    dependencies: scopeDependencies,
    generate,
  };
}

function tablePart(proxy: Proxy, push: PushContext): TablePart {
  const { type, clusterId, network } = proxy;
  const ref = envoyScopeRef(proxy, push);
  const client = { clusterId, network };
  return { type, ref, client };
}

/** Endpoints change often, but only headless services have them in the table. */
function affectsNames(changed: ReadonlySet<ConfigId>, pushes: readonly PushContext[]): boolean {
  return [...changed].some((id) => {
    if (kindNameOf(id) !== "Endpoints") return false;
    return pushes.some(({ services }) => {
      const service = services.get(keyOf(id));
      return service !== undefined && isHeadless(service);
    });
  });
}
