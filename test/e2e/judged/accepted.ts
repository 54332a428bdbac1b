/**
 * Makes mutations of right objects until so many passed validation, and offers what is generated from each, one after the
 * other, to a real router and a real sidecar. Prints what they rejected, as JSON. Runs in a network of its own, because
 * gateways listen on every address.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MeshConfigSchema } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import { configKey } from "../../../src/config/config.ts";
import { kindOf, kinds } from "../../../src/config/kinds.ts";
import { parseMeshConfig } from "../../../src/config/parse/mesh-config.ts";
import { parseConfigs } from "../../../src/config/parse/parse.ts";
import { Random } from "../../../src/testing/random/random.ts";
import { generateFor, LoadedMesh, proxyFrom } from "../../golden/generate.ts";
import { TestAuthority } from "../support/tls/certificates.ts";
import { EnvoyJudge } from "./envoy-judge.ts";
import { fixtures, meshFixture } from "./fixtures.ts";
import { mutateMessage } from "./mutate-object.ts";

/** An object that we accept and a proxy does not. */
interface Rejection {
  readonly object: string;
  readonly proxy: string;
  readonly messages: readonly string[];
}

export interface Outcome {
  readonly tried: number;
  readonly accepted: number;
  readonly rejections: readonly Rejection[];
}

const metadata = { CLUSTER_ID: "Kubernetes", ISTIO_VERSION: "1.29.6", PROXY_CONFIG: {}, SDS_MODE: "none" };
const nodes = {
  router: {
    id: "router~127.0.0.1~gw-0.shop~shop.svc.cluster.local",
    metadata: { ...metadata, NAMESPACE: "shop", INSTANCE_IPS: "127.0.0.1", LABELS: { app: "gw" } },
  },
  sidecar: {
    id: "sidecar~127.0.0.9~client-0.default~default.svc.cluster.local",
    metadata: {
      ...metadata,
      NAMESPACE: "default",
      INSTANCE_IPS: "127.0.0.9",
      INTERCEPTION_MODE: "REDIRECT",
      LABELS: { app: "client" },
    },
  },
};

/** Not the configuration's fault: a directory or an address that this machine does not have. */
const environmental = /cannot bind|unable to open file|Invalid path|No such file or directory|Permission denied/u;

/** Envoy has a line for each listener. */
function withoutEnvironment(message: string): string {
  if (!environmental.test(message)) return message;
  return message
    .split("\n")
    .filter((line) => line.includes(": ") && !environmental.test(line))
    .join("\n");
}

/** What every mutation is laid over. */
function loadMesh(): LoadedMesh {
  const mesh = new LoadedMesh();
  mesh.graph.batch(() => {
    mesh.load({ file: "fixtures.yaml", text: fixtures.map((object) => JSON.stringify(object)).join("\n---\n") });
    mesh.loadMeshConfig({ file: "mesh.yaml", text: JSON.stringify(meshFixture) });
  });
  return mesh;
}

/** Sets a mutation that has no error; returns how to take it back, or undefined. */
function mutate(mesh: LoadedMesh, random: Random): { text: string; restore: () => void } | undefined {
  if (random.once(12)) {
    const text = JSON.stringify(mutateMessage(MeshConfigSchema, meshFixture, random));
    const { config } = parseMeshConfig({ file: "mesh.yaml", text, source: "judged" });
    if (config === undefined) return undefined;
    mesh.graph.batch(() => mesh.loadMeshConfig({ file: "mesh.yaml", text }));
    const back = JSON.stringify(meshFixture);
    return { text, restore: () => mesh.graph.batch(() => mesh.loadMeshConfig({ file: "mesh.yaml", text: back })) };
  }
  const original = random.pick(fixtures);
  const kind = kindOf(original.apiVersion, original.kind);
  if (kind === undefined) throw new Error(`no kind ${original.kind}`);
  const spec = mutateMessage(kind.schema, original.spec as Parameters<typeof mutateMessage>[1], random);
  const text = JSON.stringify({ ...original, spec });
  const parsed = parseConfigs({ file: "a.yaml", text, source: "judged", kinds, defaultNamespace: "shop" });
  const [config] = parsed.configs;
  if (config === undefined || parsed.issues.some(({ severity }) => severity === "error")) return undefined;
  const input = mesh.input(kind.kind);
  const before = input.get(configKey(config));
  mesh.graph.batch(() => input.set(configKey(config), config));
  const restore = () => mesh.graph.batch(() => before !== undefined && input.set(configKey(config), before));
  return { text, restore };
}

async function judge(count: number, seed: number): Promise<Outcome> {
  const random = new Random(seed);
  const mesh = loadMesh();
  using authority = await TestAuthority.create();
  const certificates = await authority.issue("default", "app");
  const judges = await Promise.all(
    Object.entries(nodes).map(async ([name, node]) => ({
      name,
      proxy: proxyFrom(node),
      judge: await EnvoyJudge.start(node, { certificates }),
    })),
  );
  const rejections: Rejection[] = [];
  let tried = 0;
  let accepted = 0;
  const offer = async (object: string) => {
    for (const { name, proxy, judge } of judges) {
      const complaints = await judge.judge(generateFor(proxy, mesh.environment));
      const messages = complaints.map(withoutEnvironment).filter((message) => message !== "");
      if (messages.length > 0) rejections.push({ object, proxy: name, messages });
    }
  };
  await offer("the fixtures");
  while (accepted < count) {
    tried += 1;
    const mutation = mutate(mesh, random);
    if (mutation === undefined) continue;
    accepted += 1;
    try {
      await offer(mutation.text);
    } catch (cause) {
      rejections.push({ object: mutation.text, proxy: "generator", messages: [String(cause)] });
    }
    mutation.restore();
  }
  for (const { judge } of judges) await judge[Symbol.asyncDispose]();
  return { tried, accepted, rejections };
}

// Access logs may be told to go anywhere.
const folder = mkdtempSync(join(tmpdir(), "binnacle-judged-"));
process.chdir(folder);
const [count, seed] = process.argv.slice(2);
process.stdout.write(`${JSON.stringify(await judge(Number(count), Number(seed)))}\n`);
process.chdir("/");
rmSync(folder, { recursive: true, force: true });
process.exit(0);
