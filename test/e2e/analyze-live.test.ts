import { expect, test } from "vitest";
import type { MessageJson } from "../../src/config/analysis/message.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { runCommand } from "../../src/testing/recording/run-command.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { freePort } from "./support/free-port.ts";
import { grantOurRights } from "./support/kube/cluster-role.ts";
import { Kube } from "./support/kube/kube.ts";
import { statusDefinition } from "./support/kube/status-definition.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";
import { shared } from "./support/shared.ts";

const describeWithKube = await describeWith("kube");
const patience = { seconds: 30 };

const route = `
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: { name: web, namespace: default }
spec:
  hosts: [web.example]
  gateways: [main]
  http:
    - route: [{ destination: { host: pages } }]
`;
const gateway = `
apiVersion: networking.istio.io/v1
kind: Gateway
metadata: { name: main, namespace: default }
spec:
  selector: { app: gateway }
  servers:
    - port: { number: 443, name: https, protocol: HTTPS }
      hosts: [web.example]
      tls: { mode: SIMPLE, credentialName: web-cert }
`;
const service = `
apiVersion: v1
kind: Service
metadata: { name: pages, namespace: default }
spec: { ports: [{ name: http, port: 80 }] }
`;

/** Runs in this process: only the analyzed server is real. */
async function analyze(...args: readonly string[]) {
  const { code, stdout, stderr } = await runCommand(["analyze", ...args]);
  return { code, output: `${stdout}\n${stderr}` };
}

async function findings(...args: readonly string[]): Promise<readonly MessageJson[]> {
  const { stdout } = await runCommand(["analyze", "-o", "json", ...args]);
  return JSON.parse(stdout) as readonly MessageJson[];
}

/** The findings about the two objects, without places. */
function about(messages: readonly MessageJson[]) {
  return messages
    .filter(({ origin }) => / default\/(web|main)$/u.test(origin))
    .map(({ code, origin }) => [code, origin]);
}

function lost(messages: readonly MessageJson[]): MessageJson | undefined {
  return messages.find(({ origin }) => origin === "VirtualService default/web");
}

test("reads the findings of a running server, with its own places", async () => {
  using mesh = new MeshDir({ "route.yaml": route, "gateway.yaml": gateway });
  await using server = await startBinnacle({ dir: mesh.path });
  const address = `127.0.0.1:${server.httpPort}`;
  const found = await findings("--server", address);
  expect(about(found)).toContainEqual(["IST0101", "VirtualService default/web"]);
  const own = await findings(mesh.path);
  expect(lost(found)).toEqual(lost(own));
  const text = await analyze("--server", address, "--output-threshold", "Error");
  expect(text.code).toBe(1);
  expect(text.output).toContain('error IST0101 VirtualService default/web: the host "pages" was not found');
  expect(
    await findings("--server", address, "--suppress", "IST0101=VirtualService *", "-n", "default"),
  ).not.toContainEqual(lost(found));
});

test("an unreachable server is a clear error", async () => {
  const { code, output } = await analyze("--server", `127.0.0.1:${await freePort()}`);
  expect(code).not.toBe(0);
  expect(output).toContain("ECONNREFUSED");
});

describeWithKube("analyze kube:", () => {
  const rig = shared(async (resources) => {
    const kube = resources.use(await Kube.start());
    const kinds = [
      { kind: "VirtualService", plural: "virtualservices" },
      { kind: "Gateway", plural: "gateways" },
    ];
    for (const names of kinds) {
      const definition = statusDefinition(names, "open");
      await kube.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
    }
    using files = new MeshDir({ "route.yaml": route, "gateway.yaml": gateway });
    const apply = async () => {
      const { code, output } = await kube.kubectl(["apply", "-f", files.path]);
      if (code !== 0) throw new Error(output);
      return true;
    };
    await eventually("the objects", apply, patience);
    await grantOurRights(kube, "default", "secrets");
    return kube;
  });
  const live = (user: "admin" | "mesh", ...args: readonly string[]) =>
    findings("kube:", "--kubeconfig", rig().kubeconfig(user), ...args);

  test("finds mistakes in a live cluster, Secrets included, in istioctl's form", async () => {
    const messages = await live("admin");
    expect(about(messages)).toContainEqual(["IST0101", "VirtualService default/web"]);
    expect(messages.find(({ origin, code }) => code === "IST0101" && origin.startsWith("VirtualService"))).toEqual({
      code: "IST0101",
      level: "Error",
      origin: "VirtualService default/web",
      message: 'the host "pages" was not found',
      reference: "",
      documentationUrl: "https://istio.io/latest/docs/reference/config/analysis/ist0101/",
    });
    const { output } = await analyze("kube:", "--kubeconfig", rig().kubeconfig("admin"));
    expect(output).not.toContain("Secret");
  });

  test("shows which findings a file would fix, before it is applied", async () => {
    using files = new MeshDir({ "service.yaml": service });
    const mended = about(await live("admin", files.path));
    expect(mended).not.toContainEqual(["IST0101", "VirtualService default/web"]);
    expect((await rig().call("GET", "/api/v1/namespaces/default/services/pages")).status).toBe(404);
  });

  test("leaves out kinds without read permission, and reports them", async () => {
    const { output } = await analyze("kube:test", "--verbose", "--kubeconfig", rig().kubeconfig("mesh"));
    expect(output).toMatch(/analyzers? skipped:\n(?: .*\n)*.*: no .*Secret/u);
    expect(output).toContain("IST0101 VirtualService default/web");
  });

  test("rejects an unknown context, and lists the known ones", async () => {
    const { code, output } = await analyze("kube:elsewhere", "--kubeconfig", rig().kubeconfig("admin"));
    expect([code, output]).toEqual([1, expect.stringContaining('there is no context "elsewhere"; there is test')]);
  });
});
