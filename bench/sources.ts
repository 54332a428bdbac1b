import { setTimeout as pause } from "node:timers/promises";
import { quantilesOf } from "../src/fleet/quantiles.ts";
import { type BinnacleProcess, startServer } from "../test/e2e/support/binnacle/server.ts";
import { benchTable } from "./bench-table.ts";
import { etcdRegistry } from "./sources/etcd.ts";
import { eurekaRegistry } from "./sources/eureka.ts";
import { fileRegistry } from "./sources/file.ts";
import { flipLags } from "./sources/flips.ts";
import { kubeRegistry } from "./sources/kube.ts";
import type { BenchedRegistry } from "./sources/registry.ts";
import { zooKeeperRegistry } from "./sources/zookeeper.ts";

/** Each registry on its real server, or on the disk. */
const registries: Readonly<Record<string, () => Promise<BenchedRegistry>>> = {
  file: fileRegistry,
  etcd: etcdRegistry,
  kube: kubeRegistry,
  zookeeper: zooKeeperRegistry,
  eureka: eurekaRegistry,
};

/** The number of services. Filling some registries takes minutes, so a smaller number can be set. */
const services = Number(process.env["BINNACLE_SERVICES"] ?? 10_000);
const flips = { services: 100, perSecond: 50, seconds: 10 };

/**
 * Sources on their registries. Measures the time until a server is ready, and its memory then. Also measures the time
 * from a write in the registry to the xDS response, while endpoints flip at a fixed rate. To run some of them: `npm run
 * bench -- sources etcd file`.
 */
export async function sources(): Promise<string> {
  const wanted = process.argv.slice(3);
  const rows: (readonly string[])[] = [];
  for (const [name, start] of Object.entries(registries)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    process.stderr.write(`${name}, ${services} services …\n`);
    await using registry = await start();
    await registry.fill(services);
    rows.push([name, String(services), ...(await measured(registry))]);
  }
  return benchTable(["source", "services", "ready", "CPU", "RSS", "lag p50", "p99", "CPU per flip"], rows);
}

async function measured(registry: BenchedRegistry): Promise<readonly string[]> {
  const listeners = ["--xds", "127.0.0.1:0", "--http", "127.0.0.1:0", "--metrics", "off", "--ctrlz", "off"];
  const source = ["--source", registry.source, ...(registry.flags ?? []), "--log-level", "warn"];
  const begun = performance.now();
  await using binnacle = await startServer(["serve", ...listeners, ...source], { seconds: 300 });
  const readyMs = performance.now() - begun;
  const { rssMb, cpuSeconds } = binnacle;
  let calmSeconds = cpuSeconds;
  const begin = async () => {
    await calm(binnacle);
    calmSeconds = binnacle.cpuSeconds;
  };
  const { p50, p99 } = quantilesOf(await flipLags(registry, binnacle.xdsPort, { ...flips, begin }));
  const perFlipMs = ((binnacle.cpuSeconds - calmSeconds) * 1000) / (flips.perSecond * flips.seconds);
  return [
    `${(readyMs / 1000).toFixed(1)} s`,
    `${cpuSeconds.toFixed(1)} s`,
    `${rssMb.toFixed(0)} MB`,
    `${p50.toFixed(0)} ms`,
    `${p99.toFixed(0)} ms`,
    `${perFlipMs.toFixed(1)} ms`,
  ];
}

/** Resolves when a started server has analysed everything, and rests. */
async function calm(binnacle: BinnacleProcess): Promise<void> {
  for (let second = 0; second < 60; second += 1) {
    const before = binnacle.cpuSeconds;
    await pause(1_000);
    if (binnacle.cpuSeconds - before < 0.1) return;
  }
}
