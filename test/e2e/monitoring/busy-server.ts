import { join } from "node:path";
import { fleetMembers } from "../../../src/cli/nodes/fleet-members.ts";
import { Fleet } from "../../../src/fleet/fleet.ts";
import { eventually } from "../../../src/testing/eventually.ts";
import { clusterType, listenerType, secretType } from "../../../src/xds/type-urls.ts";
import { type BinnacleProcess, startBinnacle } from "../support/binnacle/server.ts";
import { gatewayNode } from "../support/envoy/bootstrap.ts";
import { gatewayYaml, reviewsRule, splitYaml } from "../support/envoy/shop.ts";
import { get, portOf } from "../support/http.ts";
import { goodGateway, reviewOf, WebhookClient } from "../support/kube/webhook-client.ts";
import { MeshDir } from "../support/mesh-dir.ts";
import { TestAuthority } from "../support/tls/certificates.ts";
import { SotwClient } from "../support/xds/ads-client.ts";
import { StockSink } from "../support/xds/mcp-sink.ts";
import { serviceYaml } from "../support/yaml.ts";

/** Proxies of every kind, without a process each. */
const proxies = 20;
const services = "istio/networking/v1alpha3/serviceentries";
const rules = "istio/networking/v1alpha3/destinationrules";

/** An issuer whose key set cannot be fetched. */
const issuerYaml = `apiVersion: security.istio.io/v1
kind: RequestAuthentication
metadata: {name: tokens, namespace: shop}
spec:
  jwtRules: [{issuer: nobody, jwksUri: "http://127.0.0.1:9/keys"}]
`;

const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "reviews", labels: { "sidecar.istio.io/inject": "true" } },
  spec: { containers: [{ name: "reviews", image: "reviews:v1" }] },
};

/**
 * A server to which everything happens that an operator sees every day: a fleet, edits, a proxy that rejects, one that is
 * late, an MCP sink that accepts and one that rejects, requests to both webhooks, an authority.
 */
export class BusyServer {
  readonly binnacle: BinnacleProcess;
  readonly #mesh: MeshDir;
  readonly #webhook: WebhookClient;
  readonly #sink: StockSink;
  readonly #fleet: Fleet;
  readonly #rejecting: SotwClient;
  readonly #late: SotwClient;
  #edits = 0;

  private constructor(parts: {
    binnacle: BinnacleProcess;
    mesh: MeshDir;
    webhook: WebhookClient;
    sink: StockSink;
    fleet: Fleet;
    rejecting: SotwClient;
    late: SotwClient;
  }) {
    this.binnacle = parts.binnacle;
    this.#mesh = parts.mesh;
    this.#webhook = parts.webhook;
    this.#sink = parts.sink;
    this.#fleet = parts.fleet;
    this.#rejecting = parts.rejecting;
    this.#late = parts.late;
  }

  static async start(resources: AsyncDisposableStack): Promise<BusyServer> {
    const authority = resources.use(await TestAuthority.create());
    const files = await authority.issueHost("localhost");
    const mesh = resources.use(
      new MeshDir({
        "gateway.yaml": gatewayYaml(8080, "shop.example.com"),
        "rule.yaml": reviewsRule(),
        "routes.yaml": splitYaml(50, 50),
        "issuer.yaml": issuerYaml,
        "reviews.yaml": serviceYaml({ name: "reviews", port: 9080, endpoints: [{ port: 9 }] }),
      }),
    );
    const webhook = ["--webhook-cert", files.certificateChain, "--webhook-key", files.privateKey];
    const signing = ["--ca", "self-signed", "--ca-state", join(mesh.path, "../authority")];
    const listeners = ["--webhook", "--mcp", "--xds-tls"].flatMap((flag) => [flag, "127.0.0.1:0"]);
    const args = [
      ...listeners,
      ...webhook,
      ...signing,
      "--tls-ca",
      files.rootCertificates,
      "--ack-timeout",
      "1s",
      "--quarantine",
      "off",
      "--inject",
    ];
    const binnacle = resources.use(await startBinnacle({ dir: mesh.path, args }));
    const { addresses, xdsPort } = binnacle;
    const mcp = portOf(addresses.mcp);
    const kube = new WebhookClient(addresses.webhook.replace("127.0.0.1", "localhost"), files);
    const sink = new StockSink(mcp).subscribe();
    const refusing = new StockSink(mcp, { rejects: [services] }).subscribe([services]);
    const fleet = new Fleet({
      address: { host: "127.0.0.1", port: xdsPort },
      members: members(),
      perSecond: undefined,
    });
    const rejecting = new SotwClient(xdsPort, gatewayNode);
    const late = new SotwClient(xdsPort, { ...gatewayNode, id: `${gatewayNode.id}-late` });
    for (const each of [kube, sink, refusing, rejecting, late]) resources.use(each);
    resources.defer(() => fleet.stop());
    fleet.start();
    await eventually("the fleet is in sync", () => fleet.report.inSync === proxies, { seconds: 60 });
    await sink.until("has the rules", ({ answered }) => answered.has(rules));
    await refusing.until("got a push", ({ pushes }) => pushes.length > 0);
    return new BusyServer({ binnacle, mesh, webhook: kube, sink, fleet, rejecting, late });
  }

