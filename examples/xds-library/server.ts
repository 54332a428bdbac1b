// An xDS server of its own: two clusters with their endpoints for every Envoy of the cluster "edge".
// npx node --conditions=binnacle-source examples/xds-library/server.ts [HOST:PORT]
import { create, toBinary } from "@bufbuild/protobuf";
import { clusterType, createXdsServer, endpointType, type NodeClient, SnapshotSource } from "binnacle/xds";
import { Cluster_DiscoveryType, ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { ClusterLoadAssignmentSchema } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";

const eds = { case: "type", value: Cluster_DiscoveryType.EDS } as const;
const ads = { edsConfig: { configSourceSpecifier: { case: "ads", value: {} } } } as const;

function cluster(name: string) {
  const message = create(ClusterSchema, { name, clusterDiscoveryType: eds, edsClusterConfig: ads });
  return { typeUrl: clusterType, name, value: toBinary(ClusterSchema, message), warmedBy: name };
}

function endpoint(name: string, address: string, port: number) {
  const portSpecifier = { case: "portValue", value: port } as const;
  const socket = { address: { case: "socketAddress", value: { address, portSpecifier } } } as const;
  const host = { hostIdentifier: { case: "endpoint", value: { address: socket } } } as const;
  const message = create(ClusterLoadAssignmentSchema, { clusterName: name, endpoints: [{ lbEndpoints: [host] }] });
  return { typeUrl: endpointType, name, value: toBinary(ClusterLoadAssignmentSchema, message) };
}

const source = new SnapshotSource<NodeClient>({ groupOf: (client) => client.cluster });
const server = createXdsServer({
  address: process.argv[2] ?? "127.0.0.1:18000",
  source,
  observer: { responseSent: ({ type, node, resources }) => console.log(`${type} to ${node}: ${resources}`) },
});
console.log(`listening on ${await server.start()}`);

const both = [cluster("catalogue"), cluster("orders"), endpoint("catalogue", "10.0.0.1", 8080)];
source.set("edge", { resources: [...both, endpoint("orders", "10.0.0.2", 8080)] });
// Whatever changes is set again as a whole; only what differs is sent.
process.on("SIGUSR2", () => source.set("edge", { resources: [...both, endpoint("orders", "10.0.0.3", 8080)] }));
