import { describe, expect, test } from "vitest";
import { runExplain } from "../../src/testing/recording/run-explain.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { freePort } from "./support/free-port.ts";
import { startGrpcClient } from "./support/grpc/grpc-client.ts";
import { grpcPeerNames } from "./support/grpc/grpc-peer.ts";
import { startGrpcServer } from "./support/grpc/grpc-server.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";
import { shared } from "./support/shared.ts";
import { serviceYaml } from "./support/yaml.ts";

const describeWithGrpc = await describeWith(...grpcPeerNames);
const kinds = ["go", "python"] as const;
type ServerKind = (typeof kinds)[number];

const policies = `apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: callers, namespace: shop}
spec:
  rules:
    - to: [{operation: {paths: [/grpc.health.v1.Health/*]}}]
      when: [{key: "request.headers[x-user]", values: [ann, ben]}]
---
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: no-beta, namespace: shop}
spec:
  action: DENY
  rules:
    - when: [{key: "request.headers[x-beta]", values: ["*"]}]
---
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: ask, namespace: shop}
spec:
  action: CUSTOM
  provider: {name: checker}
  rules:
    - when: [{key: "request.headers[x-ask]", values: ["no"]}]
    - when: [{key: "request.headers[x-ask]", values: ["yes"]}]
---
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: trial, namespace: shop, annotations: {istio.io/dry-run: "true"}}
spec: {action: DENY, rules: [{}]}
`;

const rows = [
  { name: "a call that a rule allows", headers: { "x-user": "ben" }, answered: true, by: "callers:1 rule 0" },
  { name: "a call that no rule allows", headers: {}, answered: false, by: "callers:1" },
  { name: "a call of another caller", headers: { "x-user": "eve" }, answered: false, by: "callers:1" },
  {
    name: "a call that a rule denies",
    headers: { "x-user": "ann", "x-beta": "1" },
    answered: false,
    by: "no-beta:9 rule 0",
  },
  {
    name: "a call that a provider would decide about",
    headers: { "x-user": "ann", "x-ask": "yes" },
    answered: false,
    by: "ask:17 rule 1",
  },
  {
    name: "a call that no provider is asked about",
    headers: { "x-user": "ann", "x-ask": "later" },
    answered: true,
    by: "callers:1 rule 0",
  },
] as const;

/** A server, and a real gRPC server of each kind with a client. */
async function openWorld(stack: AsyncDisposableStack) {
  const ports = { go: await freePort(), python: await freePort() };
  const services = kinds.map((kind) =>
    serviceYaml({
      name: `cart-${kind}`,
      port: 9080,
      protocol: "GRPC",
      resolution: "STATIC",
      endpoints: [{ address: "127.0.0.1", port: ports[kind] }],
    }),
  );
  const mesh = stack.use(new MeshDir({ "policies.yaml": policies, "services.yaml": services.join("---\n") }));
  const { xdsPort, httpPort } = stack.use(await startBinnacle({ dir: mesh.path }));
  const open = async (kind: ServerKind) => {
    const [port, name] = [ports[kind], `cart-${kind}`];
    const node = { id: `sidecar~127.0.0.1~${name}-0.shop~shop.svc.cluster.local`, metadata: {} };
    const server = stack.use(await startGrpcServer(kind, { port, name, xdsPort, node }));
    const client = stack.use(await startGrpcClient("go", { target: `127.0.0.1:${port}`, xdsPort }));
    const isUp = async () => (await client.many(1, { headers: { "x-user": "ann" } })).get(name) === 1;
    await eventually(`${name} answers\n${server.log()}`, isUp, { seconds: 30 });
    return { port, name, client };
  };
  const [go, python] = await Promise.all(kinds.map(open));
  if (go === undefined || python === undefined) throw new Error("two servers");
  return { servers: { go, python }, dir: mesh.path, server: `127.0.0.1:${httpPort}` };
}

/** The prediction of the command, as rows have it. */
async function explained(from: readonly string[], port: number, headers: Readonly<Record<string, string>>) {
  const sent = Object.entries({ ...headers, "content-type": "application/grpc" });
  const flags = sent.flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const url = `http://127.0.0.1:${port}/grpc.health.v1.Health/Check`;
  const { code, outcome, decidedBy } = await runExplain([...from, "--inbound", ...flags, "POST", url]);
  const by = decidedBy.map(({ id, reference, part }) => {
    const [, , name] = id.split("/");
    return `${name}:${reference.slice(reference.lastIndexOf(":") + 1)}${part === undefined ? "" : ` ${part}`}`;
  });
  return { code, answered: outcome.type === "accepted", by };
}

describeWithGrpc("a policy at a real proxyless gRPC server", () => {
  const world = shared(openWorld);

  describe.each(kinds)("%s", (kind) => {
    test.each(rows)("decides about $name as explain predicts", async ({ headers, answered, by }) => {
      const { servers, dir, server } = world();
      const { port, name, client } = servers[kind];
      expect(await client.many(1, { headers })).toEqual(new Map([[answered ? name : "PERMISSION_DENIED", 1]]));
      const expected = { code: answered ? 0 : 1, answered, by: [by] };
      expect(await explained(["--server", server, "--from", `${name}-0.shop`], port, headers)).toEqual(expected);
      const offline = [
        dir,
        "--from",
        `sidecar~127.0.0.1~${name}-0.shop~shop.svc.cluster.local`,
        "--meta",
        "GENERATOR=grpc",
      ];
      expect(await explained(offline, port, headers)).toEqual(expected);
    });
  });
});
