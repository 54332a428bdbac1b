import { expect, onTestFinished, test } from "vitest";
import { HttpServer } from "../../admin/http-server.ts";
import { nearMissesPage } from "../../admin/pilot/near-misses.ts";
import { json, type Route } from "../../admin/route.ts";
import { readMesh } from "../../app/offline/read-mesh.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import { proxyWithName } from "../../testing/model/proxy-with-name.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { runCommand } from "../../testing/recording/run-command.ts";
import { meshService } from "../../testing/recording/run-explain.ts";
import type { Connection } from "../../xds/connection.ts";
import { dumpFor } from "../mesh/proxy-dump.ts";

const mesh = `${meshService("app", 80)}---
apiVersion: security.istio.io/v1
kind: PeerAuthentication
metadata: {name: default, namespace: shop}
spec: {mtls: {mode: STRICT}}
`;

const client = proxyWithName("sidecar~10.0.0.9~client-0.shop~shop.svc.cluster.local", { SDS_MODE: "none" });
const app = proxyWithName("sidecar~10.0.0.1~app-0.shop~shop.svc.cluster.local", { LABELS: { app: "app" } });

/** A server that these proxies are connected to, with the pages that `explain` asks for. */
async function serverWith(proxies: readonly Proxy[]): Promise<string> {
  const inputs = [{ file: "shop.yaml", text: mesh }];
  const read = await readMesh({ inputs, mesh: undefined, domain: "cluster.local", clusterId: "Kubernetes" });
  const connections = proxies.map((proxy) => ({ id: `${proxy.id}-1`, client: proxy }) as Connection<Proxy>);
  const status = proxies.map(({ id, nodeId }) => ({ proxy: id, node: nodeId, connection: `${id}-1`, resources: {} }));
  const named = (query: URLSearchParams) => proxies.find(({ id }) => query.get("proxyID")?.startsWith(id)) ?? client;
  const pages: readonly (readonly [string, Route["answer"]])[] = [
    ["/debug/syncz", () => json(status)],
    ["/debug/nacks", () => json([])],
    ["/debug/resources", (query) => json(dumpFor(named(query), read))],
  ];
  const state = { connections: () => connections, originOf: read.originOf, published: () => read.push };
  const routes = [...pages.map(([path, answer]) => ({ path, doc: "", answer })), nearMissesPage(state)];
  const server = new HttpServer({
    address: "127.0.0.1:0",
    routes,
    logger: new RecordingLogger(),
    onFailure: () => {},
  });
  onTestFinished(() => server.stop());
  return await server.start();
}

async function ask(proxies: readonly Proxy[], url: string) {
  const server = await serverWith(proxies);
  const args = ["explain", "--server", server, "--from", "client-0.shop", url];
  const { code, stdout } = await runCommand(args);
  return { code, text: stdout.replaceAll(/\s+/gu, " ") };
}

test("explain asks a server for the destination's proxy, and reports its refusal", async () => {
  const url = "http://app.shop.svc.cluster.local/";
  expect(await ask([client, app], url)).toEqual({
    code: 1,
    text: expect.stringContaining(
      "is refused by sidecar app-0.shop: no filter chain of virtualInbound takes plaintext",
    ),
  });
  // Of a proxy that is connected elsewhere nothing is known.
  expect(await ask([client], url)).toMatchObject({ code: 0 });
});

test("explain asks a server for near misses, with their places", async () => {
  const { text } = await ask([client], "http://ap.shop.svc.cluster.local/");
  expect(text).toContain(
    "near miss: ServiceEntry shop/app (shop.yaml:1) is app.shop.svc.cluster.local, which is similar to ap.shop.svc",
  );
});
