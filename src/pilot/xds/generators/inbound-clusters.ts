import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { familiesOf } from "../../model/proxy/address-families.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { isSidecar } from "../../model/proxy/proxy.ts";
import type { PushContext } from "../../model/push-context.ts";
import { scopeRefOf } from "../../model/scope/sidecar-scope-for.ts";
import { buildInboundCluster } from "../../networking/cluster/inbound/build-inbound-cluster.ts";
import type { WorkloadFacts } from "../../networking/cluster/inbound/workload-clusters.ts";
import { workloadClusters } from "../../networking/cluster/inbound/workload-clusters.ts";
import { only, type PartFamily, type PartInputs } from "../generator.ts";
import { workloadDependencies } from "./dependencies.ts";

/** Inputs of one workload. Workloads do not share them, but replicas get equal resources. */
interface WorkloadPart extends PartInputs, WorkloadFacts {}

/** CDS: a cluster per port that the proxy's own workload serves. Few and cheap, so always all of them. */
export function inboundClusters(writer: ProtoWriter): PartFamily<WorkloadPart> {
  return {
    name: "inbound",
    parts: (proxy, push) => (isSidecar(proxy) ? [workloadPart(proxy, push)] : []),
    concerns: only("Instance", "Service", "DestinationRule", "Sidecar"),
    dependencies: ({ workload, ref }, push) => workloadDependencies(workload, ref, push),
    generate: ({ inputs, push }) => ({
      covers: "all",
      resources: workloadClusters(inputs, push).map((cluster) => buildInboundCluster(cluster, writer)),
    }),
  };
}

function workloadPart(proxy: Proxy, push: PushContext): WorkloadPart {
  const { ipAddresses: addresses, namespace, labels, interception } = proxy;
  const workload = { addresses, namespace, labels };
  const ref = scopeRefOf(proxy, push);
  const families = familiesOf(addresses);
  return { workload, ref, interception, families };
}
