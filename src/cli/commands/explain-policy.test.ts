import { describe, expect, test } from "vitest";
import { meshService, runExplain } from "../../testing/recording/run-explain.ts";

const mesh = `${meshService("web", 8080)}---
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: readers, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  rules:
    - from: [{source: {principals: [cluster.local/ns/shop/sa/reader]}}]
      to: [{operation: {methods: [GET]}}]
    - from: [{source: {ipBlocks: [10.9.0.0/16]}}]
---
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: no-admin, namespace: shop}
spec:
  action: DENY
  rules: [{to: [{operation: {paths: [/admin]}}]}]
`;

async function ask(...args: readonly string[]) {
  const meta = ["SDS_MODE=agent", "INSTANCE_IPS=10.0.0.1", "INTERCEPTION_MODE=REDIRECT"];
  const proxy = ["--from", "sidecar~web-0.shop", "--label", "app=web", ...meta.flatMap((each) => ["--meta", each])];
  return await runExplain(["-", ...proxy, "--inbound", ...args], { input: mesh });
}

const url = "http://10.0.0.1:8080";
const reader = ["--principal", "spiffe://cluster.local/ns/shop/sa/reader"];

describe("explain with policies", () => {
  test("names the rule that allows a caller, with its file and line", async () => {
    expect(await ask(...reader, `${url}/`)).toMatchObject({
      code: 0,
      outcome: { type: "forwarded" },
      decidedBy: [{ id: "AuthorizationPolicy/shop/readers", part: "rule 0", reference: "<stdin>:11" }],
    });
  });

  test("names the rule that denies a request", async () => {
    expect(await ask(...reader, `${url}/x/../admin`)).toMatchObject({
      code: 1,
      outcome: { type: "refused", status: 403 },
      decidedBy: [{ id: "AuthorizationPolicy/shop/no-admin", part: "rule 0", reference: "<stdin>:21" }],
    });
  });

  test("names the policies that do not allow a request", async () => {
    expect(await ask(...reader, "--source-ip", "10.0.0.9", "POST", `${url}/`)).toMatchObject({
      code: 1,
      outcome: { status: 403 },
      decidedBy: [{ id: "AuthorizationPolicy/shop/readers" }],
    });
  });

  test("needs the source address where a rule asks for it", async () => {
    expect(await ask("POST", `${url}/`)).toMatchObject({
      code: 1,
      outcome: { type: "unknown", reason: expect.stringContaining("the source address is not known") },
    });
    expect(await ask("--source-ip", "10.9.0.9", "POST", `${url}/`)).toMatchObject({ code: 0 });
  });

  test.each([
    [["--source-ip", "here"], '--source-ip: expected an IP address, found "here"'],
    [["--at", "soon"], '--at: expected a time, found "soon"'],
    [["--ext-authz", "perhaps"], '--ext-authz: expected allow or deny, found "perhaps"'],
    [["--token", "-"], "--token: stdin is the mesh already"],
  ])("%j is wrong usage", async (flags, sentence) => {
    expect(await ask(...flags, `${url}/`)).toMatchObject({ code: 2, stderr: `binnacle explain: ${sentence}` });
  });
});

const patched = `${meshService("web", 8080)}---
apiVersion: networking.istio.io/v1alpha3
kind: EnvoyFilter
metadata: {name: patches, namespace: shop}
spec:
  configPatches:
    - applyTo: VIRTUAL_HOST
      match: {context: SIDECAR_INBOUND}
      patch: {operation: MERGE, value: {request_headers_to_remove: [x-a]}}
    - applyTo: HTTP_ROUTE
      match: {context: SIDECAR_INBOUND, routeConfiguration: {vhost: {}}}
      patch: {operation: INSERT_FIRST, value: {name: a, match: {path: /a}, direct_response: {status: 418}}}
`;

test("explain names the patch that made a route, with its own line", async () => {
  const meta = ["--meta", "INSTANCE_IPS=10.0.0.1", "--meta", "INTERCEPTION_MODE=REDIRECT"];
  const args = ["-", "--from", "sidecar~web-0.shop", "--label", "app=web", ...meta, "--inbound"];
  const asked = async (path: string) => await runExplain([...args, `${url}${path}`], { input: patched });
  expect(await asked("/a")).toMatchObject({
    outcome: { type: "response", status: 418 },
    decidedBy: [{ id: "EnvoyFilter/shop/patches", part: "configPatches[1]", reference: "<stdin>:19" }],
  });
  expect(await asked("/b")).toMatchObject({ outcome: { type: "forwarded" }, decidedBy: [] });
});
