/** One server of the sizing bench: `node --expose-gc bench/sizing/run.ts JSON`, JSON out. */
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createControlPlane } from "../../src/app/control-plane.ts";
import { oldGeneration } from "../../src/app/overload/old-generation.ts";
import { nullLogger } from "./null-logger.ts";
import { type SizedKind, sizedObjects } from "./sized-objects.ts";

/** A server, its objects and its proxies. */
export interface SizingCase {
  readonly objects: readonly { readonly kind: SizedKind; readonly count: number; readonly items: number }[];
  readonly sotw: number;
  readonly delta: number;
}

/** The memory of the server after a garbage collection. */
export interface SizingFigures {
  readonly heapBytes: number;
  readonly bufferBytes: number;
}

const objectsPerFile = 100;
const any = "127.0.0.1:0";
const root = join(import.meta.dirname, "../..");

const measured: SizingCase = JSON.parse(process.argv[2] ?? "") as SizingCase;
const directory = await mkdtemp(join(tmpdir(), "binnacle-bench-"));
try {
  process.stdout.write(JSON.stringify(await figures()));
} finally {
  await rm(directory, { recursive: true });
}

async function figures(): Promise<SizingFigures> {
  for (const { kind, count, items } of measured.objects) {
    const texts = Array.from({ length: count }, (_, index) => sizedObjects[kind](index, items));
    for (let start = 0; start < count; start += objectsPerFile) {
      await writeFile(
        join(directory, `${kind}-${start}.yaml`),
        texts.slice(start, start + objectsPerFile).join("\n---\n"),
      );
    }
  }
  const settings = { xds: any, http: any, metrics: any, ctrlz: "off", streamsPerSecond: 1_000, logger: nullLogger };
  const plane = createControlPlane({ ...settings, sources: [`file:${directory}`] });
  const { xds, metrics } = await plane.start();
  const fleets = [fleet(xds, measured.sotw, "0%"), fleet(xds, measured.delta, "100%")];
  await connected(metrics, measured.sotw + measured.delta);
  await plane.idle();
  // Analysis and the responses of the last proxies end by themselves.
  await pause(3_000);
  globalThis.gc?.();
  globalThis.gc?.();
  const result = { heapBytes: oldGeneration().usedBytes, bufferBytes: process.memoryUsage().arrayBuffers };
  for (const child of fleets) child?.kill();
  await plane.stop();
  return result;
}

/** Proxies in another process, one in ten a gateway. */
function fleet(xds: string, proxies: number, delta: string) {
  if (proxies === 0) return undefined;
  const flags = ["--xds", xds, "--proxies", String(proxies), "--delta", delta, "--routers", "10%", "--duration", "10m"];
  return spawn(process.execPath, [join(root, "src/cli/main.ts"), "fleet", ...flags], { stdio: "ignore" });
}

/** Until all proxies have acknowledged everything. */
async function connected(metrics: string, proxies: number): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    const text = await (await fetch(`http://${metrics}/metrics`)).text();
    const lines = text.split("\n").filter((line) => line.startsWith("pilot_xds{"));
    if (lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0) === proxies) return;
    await pause(200);
  }
  throw new Error(`${proxies} proxies did not connect`);
}
