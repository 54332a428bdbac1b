import { describeRules } from "../../../testing/config/kind-rules.ts";

const http = (more: string) => `{extensionProviders: [{name: a, envoyExtAuthzHttp: {service: a, port: 80${more}}}]}`;
const grpc = (more: string) => `{extensionProviders: [{name: a, envoyExtAuthzGrpc: {service: a, port: 80${more}}}]}`;
const field = "extensionProviders[0].envoyExtAuthzHttp";

describeRules("MeshConfig", [
  [http(", pathPrefix: /check, statusOnError: '503', timeout: 1s")],
  [grpc(", failOpen: true, statusOnError: '429'")],
  [http(", pathPrefix: check"), `bad-path ${field}.pathPrefix`],
  [http(", statusOnError: '299'"), `bad-status ${field}.statusOnError`],
  [http(", statusOnError: no"), `bad-status ${field}.statusOnError`],
  [http(", includeRequestHeadersInCheck: ['*']"), `bad-wildcard ${field}.includeRequestHeadersInCheck`],
  [grpc(", timeout: 0s"), "bad-duration extensionProviders[0].envoyExtAuthzGrpc.timeout"],
  [
    "{extensionProviders: [{name: a, envoyExtAuthzGrpc: {service: a}}]}",
    "bad-port extensionProviders[0].envoyExtAuthzGrpc.port",
  ],
]);
