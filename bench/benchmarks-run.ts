/** `node bench/benchmarks-run.ts CASE SERVICES` prints a list of {@link TypeFigures} as JSON. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ProtoWriter } from "../src/lib/proto-writer/proto-writer.ts";
import type { Proxy } from "../src/pilot/model/proxy/proxy.ts";
import { capturePush, type PushContext } from "../src/pilot/model/push-context.ts";
import type { Resource } from "../src/pilot/model/resource.ts";
import { createGenerators } from "../src/pilot/xds/generators.ts";
import { fillPlaceholders } from "../src/testing/config/istio-documents.ts";
import { proxyWithName } from "../src/testing/model/proxy-with-name.ts";
import { istioData } from "../src/testing/shared-data.ts";
import { loadEnvironment } from "../test/golden/generate.ts";
import type { TypeFigures } from "./benchmarks.ts";
import { cpuMs } from "./cpu.ts";

const warmMs = 500;
const metadata = { NAMESPACE: "default", LABELS: { "istio.io/benchmark": "true" } };
const sidecar = proxyWithName("sidecar~1.1.1.1~app-0.default~default.svc.cluster.local", metadata);
const router = proxyWithName("router~1.1.1.1~gw-0.default~default.svc.cluster.local", metadata);

/** A mesh that nobody has looked at yet: nothing of it is remembered. */
function freshMesh(text: string): PushContext {
  return capturePush(loadEnvironment([{ file: "case.yaml", text }]).views(), 1);
}

function generate(type: string, proxy: Proxy, push: PushContext): readonly Resource[] {
  const generators = createGenerators({ writer: new ProtoWriter() });
  const families = generators.find(({ shortName }) => shortName === type)?.families ?? [];
  return families.flatMap((family) =>
    family.parts(proxy, push, "all").flatMap((inputs) => family.generate({ inputs, push }).resources),
  );
}

function measure(type: string, proxy: Proxy, text: string): TypeFigures {
  const push = freshMesh(text);
  const started = process.cpuUsage();
  const resources = generate(type, proxy, push);
  const coldMs = cpuMs(started);
  const since = process.cpuUsage();
  let runs = 0;
  for (; cpuMs(since) < warmMs; runs += 1) generate(type, proxy, push);
  const bytes = resources.reduce((sum, { entry }) => sum + entry.length, 0);
  return { type, coldMs, warmMs: cpuMs(since) / runs, resources: resources.length, kilobytes: bytes / 1000 };
}

const [, , name = "", services = ""] = process.argv;
const text = fillPlaceholders(readFileSync(join(istioData, "benchmarks", `${name}.yaml`), "utf8"), Number(services));
const proxy = name === "gateways" ? router : sidecar;
const figures = ["CDS", "EDS", "LDS", "RDS"].map((type) => measure(type, proxy, text));
process.stdout.write(`${JSON.stringify(figures)}\n`);
