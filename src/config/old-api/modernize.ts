import { create, type Message } from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import {
  MeshConfig_IngressControllerMode as IngressMode,
  type MeshConfig,
} from "#gen/istio/mesh/v1alpha1/config_pb.js";
import {
  type DestinationRule,
  type LoadBalancerSettings,
  type OutlierDetection,
  LoadBalancerSettings_SimpleLB as SimpleLb,
} from "#gen/istio/networking/v1alpha3/destination_rule_pb.js";
import {
  type HTTPFaultInjection_Abort,
  PercentSchema,
  type VirtualService,
} from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import type { ApiAge } from "./api-age.ts";

/**
 * Gives the numbers of an old message their present meaning. It changes `message` in place, because the message is new
 * and has no other reader. The page docs/reference/mcp-old-peers.md explains each kind.
 */
export function modernize(message: unknown, age: ApiAge): void {
  if (age === "today" || !isMessage(message)) return;
  if (isDestinationRule(message)) modernizeRule(message, age);
  if (isVirtualService(message)) for (const { fault } of message.http) modernizeAbort(fault?.abort);
  if (age === "galley" && isMeshConfig(message)) modernizeMesh(message);
}

function modernizeRule({ trafficPolicy, subsets }: DestinationRule, age: ApiAge): void {
  for (const policy of [trafficPolicy, ...subsets.map((subset) => subset.trafficPolicy)]) {
    for (const settings of [policy, ...(policy?.portLevelSettings ?? [])]) {
      modernizeBalancer(settings?.loadBalancer);
      if (age === "galley") modernizeOutliers(settings?.outlierDetection);
    }
  }
}

/** `ROUND_ROBIN` was 0 before Istio 1.14. Now 0 is `UNSPECIFIED`. */
function modernizeBalancer(balancer: LoadBalancerSettings | undefined): void {
  if (balancer?.lbPolicy.case !== "simple" || balancer.lbPolicy.value !== SimpleLb.UNSPECIFIED) return;
  balancer.lbPolicy.value = SimpleLb.ROUND_ROBIN;
}

/** Before Istio 1.8, `consecutiveErrors` counted gateway errors and nothing else. Today the field is not read. */
function modernizeOutliers(outliers: OutlierDetection | undefined): void {
  if (outliers === undefined || outliers.consecutiveErrors <= 0) return;
  if (outliers.consecutiveGatewayErrors !== undefined || outliers.consecutive5xxErrors !== undefined) return;
  outliers.consecutiveGatewayErrors = outliers.consecutiveErrors;
  outliers.consecutive5xxErrors = 0;
  outliers.consecutiveErrors = 0;
}

/** Istio removed `percent`, a whole number in field 1. Today an abort without a percentage applies to every request. */
function modernizeAbort(abort: HTTPFaultInjection_Abort | undefined): void {
  const percent = abort?.$unknown?.find(({ no, wireType }) => no === 1 && wireType === WireType.Varint);
  if (abort === undefined || percent === undefined) return;
  abort.$unknown = abort.$unknown?.filter(({ no }) => no !== 1);
  abort.percentage ??= create(PercentSchema, { value: new BinaryReader(percent.data).int32() });
}

/** `OFF`, `DEFAULT` and `STRICT` were 0, 1 and 2 before Istio 1.6, which put `UNSPECIFIED` before them. */
function modernizeMesh(mesh: MeshConfig): void {
  mesh.ingressControllerMode = ingressModes[mesh.ingressControllerMode];
}

/** Today's mode by its old number. 3 had no meaning. */
const ingressModes: Readonly<Record<IngressMode, IngressMode>> = {
  [0]: IngressMode.OFF,
  [1]: IngressMode.DEFAULT,
  [2]: IngressMode.STRICT,
  [3]: IngressMode.STRICT,
};

function isMessage(value: unknown): value is Message {
  return typeof value === "object" && value !== null && "$typeName" in value;
}

function isDestinationRule(message: Message): message is DestinationRule {
  return message.$typeName === "istio.networking.v1alpha3.DestinationRule";
}

function isVirtualService(message: Message): message is VirtualService {
  return message.$typeName === "istio.networking.v1alpha3.VirtualService";
}

function isMeshConfig(message: Message): message is MeshConfig {
  return message.$typeName === "istio.mesh.v1alpha1.MeshConfig";
}
