import { expect, test } from "vitest";
import { type BinnacleProcess, startBinnacle, startGalley } from "./support/binnacle/server.ts";
import { reviewOf, WebhookClient } from "./support/kube/webhook-client.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { TestAuthority } from "./support/tls/certificates.ts";

/** Proxies never take the tokens of peers. */
function policy(name: string) {
  const spec = { targets: [{ name }], peers: [{ jwt: { issuer: "a" } }] };
  return { apiVersion: "authentication.istio.io/v1alpha1", kind: "Policy", metadata: { name }, spec };
}

const files = { "deny.yaml": JSON.stringify(policy("deny")), "also.yaml": JSON.stringify(policy("also")) };
const servers: Readonly<Record<string, (dir: string, ...args: readonly string[]) => Promise<BinnacleProcess>>> = {
  serve: (dir, ...args) => startBinnacle({ dir, args }),
  galley: (dir, ...args) => startGalley(dir, ...args),
};
const line = /^not enforced: 2 objects that security relies on: Policy \(2\); see \/debug\/issues/mu;

test.each(Object.keys(servers))("%s prints the number of unenforced objects at its start", async (name) => {
  using mesh = new MeshDir(files);
  await using server = await servers[name]?.(mesh.path);
  expect(await server?.logged(line)).toMatch(line);
  expect(await server?.logged("ready: ")).toContain(", 0 warnings, 2 errors");
});

test("serve --allow-unenforced counts them as warnings, and its webhook allows more of them with a warning", async () => {
  using mesh = new MeshDir(files);
  using authority = await TestAuthority.create();
  const pair = await authority.issueServer("webhook");
  const webhook = [
    "--webhook",
    "127.0.0.1:0",
    "--webhook-cert",
    pair.certificateChain,
    "--webhook-key",
    pair.privateKey,
  ];
  await using server = await startBinnacle({ dir: mesh.path, args: ["--allow-unenforced", "on", ...webhook] });
  expect(await server.logged("ready: ")).toMatch(/, 2 warnings$/u);
  using client = new WebhookClient(server.addresses.webhook, pair);
  const { body } = await client.post(reviewOf(policy("third")));
  expect(JSON.parse(body)).toMatchObject({
    response: { allowed: true, warnings: [expect.stringMatching(/jwt has no effect: [^;]*$/u)] },
  });
  expect(server.linesLike(/^not enforced/u)).toEqual([]);
});
