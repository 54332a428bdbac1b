import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { toBinary } from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { DiscoveryRequestSchema, DiscoveryResponseSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { peerPath } from "../../../../scripts/peer.ts";
import { Child } from "../child.ts";
import { TestAuthority } from "../tls/certificates.ts";
import { AdsStream } from "../xds/ads-stream.ts";

/** How an agent starts Envoy, and the rest of its work that settings change. */
export interface AgentStart {
  readonly args: readonly string[];
  /** The bootstrap, without the settings that the agent only repeats in the metadata of the node. */
  readonly bootstrap: unknown;
  /** The Secret that Envoy gets from the agent. */
  readonly secret: string;
  /** Lines of the agent's log about other settings, without times. */
  readonly notes: readonly string[];
}

const notable = /Opening status port|Graceful termination period|Initializing with upstream|starting health check/u;

/** Stands in for Envoy. Ends when the agent asks, or after ten seconds. */
const standIn = `#!/bin/sh
printf '%s\\n' "$0" "$@" > envoy-args
cp "$2" envoy-config
trap 'exit 0' TERM INT
echo "stand-in started"
i=0; while [ $i -lt 100 ]; do sleep 0.1; i=$((i+1)); done
`;

const secrets = "var/run/secrets/workload-spiffe-credentials";
const secretType = "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret";
const sds = {
  path: "/envoy.service.secret.v3.SecretDiscoveryService/StreamSecrets",
  request: DiscoveryRequestSchema,
  response: DiscoveryResponseSchema,
};

/** Runs Istio's unmodified agent in folders of its own, with a script instead of Envoy, and without a control plane. */
export class LoneAgents implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "binnacle-agent-"));
  readonly #agent: string;
  readonly #files: Readonly<Record<string, string>>;

  private constructor(agent: string, files: Readonly<Record<string, string>>) {
    this.#agent = agent;
    this.#files = files;
  }

  /** @param files further files of all pods, by path */
  static async create(files: Readonly<Record<string, string>>): Promise<LoneAgents> {
    const agent = await peerPath("pilot-agent");
    using authority = await TestAuthority.create();
    const issued = await authority.issue("shop", "web");
    const template = readFileSync(join(agent, "envoy_bootstrap.json"), "utf8");
    return new LoneAgents(agent, {
      envoy: standIn,
      "bin/envoy": standIn,
      // The agent looks for it here unless the settings name another file.
      "var/lib/istio/envoy/envoy_bootstrap_tmpl.json": template,
      [`${secrets}/cert-chain.pem`]: readFileSync(issued.certificateChain, "utf8"),
      [`${secrets}/key.pem`]: readFileSync(issued.privateKey, "utf8"),
      [`${secrets}/root-cert.pem`]: readFileSync(issued.rootCertificates, "utf8"),
      ...files,
    });
  }

  /** @param env the variables of the container, with the settings of the proxy */
  async start(env: Readonly<Record<string, string>>): Promise<AgentStart> {
    const folder = mkdtempSync(join(this.#folder, "pod-"));
    this.#layOut(folder);
    const args = ["proxy", "sidecar", "--domain", "shop.svc.cluster.local"];
    const child = new Child(join(this.#agent, "pilot-agent"), args, {
      cwd: folder,
      env: { PATH: process.env["PATH"], XDS_ROOT_CA: "SYSTEM", ...env },
    });
    await child.logged("stand-in started");
    const secret = await secretIn(folder);
    await child.stop();
    return {
      args: readFileSync(join(folder, "envoy-args"), "utf8").trim().split("\n"),
      bootstrap: bootstrapIn(readFileSync(join(folder, "envoy-config"), "utf8")),
      secret,
      // Parts of the agent log at the same time.
      notes: child
        .linesLike(notable)
        .map((line) => line.replace(/^\S+\s+/u, ""))
        .toSorted(),
    };
  }

  #layOut(folder: string): void {
    for (const [path, text] of Object.entries(this.#files)) {
      const file = join(folder, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      if (text === standIn) chmodSync(file, 0o755);
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function secretIn(folder: string): Promise<string> {
  using stream = new AdsStream(`unix:${join(folder, "var/run/secrets/workload-spiffe-uds/socket")}`, sds);
  stream.send({ node: { id: "web" }, typeUrl: secretType, resourceNames: ["default"] });
  const { resources } = await stream.next(secretType);
  return resources.map((resource) => Buffer.from(toBinary(AnySchema, resource)).toString("base64")).join();
}

function bootstrapIn(text: string): unknown {
  const { node, ...rest } = JSON.parse(text) as { node?: { metadata?: Record<string, unknown> } };
  const { PROXY_CONFIG: _repeated, ...metadata } = node?.metadata ?? {};
  return { ...rest, node: { ...node, metadata } };
}
