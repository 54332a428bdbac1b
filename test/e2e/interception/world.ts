import { join } from "node:path";
import { peerPath } from "../../../scripts/peer.ts";
import { readMesh } from "../../../src/app/offline/read-mesh.ts";
import { dumpFor, readDump } from "../../../src/cli/mesh/proxy-dump.ts";
import type { EnvoyConfig } from "../../../src/explain/envoy-config.ts";
import { assert } from "../../../src/lib/assert.ts";
import { eventually } from "../../../src/testing/eventually.ts";
import { proxyWithName } from "../../../src/testing/model/proxy-with-name.ts";
import { main } from "../support/checkout.ts";
import { Child } from "../support/child.ts";
import { adsBootstrap, commonMetadata } from "../support/envoy/bootstrap.ts";
import { MeshDir } from "../support/mesh-dir.ts";
import { TestAuthority } from "../support/tls/certificates.ts";
import type { CallReply, Dial } from "../support/pod/client.ts";
import { type Host, openNetwork, proxyGroup } from "./network.ts";
import type { ServerPlan } from "../support/pod/servers.ts";

/** A workload behind a redirected Envoy, servers on both hosts, and a client on each. */
export interface World extends AsyncDisposable {
  /** The configuration that the Envoy received, generated once more from the same files. */
  readonly config: EnvoyConfig;
  /** Calls from the workload itself, or from the host outside. */
  call(from: "workload" | "outside", dial: Dial): Promise<CallReply>;
}

const ports = { xds: 15_010, admin: 15_000 };
const node = {
  id: "sidecar~10.77.0.2~local-0.shop~shop.svc.cluster.local",
  metadata: { NAMESPACE: "shop", INSTANCE_IPS: "10.77.0.2", INTERCEPTION_MODE: "REDIRECT", SDS_MODE: "none" },
};

export async function openWorld(files: Readonly<Record<string, string>>): Promise<World> {
  const stack = new AsyncDisposableStack();
  try {
    const { workload, outside } = stack.use(await openNetwork());
    const mesh = stack.use(new MeshDir(files));
    const authority = stack.use(await TestAuthority.create());
    const certificate = await authority.issue("shop", "secure");
    await startServers(stack, workload, [
      { type: "http", name: "local", port: 18_101 },
      { type: "http", name: "unannounced", port: 18_102 },
    ]);
    await startServers(stack, outside, [
      { type: "http", name: "v1", port: 8101 },
      { type: "http", name: "v2", port: 8102 },
      { type: "http", name: "stranger", port: 8103 },
      { type: "tcp", name: "raw", port: 9101 },
      { type: "tls", name: "secure", port: 9443, certificate },
      { type: "tls", name: "other", port: 9444, certificate },
    ]);
    const off = ["--http", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--ctrlz", "off"];
    const serve = [process.execPath, main, "serve", mesh.path, "--xds", `127.0.0.1:${ports.xds}`, ...off] as const;
    await start(stack, workload, serve, /^ready: /u);
    const clients = { workload: startClient(stack, workload), outside: startClient(stack, outside) };
    await startEnvoy(stack, workload);
    await eventually("Envoy is live", () => isLive(clients.workload), { seconds: 20 });
    return {
      config: await configFor(mesh.path),
      call: (from, dial) => clients[from](dial),
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  } catch (thrown) {
    await stack.disposeAsync();
    throw thrown;
  }
}

async function start(stack: AsyncDisposableStack, host: Host, command: readonly [string, ...string[]], ready: RegExp) {
  const [executable, ...args] = host.inside(...command);
  const child = stack.use(new Child(executable, args));
  await child.line(ready, { seconds: 30 });
}

async function startServers(stack: AsyncDisposableStack, host: Host, plans: readonly ServerPlan[]): Promise<void> {
  const script = join(import.meta.dirname, "../support/pod/servers.ts");
  await start(stack, host, [process.execPath, script, JSON.stringify(plans)], /^ready$/u);
}

function startClient(stack: AsyncDisposableStack, host: Host): (dial: Dial) => Promise<CallReply> {
  const [executable, ...args] = host.inside(process.execPath, join(import.meta.dirname, "../support/pod/client.ts"));
  const child = stack.use(new Child(executable, args, { listens: true }));
  let calls = 0;
  return async (dial) => {
    const answered = ++calls;
    child.say(JSON.stringify(dial));
    const reply = () => child.log().split("\n").filter(Boolean)[answered - 1];
    return JSON.parse(await eventually("an answer of the client", reply, { seconds: 10 })) as CallReply;
  };
}

/** Runs Envoy in its own group, whose connections are not redirected. */
async function startEnvoy(stack: AsyncDisposableStack, host: Host): Promise<void> {
  const admin = { address: { socket_address: { address: "127.0.0.1", port_value: ports.admin } } };
  const bootstrap = JSON.stringify({ ...adsBootstrap(ports.xds, "delta", node), admin });
  const group = ["setpriv", `--regid=${proxyGroup}`, "--clear-groups"] as const;
  const flags = "--use-dynamic-base-id --disable-hot-restart --concurrency 1 --drain-time-s 1 -l warning".split(" ");
  const envoy = [await peerPath("envoy"), "--config-yaml", bootstrap, "--reject-unknown-dynamic-fields", ...flags];
  const [executable, ...args] = host.inside(...group, ...envoy);
  stack.use(new Child(executable, args));
}

async function isLive(call: (dial: Dial) => Promise<CallReply>): Promise<boolean> {
  const dial = {
    address: "127.0.0.1",
    port: ports.admin,
    protocol: "http",
    host: "admin",
    path: "/server_info",
  } as const;
  const reply = await call(dial);
  return "body" in reply && reply.body.includes('"state": "LIVE"');
}

async function configFor(path: string): Promise<EnvoyConfig> {
  const mesh = await readMesh({ inputs: [path], mesh: undefined, domain: "cluster.local", clusterId: "Kubernetes" });
  assert(mesh.issues.length === 0, "the files of the test are fine");
  return readDump(dumpFor(proxyWithName(node.id, { ...commonMetadata, ...node.metadata }), mesh)).config;
}
