import { fromBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { SecretSchema } from "#gen/envoy/extensions/transport_sockets/tls/v3/secret_pb.js";
import { ProxyConfigSchema } from "#gen/istio/mesh/v1alpha1/proxy_pb.js";
import { tellTrustedRoots } from "../../src/app/ca/trusted-roots.ts";
import { passing, rawClient, started, wiredServer } from "../../src/testing/server/wired-server.ts";
import { secretType } from "../../src/xds/type-urls.ts";

const proxyConfigType = "type.googleapis.com/istio.mesh.v1alpha1.ProxyConfig";
const node = { id: "sidecar~10.0.0.9~cart-0.shop~shop.svc.cluster.local" };
const meshConfig = (pem: string) => `
apiVersion: mesh.istio.io/v1alpha1
kind: MeshConfig
metadata: { name: mesh, namespace: istio-system }
spec: { caCertificates: [{ pem: ${pem} }, { spiffeBundleUrl: "https://elsewhere" }] }
`;

async function serving(typeUrl: string) {
  const server = await started(wiredServer());
  const agent = rawClient(server.discovery);
  const settle = () => passing(server.clock, server.discovery.idle());
  const accept = () => agent.answer(typeUrl, agent.answers.at(-1)?.nonce ?? "");
  agent.ask(typeUrl, node);
  await settle();
  accept();
  return { ...server, agent, settle, accept };
}

test("an agent gets the roots of the authority and of MeshConfig, and a push when they change", async () => {
  const { source, agent, accept, settle, ...mesh } = await serving(proxyConfigType);
  const bundles = () =>
    agent.answers.map(({ resources }) =>
      resources.map(({ value }) => fromBinary(ProxyConfigSchema, value).caCertificatesPem),
    );
  tellTrustedRoots(mesh, { trusted: ["root a"] });
  await settle();
  accept();
  source.apply(meshConfig("root c"));
  await settle();
  accept();
  tellTrustedRoots(mesh, { trusted: ["root a", "root b"] });
  await settle();
  accept();
  tellTrustedRoots(mesh, { trusted: ["root b"] });
  await settle();
  accept();
  source.remove(meshConfig("root c"));
  tellTrustedRoots(mesh, { trusted: [] });
  await settle();
  expect(bundles()).toEqual([
    [[]],
    [["root a\n"]],
    [["root a\n", "root c\n"]],
    [["root a\n", "root b\n", "root c\n"]],
    [["root b\n", "root c\n"]],
    // An agent ignores a response without a resource, so it gets an empty list.
    [[]],
  ]);
});

test("the same roots again cause no push", async () => {
  const { agent, accept, settle, ...mesh } = await serving(proxyConfigType);
  tellTrustedRoots(mesh, { trusted: ["root a"] });
  await settle();
  accept();
  const before = agent.answers.length;
  tellTrustedRoots(mesh, { trusted: ["root a"] });
  await settle();
  expect(agent.answers).toHaveLength(before);
});

test("an Envoy that asks us for ROOTCA gets the roots as a validation context", async () => {
  const { settle, discovery, ...mesh } = await serving(proxyConfigType);
  tellTrustedRoots(mesh, { trusted: ["root a", "root b"] });
  await settle();
  const envoy = rawClient(discovery);
  envoy.ask(secretType, node, ["ROOTCA"]);
  await settle();
  const [resource] = envoy.answers.at(-1)?.resources ?? [];
  const { name, type } = fromBinary(SecretSchema, resource?.value ?? new Uint8Array());
  const specifier = type.case === "validationContext" ? type.value.trustedCa?.specifier : undefined;
  const text = specifier?.case === "inlineBytes" ? Buffer.from(specifier.value).toString() : "";
  expect([name, text]).toEqual(["ROOTCA", "root a\nroot b\n"]);
});
