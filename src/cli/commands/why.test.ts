import { describe, expect, test } from "vitest";
import { smallShop } from "../../testing/mesh/small-shop.ts";
import { runCommand } from "../../testing/recording/run-command.ts";

const gateway = "router~gw-0.istio-system";
const route = [gateway, "route", "http.8080"];

async function why(...args: readonly string[]) {
  return await runCommand(["why", ...args, "-f", "-"], { input: smallShop });
}

async function causes(...args: readonly string[]) {
  const { stdout } = await why(...args, "-o", "json");
  const report: { causes: { role: string; object: string; reference: string; field: string }[] } = JSON.parse(stdout);
  return report.causes.map(({ role, object, reference, field }) => `${role} ${reference} ${object} ${field}`);
}

/** The place of a text in the mesh, which stands in it once. */
function lineOf(text: string): string {
  return `<stdin>:${smallShop.split("\n").findIndex((line) => line.includes(text)) + 1}`;
}

/** A port of a service with several. 82 is not HTTP. */
function entry(name: string, number: number): string {
  const ports = [{ number, name: "main", protocol: number === 82 ? "TCP" : "HTTP" }];
  const hosts = ["many.shop.svc.cluster.local"];
  const spec = { hosts, ports, resolution: "STATIC", endpoints: [{ address: "10.1.1.1" }] };
  const metadata = { name, namespace: "shop" };
  return JSON.stringify({ apiVersion: "networking.istio.io/v1", kind: "ServiceEntry", metadata, spec });
}

describe("why PROXY TYPE RESOURCE FIELD", () => {
  test("names the line that gives a value, and the lines that decide whether it is there", async () => {
    const weight = "virtual_hosts[0].routes[2].route.weighted_clusters.clusters[0].weight";
    const found = await causes(...route, weight);
    expect(found[0]).toBe(`value ${lineOf("weight: 80")} VirtualService shop/shop spec.http[2].route[0].weight`);
    expect(found).toContain(`condition ${lineOf("selector: {app: gw}")} Gateway istio-system/public spec.selector.app`);
    expect(found).toContain(`condition ${lineOf("gateways: [istio")} VirtualService shop/shop spec.gateways[0]`);
    expect(found.join("\n")).not.toContain("weight: 20");
    expect(found.join("\n")).not.toContain("DestinationRule");
  });

  test("accepts the names of fields in JSON, and items by their name", async () => {
    const snake = await causes(...route, "virtual_hosts[0].routes[1].redirect.path_redirect");
    const camel = await causes(...route, 'virtualHosts["shop.example.com:8080"].routes[1].redirect.pathRedirect');
    expect(snake[0]).toBe(
      `value ${lineOf("redirect: {uri: /new}")} VirtualService shop/shop spec.http[1].redirect.uri`,
    );
    expect(camel).toEqual(snake);
  });

  test("names the line of a value that is also in the name of the resource", async () => {
    const found = await causes(gateway, "listener", "0.0.0.0_8080", "address.socket_address.port_value");
    expect(found[0]).toBe(`value ${lineOf("number: 8080")} Gateway istio-system/public spec.servers[0].port.number`);
  });

  test("does not name a number that would take the place of another one", async () => {
    const input = [entry("first", 82), entry("second", 81)].join("\n---\n");
    const question = ["why", "sidecar~one-0.shop", "route", "81", "name", "-f", "-", "-o", "json"];
    const { stdout } = await runCommand(question, { input });
    const { causes: found }: { causes: { object: string; field: string }[] } = JSON.parse(stdout);
    const fields = found.map(({ object, field }) => `${object} ${field}`);
    expect(fields).toContain("ServiceEntry shop/second spec.ports[0].number");
    expect(fields).not.toContain("ServiceEntry shop/first spec.ports[0].number");
  });

  test("names a line that has the same value as the default", async () => {
    const input = smallShop.replace("  - name: everybody\n", "  - name: everybody\n    retries: {attempts: 2}\n");
    const path = "virtual_hosts[0].routes[2].route.retry_policy.num_retries";
    const { stdout } = await runCommand(["why", ...route, path, "-f", "-"], { input });
    expect(stdout).toMatch(/value +<stdin>:\d+ +VirtualService shop\/shop +spec\.http\[2\]\.retries\.attempts: 2/u);
  });

  test("has kind, name, field and value in columns of their own when it is wide", async () => {
    const path = "virtual_hosts[0].routes[1].redirect.path_redirect";
    const { stdout } = await why(...route, path, "-o", "wide");
    expect(stdout).toMatch(/^ROLE +PLACE +KIND +NAME +FIELD +VALUE$/mu);
    expect(stdout).toMatch(
      /^value +<stdin>:\d+ +VirtualService +shop\/shop +spec\.http\[1\]\.redirect\.uri +"\/new"$/mu,
    );
  });

  test("says that a value is a default if no line gives it", async () => {
    const { stdout } = await why(gateway, "cluster", "BlackHoleCluster", "type");
    expect(stdout).toBe('CDS BlackHoleCluster: type = "STATIC"\n\nno line of the mesh changes it: it is a default');
  });

  test("names the lines of the whole resource without a field", async () => {
    const found = await causes(gateway, "endpoint", "outbound|9080|v2|reviews.shop.svc.cluster.local");
    expect(found.join("\n")).toContain("spec.endpoints[1].address");
    expect(found.join("\n")).toContain("spec.subsets[1].labels.version");
    expect(found.join("\n")).not.toContain("spec.endpoints[0].address");
  });
});

