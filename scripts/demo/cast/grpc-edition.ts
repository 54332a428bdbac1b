import { type Edition, type Flow, jasonHeaders } from "./edition.ts";
import { GrpcCaller } from "./grpc-caller.ts";
import { startGrpcWorkload } from "./workloads.ts";

/** gRPC workloads, and gRPC clients that take routes, weights and endpoints from xDS themselves. */
export const grpcEdition: Edition = {
  title: "gRPC clients that need no proxy",
  prepare: async () => {},
  startWorkload: startGrpcWorkload,
  flows: [
    { user: "everybody", way: () => "productpage-0 calls over gRPC", start: callAs("productpage-0", {}) },
    {
      user: "jason",
      way: () => "productpage-1 calls with end-user: jason",
      start: callAs("productpage-1", jasonHeaders),
    },
  ],
};

function callAs(name: string, headers: Readonly<Record<string, string>>): Flow["start"] {
  return async ({ bookinfo, xdsPort }) => {
    const target = `xds:///reviews.bookinfo.svc.cluster.local:${bookinfo.servicePort}`;
    return new GrpcCaller({ identity: { type: "sidecar", name }, xdsPort, target, headers });
  };
}
