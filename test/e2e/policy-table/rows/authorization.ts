import {
  startFailingAuthorizer,
  startGrpcAuthorizer,
  startHttpAuthorizer,
} from "../../support/grpc/ext-authz-server.ts";
import type { Area } from "../row.ts";
import { customGroups } from "./authorization/custom.ts";
import { operationGroups } from "./authorization/operations.ts";
import { policyGroups } from "./authorization/policies.ts";
import { sourceGroups } from "./authorization/sources.ts";

const port = 17_070;
const at = (name: string) => ({ service: `${name}.peers.svc.cluster.local`, port });

/** AuthorizationPolicies: every field, every action, requests and connections. */
export const authorization: Area = {
  peers: { authz: startHttpAuthorizer, "grpc-authz": startGrpcAuthorizer, "failing-authz": startFailingAuthorizer },
  providers: () => [
    {
      name: "ask-http",
      envoyExtAuthzHttp: {
        ...at("authz"),
        pathPrefix: "/check",
        includeRequestHeadersInCheck: ["x-ask"],
        includeAdditionalHeadersInCheck: { "x-from": "mesh" },
        headersToUpstreamOnAllow: ["x-user"],
        headersToDownstreamOnDeny: ["x-reason"],
      },
    },
    { name: "ask-grpc", envoyExtAuthzGrpc: at("grpc-authz") },
    { name: "ask-failing", envoyExtAuthzHttp: { ...at("failing-authz"), timeout: "2s" } },
    { name: "ask-failing-open", envoyExtAuthzHttp: { ...at("failing-authz"), timeout: "2s", failOpen: true } },
    { name: "ask-nobody", envoyExtAuthzGrpc: { service: "nobody.peers.svc.cluster.local", port } },
  ],
  groups: [...sourceGroups, ...operationGroups, ...policyGroups, ...customGroups],
};