  /** A proxy rejects its listeners. Another one does not acknowledge its clusters, and repeats an old answer later. */
  async misbehave(): Promise<void> {
    for (const client of [this.#rejecting, this.#late]) client.subscribe(clusterType);
    this.#rejecting.ack(await this.#rejecting.next(clusterType));
    this.#rejecting.subscribe(secretType, ["kubernetes://none"]);
    this.#rejecting.subscribe(listenerType);
    this.#rejecting.nack(await this.#rejecting.next(listenerType), "no");
    await this.#lateAnswer();
  }

  /**
   * A change waits for the answer to an earlier response, and leaves after --ack-timeout. On a busy machine that time may
   * be over before the change arrives: then the next change waits.
   */
  async #lateAnswer(): Promise<void> {
    const first = await this.#late.next(clusterType);
    for (let attempt = 0; attempt < 10; attempt++) {
      const name = `late-${attempt}`;
      this.#mesh.write("late.yaml", serviceYaml({ name, port: 9080, endpoints: [{ port: 9 }] }));
      await this.#late.next(clusterType, { seconds: 30 });
      if ((await this.totals()).has("pilot_xds_delayed_push_timeouts_total")) break;
    }
    // A late answer counts once. Then its nonce has expired.
    this.#late.ack(first);
    this.#late.ack(first);
    await this.edit();
  }

  /** Changes every kind of object once. Resolves when the whole fleet and the sink have the change. */
  async edit(): Promise<void> {
    const edit = ++this.#edits;
    const name = `added-${edit}`;
    this.#mesh.write(`${name}.yaml`, serviceYaml({ name, port: 9080, endpoints: [{ port: 9 }] }));
    this.#mesh.write("routes.yaml", splitYaml(50 + (edit % 40), 50 - (edit % 40)));
    this.#mesh.write(`routes-${edit}.yaml`, splitYaml(50, 50).replace("name: shop,", `name: shop-${edit},`));
    const cluster = `outbound|9080||${name}.shop.svc.cluster.local`;
    const envoys = this.#fleet.proxies.filter((proxy) => proxy.held("LDS").size > 1);
    await eventually(`the fleet has ${name}`, () => envoys.every((proxy) => proxy.held("CDS").has(cluster)), {
      seconds: 30,
    });
    await this.#sink.until(`has ${name}`, (sink) => sink.names(services).includes(`shop/${name}`));
    await this.#webhook.post(reviewOf(goodGateway()));
    await this.#webhook.post(reviewOf({ ...goodGateway(), spec: { servers: 1 } }));
    await this.#webhook.post(reviewOf(pod), "/inject");
    await this.#webhook.post("{}", "/inject");
  }

  /** The sum of the values of each metric. */
  async totals(): Promise<ReadonlyMap<string, number>> {
    const { body } = await get(this.binnacle.metricsPort, "/metrics");
    const totals = new Map<string, number>();
    for (const [, name = "", value = ""] of body.matchAll(/^(\w+)(?:\{.*\})? (\S+)$/gmu)) {
      totals.set(name, (totals.get(name) ?? 0) + Number(value));
    }
    return totals;
  }
}

function members() {
  return fleetMembers({
    proxies,
    shares: { routers: 0.2, grpc: 0.2, delta: 0.5, slow: 0, nack: 0, reconnect: 0 },
    namespaces: ["shop"],
    routerLabels: { app: "gw" },
    targets: ["reviews.shop.svc.cluster.local:9080"],
    reconnectEveryMs: 500,
    domain: "cluster.local",
    clusterId: "Kubernetes",
  });
}
