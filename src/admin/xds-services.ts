import type { DescService } from "@bufbuild/protobuf";
import { ClusterDiscoveryService } from "#gen/envoy/service/cluster/v3/cds_pb.js";
import { AggregatedDiscoveryService } from "#gen/envoy/service/discovery/v3/ads_pb.js";
import { EndpointDiscoveryService } from "#gen/envoy/service/endpoint/v3/eds_pb.js";
import { ExtensionConfigDiscoveryService } from "#gen/envoy/service/extension/v3/config_discovery_pb.js";
import { ListenerDiscoveryService } from "#gen/envoy/service/listener/v3/lds_pb.js";
import { RouteDiscoveryService } from "#gen/envoy/service/route/v3/rds_pb.js";
import { SecretDiscoveryService } from "#gen/envoy/service/secret/v3/sds_pb.js";
import { ClientStatusDiscoveryService } from "#gen/envoy/service/status/v3/csds_pb.js";
import { Health } from "#gen/grpc/health/v1/health_pb.js";
import { ServerReflection } from "#gen/grpc/reflection/v1/reflection_pb.js";

/** The service descriptors of the xDS ports, for reflection. The v2 services have no descriptors here. */
export const xdsServices: readonly DescService[] = [
  AggregatedDiscoveryService,
  ClusterDiscoveryService,
  EndpointDiscoveryService,
  ListenerDiscoveryService,
  RouteDiscoveryService,
  SecretDiscoveryService,
  ExtensionConfigDiscoveryService,
  ClientStatusDiscoveryService,
  Health,
  ServerReflection,
];
