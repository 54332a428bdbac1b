import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Addresses } from "../../admin/state.ts";
import { type ControlPlaneOptions, createControlPlane, createGalley } from "../../app/control-plane.ts";
import type { MessageJson } from "../../config/analysis/message.ts";
import { eventually } from "../../testing/eventually.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { runCommand } from "../../testing/recording/run-command.ts";
import { TempTree } from "../../testing/temp-tree.ts";

/** The target of the first one does not speak HTTP, which an analyzer reports. So the object is analysed. */
const policies = `apiVersion: authentication.istio.io/v1alpha1
kind: Policy
metadata: {name: deny, namespace: shop}
spec: {targets: [{name: a}], peers: [{jwt: {issuer: a}}], origins: [{jwt: {issuer: b}}]}
---
apiVersion: authentication.istio.io/v1alpha1
kind: Policy
metadata: {name: also, namespace: shop}
spec: {targets: [{name: b}], peers: [{jwt: {issuer: a}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: gw, namespace: shop, labels: {app: gw}}
---
apiVersion: v1
kind: Service
metadata: {name: a, namespace: shop}
spec: {ports: [{name: tcp, port: 80}]}
`;

const others = `apiVersion: networking.istio.io/v1
kind: Gateway
metadata: {name: edge, namespace: shop}
spec:
  selector: {app: gw}
  servers:
    - {port: {number: 443, name: a, protocol: HTTPS}, hosts: ["*"], tls: {mode: SIMPLE, credentialName: one}}
---
apiVersion: config.istio.io/v1alpha2
kind: QuotaSpec
metadata: {name: calls, namespace: shop}
spec: {rules: [{quotas: [{quota: x, charge: 1}]}]}
`;

const anyPorts = { xds: "127.0.0.1:0", http: "127.0.0.1:0", metrics: "off", ctrlz: "off", mcp: "127.0.0.1:0" };
const bound = { seconds: 20 };
const object = "Policy shop/deny";

function planeWith(options: ControlPlaneOptions) {
  const logger = new RecordingLogger();
  return { plane: createControlPlane({ ...anyPorts, logger, ...options }), logger };
}

async function page<T>({ http }: Addresses, path: string): Promise<T> {
  return (await (await fetch(`http://${http}${path}`)).json()) as T;
}

interface IssuesPage {
  readonly issues: readonly { readonly severity: string; readonly code: string; readonly object: string }[];
}

/** The severity of an unenforced object in `/debug/issues`. */
async function severityAt(addresses: Addresses): Promise<readonly string[]> {
  const { issues } = await page<IssuesPage>(addresses, "/debug/issues");
  return issues.flatMap((each) => (each.object === object && each.code === "no-effect" ? [each.severity] : []));
}

let tree: TempTree;
beforeAll(async () => {
  tree = await TempTree.create();
  await tree.write("mesh/policies.yaml", policies);
  await tree.write("mesh/others.yaml", others);
});
afterAll(() => tree.close());

describe.each([
  ["without --allow-unenforced", false, "error", { Policy: 2 }],
  ["with --allow-unenforced", true, "warning", {}],
] as const)("a server with unenforced objects, %s", (_, allowUnenforced, severity, unenforced) => {
  let server: ReturnType<typeof planeWith>;
  let addresses: Addresses;

  beforeAll(async () => {
    server = planeWith({ sources: [`file:${tree.path("mesh")}`], allowUnenforced });
    addresses = await server.plane.start();
    await server.plane.idle();
  });
  afterAll(() => server.plane.stop());

  test("starts, and counts the objects by kind", () => {
    const errors = allowUnenforced ? 0 : 2;
    expect(server.plane.summary()).toEqual({ services: 1, errors, warnings: 3 - errors, unenforced });
  });

  test(`shows an ${severity} at /debug/issues`, async () => {
    expect(await severityAt(addresses)).toEqual([severity]);
  });

  test("describes the object as accepted, with the problem once", async () => {
    const args = ["describe", "Policy", "also", "-n", "shop", "--server", addresses.http, "-o", "json"];
    const { code, stdout } = await runCommand(args);
    expect(JSON.parse(stdout)).toMatchObject({
      accepted: true,
      lastGood: false,
      problems: [
        {
          level: severity,
          code: "no-effect",
          message: expect.stringMatching(/^spec\.peers\[0\]\.jwt: jwt has no effect: /u),
        },
      ],
    });
    expect(code).toBe(allowUnenforced ? 0 : 1);
  });

  test("analyses the object like all others", async () => {
    const args = ["analyze", "--server", addresses.http, "-o", "json"];
    await eventually("the analysis is done", async () => (await runCommand(args)).stdout.includes("IST0119"), bound);
    const messages = JSON.parse((await runCommand(args)).stdout) as readonly MessageJson[];
    const own = messages.filter(({ origin }) => origin === object).map(({ code, level }) => `${code} ${level}`);
    expect(own.toSorted()).toEqual([allowUnenforced ? "BIN0003 Warning" : "BIN0002 Error", "IST0119 Warning"]);
  });

  test.each(["mcp", "xds"] as const)(
    "sends the object over %s, and the receiver validates it itself",
    async (scheme) => {
      const { plane } = planeWith({ sources: [`${scheme}://${addresses[scheme]}`], mcp: "off" });
      onTestFinished(() => plane.stop());
      const receiver = await plane.start();
      await plane.idle();
      const configs = await page<Record<string, readonly { readonly key: string }[]>>(receiver, "/debug/configz");
      const keys = configs["istio/authentication/v1alpha1/policies"]?.map(({ key }) => key);
      expect(keys).toEqual(["shop/also", "shop/deny"]);
      expect(await severityAt(receiver)).toEqual(["error"]);
    },
  );
});

test.each([
  [false, 2, { Policy: 2 }],
  [true, 0, {}],
])("a Galley alone, with --allow-unenforced %s, counts %i errors", async (allowUnenforced, errors, unenforced) => {
  const options = { sources: [`file:${tree.path("mesh")}`], allowUnenforced, logger: new RecordingLogger() };
  const galley = createGalley({ ...anyPorts, ...options });
  onTestFinished(() => galley.stop());
  await galley.start();
  expect(galley.summary()).toEqual({ objects: 6, errors, warnings: 3 - errors, unenforced });
});

test.each([
  [[], 1, "BIN0002 Error"],
  [["--allow-unenforced", "on"], 0, "BIN0003 Warning"],
] as const)("analyze %j ends with %i", async (flags, expected, line) => {
  const args = ["analyze", tree.path("mesh/policies.yaml"), "-o", "json", ...flags];
  const { code, stdout } = await runCommand(args);
  const messages = JSON.parse(stdout) as readonly MessageJson[];
  const own = messages.filter(({ origin }) => origin === object).map(({ code: its, level }) => `${its} ${level}`);
  expect(own.toSorted()).toEqual([line, "IST0119 Warning"]);
  expect(code).toBe(expected);
});