describe("why FILE:LINE", () => {
  test("has a row per resource and proxy when it is wide", async () => {
    const { stdout } = await why(lineOf("weight: 80"), "-o", "wide");
    expect(stdout).toMatch(/^TYPE +RESOURCE +EFFECT +FIELDS +LINE'S FIELD +PROXY +COUNT$/mu);
    expect(stdout).toMatch(/^RDS +http\.8080 +changed +\S.* +spec\.http\[2\]\.route\[0\]\.weight +router~\S+ +\d+$/mu);
  });

  test("lists the resources that a line reaches, with their proxies", async () => {
    const { stdout } = await why(lineOf("weight: 80"));
    const [head, , , ...rows] = stdout.split("\n");
    expect(head).toBe(
      'VirtualService shop/shop spec.http[2].route[0].destination.host: "reviews.shop.svc.cluster.local"',
    );
    expect(rows.some((row) => /^RDS +http\.8080 .*weighted_clusters.clusters\[0\]\.weight .*router~/u.test(row))).toBe(
      true,
    );
    expect(rows.some((row) => row.startsWith("RDS   9080"))).toBe(false);
  });

  test("says that no resource depends on a line", async () => {
    const input = `${smallShop}---
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: nobody, namespace: shop}
spec:
  host: nobody.example
  trafficPolicy: {connectionPool: {tcp: {maxConnections: 7}}}
`;
    const line = input.split("\n").findIndex((each) => each.includes("maxConnections: 7")) + 1;
    const { stdout, code } = await runCommand(["why", `<stdin>:${line}`, "-f", "-"], { input });
    expect(code).toBe(0);
    expect(stdout).toContain("no resource of a proxy depends on it");
  });
});

describe("a wrong question", () => {
  test.each([
    { args: [gateway], code: 2, error: "expected PROXY TYPE RESOURCE [FIELD], or FILE:LINE, found router~gw-0" },
    { args: [gateway, "route"], code: 2, error: "expected PROXY TYPE RESOURCE [FIELD], or FILE:LINE" },
    { args: ["gw", "route", "http.8080"], code: 2, error: "PROXY: expected TYPE~NAME.NAMESPACE" },
    {
      args: [gateway, "vhost", "http.8080"],
      code: 2,
      error: 'TYPE: expected one of cluster, endpoint, ecds, listener, route, found "vhost"',
    },
    {
      args: [gateway, "route", "http.80"],
      code: 1,
      error: 'the proxy has no resource "http.80"; did you mean http.8080?',
    },
    { args: [...route, "virtual_hosts[9].name"], code: 1, error: "http.8080 has no field virtual_hosts[9].name" },
    { args: ["<stdin>:9999"], code: 1, error: "<stdin>:9999 has no value of an object in use" },
    { args: [lineOf("kind: Gateway")], code: 1, error: "has no value of an object in use" },
  ])("$args is answered with the reason", async ({ args, code, error }) => {
    const run = await why(...args);
    expect(run.code).toBe(code);
    expect(run.stderr).toContain(error);
  });
});
