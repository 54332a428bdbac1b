/** `node bench/generators-run.ts SERVICES` prints {@link ChangeFigures} as JSON. */
import { ChangingMesh } from "../test/golden/changing-mesh.ts";
import { cpuMs } from "./cpu.ts";
import type { ChangeFigures } from "./generators.ts";

const changes = 50;

async function measure(services: number): Promise<ChangeFigures> {
  const started = process.cpuUsage();
  const mesh = new ChangingMesh(services);
  const firstMs = cpuMs(started);
  for (let warm = 0; warm < 5; warm += 1) await mesh.change();
  const encoded = mesh.encodings;
  const since = process.cpuUsage();
  for (let index = 0; index < changes; index += 1) await mesh.change();
  return { services, firstMs, changeMs: cpuMs(since) / changes, encodings: (mesh.encodings - encoded) / changes };
}

process.stdout.write(`${JSON.stringify(await measure(Number(process.argv[2])))}\n`);
