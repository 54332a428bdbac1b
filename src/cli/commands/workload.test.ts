import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { runCommand } from "../../testing/recording/run-command.ts";
import { started, wiredServer } from "../../testing/server/wired-server.ts";
import { TempTree } from "../../testing/temp-tree.ts";

const group = `apiVersion: networking.istio.io/v1
kind: WorkloadGroup
metadata: {name: vm, namespace: shop, annotations: {proxy.istio.io/config: "concurrency: 3"}}
spec:
  metadata: {labels: {app: store, version: v2}}
  template: {serviceAccount: vm, network: far, ports: {http: 8080, admin: 90}}
  probe: {httpGet: {port: 8080}}
`;
const mesh = "{trustDomain: td, defaultConfig: {meshId: m1, statusPort: 15021, proxyMetadata: {NOTE: it's}}}";

/** A JWT whose signature is not valid. The command does not check it. */
function token(claims: object): string {
  return ["e30", Buffer.from(JSON.stringify(claims)).toString("base64url"), "c2ln"].join(".");
}

const good = token({ sub: "system:serviceaccount:shop:vm", exp: 32_503_680_000 });

async function rig(files: Readonly<Record<string, string>> = {}) {
  const tree = await TempTree.create();
  onTestFinished(() => tree.close());
  const all = { "mesh/group.yaml": group, "mesh.yaml": mesh, "root.pem": "ROOT\n", "vm.jwt": `${good}\n`, ...files };
  for (const [name, text] of Object.entries(all)) await tree.write(name, text);
  const out = tree.path("out");
  const given = ["--token", tree.path("vm.jwt"), "--root-cert", tree.path("root.pem"), "--output", out];
  const configure = (...args: readonly string[]) =>
    runCommand(["workload", "configure", "vm", "-n", "shop", ...given, ...args]);
  const read = (name: string) => readFileSync(join(out, name), "utf8");
  return { tree, out, configure, read, mesh: tree.path("mesh") };
}

test("the files of a machine follow from its group, its mesh and the flags", async () => {
  const { tree, out, configure, read, mesh: folder } = await rig();
  const flags = ["--mesh", tree.path("mesh.yaml"), "--external-ip", "1.2.3.4", "--ingress-ip", "5.6.7.8"];
  const { code, stdout } = await configure(folder, ...flags, "--autoregister", "--revision", "canary");
  expect([code, stdout]).toEqual([0, `${out}: cluster.env, hosts, istio-token, mesh.yaml, root-cert.pem`]);
  expect(read("hosts")).toBe("5.6.7.8 istiod-canary.istio-system.svc\n");
  expect([read("istio-token"), read("root-cert.pem")]).toEqual([good, "ROOT\n"]);
  const env = new Map(
    read("cluster.env")
      .trim()
      .split("\n")
      .map((line) => line.split(/=(.*)/su) as [string, string]),
  );
  expect(Object.fromEntries(env)).toMatchObject({
    CA_ADDR: "'istiod-canary.istio-system.svc:15012'",
    ISTIO_INBOUND_PORTS: "'90,8080'",
    ISTIO_LOCAL_EXCLUDE_PORTS: "'22,15090,15021'",
    ISTIO_SVC_IP: "'1.2.3.4'",
    NOTE: `'it'"'"'s'`,
    REWRITE_PROBE_LEGACY_LOCALHOST_DESTINATION: "'true'",
    TRUST_DOMAIN: "'td'",
  });
  const { defaultConfig } = parse(read("mesh.yaml"));
  expect(defaultConfig).toMatchObject({
    concurrency: 3,
    discoveryAddress: "istiod-canary.istio-system.svc:15012",
    readinessProbe: { httpGet: { port: 8080 } },
    proxyMetadata: {
      CANONICAL_SERVICE: "store",
      CANONICAL_REVISION: "v2",
      ISTIO_META_AUTO_REGISTER_GROUP: "vm",
      ISTIO_META_DNS_CAPTURE: "true",
      ISTIO_META_MESH_ID: "m1",
      ISTIO_META_NETWORK: "far",
      ISTIO_META_POD_PORTS:
        '[{"name":"admin","containerPort":90,"protocol":""},{"name":"http","containerPort":8080,"protocol":""}]',
      NOTE: "it's",
    },
  });
});

test("labels of the template win, a probe of the mesh is not the group's, and the account is default without one", async () => {
  const plain = group
    .replace("serviceAccount: vm, network: far", "labels: {version: v9}")
    .replace(/ {2}probe: .*\n/u, "");
  const probing = "{defaultConfig: {readinessProbe: {httpGet: {port: 1}}}}";
  const { tree, configure, read, mesh: folder } = await rig({ "mesh/group.yaml": plain, "mesh.yaml": probing });
  expect((await configure(folder, "--mesh", tree.path("mesh.yaml"))).code).toBe(0);
  const { readinessProbe, proxyMetadata } = parse(read("mesh.yaml")).defaultConfig;
  expect(readinessProbe).toBeUndefined();
  expect(proxyMetadata).toMatchObject({ CANONICAL_REVISION: "v9", SERVICE_ACCOUNT: "default" });
});

