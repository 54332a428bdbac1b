import { expect, test } from "vitest";
import { runCommand } from "../../testing/recording/run-command.ts";

const policy = `
apiVersion: security.istio.io/v1
kind: RequestAuthentication
metadata: {name: tokens, namespace: shop}
spec: {jwtRules: [{issuer: one, jwksUri: "https://one.example/keys"}, {issuer: two, jwks: '{"keys":[]}'}]}
`;

test.each([
  ["validate", ["-"]],
  ["translate", ["-", "--node", "sidecar~web-0.shop"]],
])("%s tells which keys it has not fetched", async (command, args) => {
  const { code, stdout, stderr } = await runCommand([command, ...args], { input: policy });
  expect([code, stdout + stderr]).toEqual([
    0,
    expect.stringMatching(/note: \S+:2: the keys of one are not fetched by a command: here proxies reject its tokens/u),
  ]);
});