test("only the owner can read the token, and a second call replaces the files", async () => {
  const { out, configure, read, mesh: folder } = await rig();
  await configure(folder);
  const modes = () => readdirSync(out).map((name) => [name, (statSync(join(out, name)).mode & 0o777).toString(8)]);
  const expected = [
    ["cluster.env", "644"],
    ["hosts", "644"],
    ["istio-token", "600"],
    ["mesh.yaml", "644"],
    ["root-cert.pem", "644"],
  ];
  expect(modes()).toEqual(expected);
  expect((statSync(out).mode & 0o777).toString(8)).toBe("700");
  expect((await configure(folder, "--capture-dns", "off", "--internal-ip", "::1")).code).toBe(0);
  expect(read("cluster.env")).toContain("ISTIO_SVC_IP='::1'");
  expect(read("cluster.env")).not.toMatch(/DNS_CAPTURE|REWRITE_PROBE|CA_ADDR|AUTO_REGISTER/u);
  expect(modes()).toEqual(expected);
});

test("a directory with other files is left alone", async () => {
  const { out, configure, mesh: folder } = await rig({ "out/notes.txt": "mine", "out/hosts": "mine" });
  const { code, stderr } = await configure(folder);
  expect([code, stderr]).toEqual([2, expect.stringContaining("has other files, such as notes.txt")]);
  expect(readdirSync(out).toSorted()).toEqual(["hosts", "notes.txt"]);
  expect(readFileSync(join(out, "hosts"), "utf8")).toBe("mine");
});

test.each<[string, readonly string[], number, string]>([
  ["no place", [], 2, "expected DIR…, kube: or --server ADDR, found none"],
  ["a server and a directory", ["MESH", "--server", "127.0.0.1:1"], 2, "--server: not with DIR or kube:"],
  [
    "a name as an address",
    ["MESH", "--ingress-ip", "gateway"],
    2,
    '--ingress-ip: expected an IP address, found "gateway"',
  ],
  ["two addresses", ["MESH", "--internal-ip", "1.1.1.1", "--external-ip", "1.1.1.2"], 2, "exclude each other"],
  ["an unknown choice", ["MESH", "--capture-dns", "maybe"], 2, "--capture-dns: expected on or off"],
  ["a duration of zero", ["MESH", "--token-duration", "0s"], 2, "--token-duration: expected a duration above zero"],
  ["another namespace", ["MESH", "-n", "park"], 1, "there is no WorkloadGroup park/vm; there are shop/vm"],
  ["a missing MeshConfig", ["MESH", "--mesh", "nowhere.yaml"], 2, "--mesh: ENOENT"],
])("%s is refused, and nothing is written", async (_case, args, code, message) => {
  const { tree, configure, mesh: folder } = await rig();
  const run = await configure(...args.map((arg) => (arg === "MESH" ? folder : arg)));
  expect(run).toMatchObject({ code, stderr: expect.stringContaining(message) });
  expect(readdirSync(tree.directory)).not.toContain("out");
});

test.each<[string, Readonly<Record<string, string>>, number, string]>([
  ["an invalid group", { "mesh/group.yaml": group.replace("8080, admin", "80800, admin") }, 1, "spec.template.ports"],
  [
    "an invalid annotation",
    { "mesh/group.yaml": group.replace("concurrency: 3", "concurrency: x") },
    1,
    "proxy.istio.io/config: concurrency",
  ],
  ["a token that is none", { "vm.jwt": "secret" }, 2, "holds no JWT"],
  ["an expired token", { "vm.jwt": token({ exp: 1000 }) }, 2, "expired at 1970-01-01T00:16:40.000Z"],
])("%s is refused, and nothing is written", async (_case, files, code, message) => {
  const { tree, configure, mesh: folder } = await rig(files);
  expect(await configure(folder)).toMatchObject({ code, stderr: expect.stringContaining(message) });
  expect(readdirSync(tree.directory)).not.toContain("out");
});

test("a token of another account is written with a warning, and the token is never printed", async () => {
  const other = token({ sub: "spiffe://td/ns/shop/sa/other" });
  const { configure, mesh: folder, read } = await rig({ "vm.jwt": other });
  const { code, stdout, stderr } = await configure(folder);
  expect([code, read("istio-token")]).toEqual([0, other]);
  expect(stderr).toContain("warning: the token is for spiffe://td/ns/shop/sa/other, not for the account shop/vm");
  expect(stdout + stderr).not.toContain(other);
  const own = await rig({ "vm.jwt": token({ sub: "spiffe://td/ns/shop/sa/vm" }) });
  expect((await own.configure(own.mesh)).stderr).not.toContain("the token is for");
});

test.each([
  ["--token", "--root-cert", "--token is missing: without Kubernetes, your issuer"],
  ["--root-cert", "--token", "--root-cert is missing"],
])("without %s a directory is not enough", async (_missing, present, message) => {
  const { tree, mesh: folder, out } = await rig();
  const files = { "--token": tree.path("vm.jwt"), "--root-cert": tree.path("root.pem") };
  const args = ["vm", "-n", "shop", folder, "-o", out, present, files[present as keyof typeof files]];
  expect(await runCommand(["workload", "configure", ...args])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(message),
  });
});

test("a running server knows the group and the MeshConfig", async () => {
  const { tree, configure, read } = await rig();
  const server = await started(wiredServer({ mesh: tree.path("mesh.yaml") }));
  server.source.apply(group);
  server.clock.advance(10_000);
  const place = ["--server", server.listeners.addresses.http];
  expect(await configure(...place)).toMatchObject({ code: 0, stderr: expect.stringContaining("until 3000") });
  const { concurrency, proxyMetadata } = parse(read("mesh.yaml")).defaultConfig;
  expect([concurrency, proxyMetadata.TRUST_DOMAIN, proxyMetadata.NOTE]).toEqual([3, "td", "it's"]);
  expect(await configure(...place, "-n", "park")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("there is no WorkloadGroup park/vm"),
  });
});
