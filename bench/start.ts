import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { toYaml } from "../src/config/yaml/to-yaml.ts";
import { buildPackage } from "../scripts/build/package.ts";
import { readCommit } from "../src/app/process/version.ts";
import { whenReady } from "../test/e2e/support/binnacle/server.ts";
import { Child } from "../test/e2e/support/child.ts";
import { benchTable } from "./bench-table.ts";
import { meshObjects } from "./mesh.ts";
import { recordStart, type StartFigures, type StartRow } from "./results.ts";
import { unedited, w1Files } from "./w1.ts";

const objectsPerFile = 100;
const manyObjects = 50_000;
const repetitions = 3;

type Files = Readonly<Record<string, string>>;

/** Meshes by name. `W4` has 100 services with 1 000 endpoints each. */
const meshes: Readonly<Record<string, () => Files>> = {
  "no objects": () => ({}),
  "W1, JSON": () => w1Files(unedited),
  "W1, block style": () => inBlockStyle(w1Files(unedited)),
  W4: crowdedServices,
  "50 000 objects": () => inFiles([...meshObjects(manyObjects, 42)]),
};

/**
 * The start of a built server as a process: until it is ready, with empty caches and with code that an earlier start
 * compiled. CPU and memory are those of the kernel. To measure some meshes: `npm run bench -- start W1`. The variable
 * `BUILT_BINNACLE` names the `binnacle.js` of another build, to compare with. `RECORD=1` keeps the figures in
 * `bench/results`, for `docs/reference/performance.md`.
 */
export async function start(): Promise<string> {
  const wanted = process.argv[3] ?? "";
  const folder = mkdtempSync(join(tmpdir(), "binnacle-bench-"));
  try {
    const main = process.env["BUILT_BINNACLE"] ?? (await builtIn(join(folder, "package")));
    const loadBefore = Math.round((loadavg()[0] ?? 0) * 10) / 10;
    const rows: StartRow[] = [];
    for (const [name, files] of Object.entries(meshes).filter(([each]) => each.includes(wanted))) {
      process.stderr.write(`${name} …\n`);
      rows.push(...(await measured(name, files(), { main, folder: mkdtempSync(join(folder, "mesh-")) })));
    }
    if (process.env["RECORD"] === "1") {
      const date = new Date().toISOString().slice(0, 16).replace("T", " ");
      const conditions = {
        date,
        commit: readCommit(dirname(main)),
        node: process.version,
        cores: availableParallelism(),
      };
      recordStart({ type: "start", ...conditions, loadBefore, rows });
    }
    return benchTable(["mesh", "compiled code", "ready", "CPU", "RSS", "peak RSS"], rows.map(cellsOf));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function builtIn(folder: string): Promise<string> {
  await buildPackage(folder, { documents: false });
  return join(folder, "binnacle.js");
}

interface Bench {
  readonly main: string;
  readonly folder: string;
}

async function measured(name: string, files: Files, { main, folder }: Bench): Promise<readonly StartRow[]> {
  const dir = join(folder, "mesh");
  mkdirSync(dir);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(dir, file), text);
  const cold: StartFigures[] = [];
  const warm: StartFigures[] = [];
  for (let turn = 0; turn < repetitions; turn += 1) {
    const cache = join(folder, `cache-${turn}`);
    cold.push(await figuresOf(main, dir, cache));
    warm.push(await figuresOf(main, dir, cache));
  }
  return [
    { mesh: name, compiledCode: "none", ...mediansOf(cold) },
    { mesh: name, compiledCode: "cached", ...mediansOf(warm) },
  ];
}

const anyPorts = ["--xds", "--http", "--metrics"].flatMap((flag) => [flag, "127.0.0.1:0"]);

async function figuresOf(main: string, dir: string, cache: string): Promise<StartFigures> {
  const begun = performance.now();
  const env = { ...process.env, NODE_COMPILE_CACHE: cache };
  const args = ["serve", dir, ...anyPorts, "--ctrlz", "off", "--log-level", "error"];
  await using server = await whenReady(new Child(process.execPath, [main, ...args], { env }));
  const readyMs = performance.now() - begun;
  return { readyMs, cpuSeconds: server.cpuSeconds, rssMb: server.rssMb, peakMb: server.peakRssMb };
}

function mediansOf(runs: readonly StartFigures[]): StartFigures {
  const median = (figure: keyof StartFigures) =>
    runs.map((run) => run[figure]).toSorted((a, b) => a - b)[Math.floor(runs.length / 2)] ?? Number.NaN;
  return {
    readyMs: Math.round(median("readyMs")),
    cpuSeconds: median("cpuSeconds"),
    rssMb: Math.round(median("rssMb")),
    peakMb: Math.round(median("peakMb")),
  };
}

function cellsOf({ mesh, compiledCode, readyMs, cpuSeconds, rssMb, peakMb }: StartRow): readonly string[] {
  const ready = `${(readyMs / 1000).toFixed(2)} s`;
  return [mesh, compiledCode, ready, `${cpuSeconds.toFixed(2)} s`, `${rssMb} MB`, `${peakMb} MB`];
}

function documents(text: string): readonly string[] {
  return text === "" ? [] : text.split("\n---\n");
}

/** The same objects as people write them. */
function inBlockStyle(files: Files): Files {
  return Object.fromEntries(
    Object.entries(files).map(([file, text]) => [
      file,
      documents(text)
        .map((document) => toYaml(JSON.parse(document)))
        .join("\n---\n"),
    ]),
  );
}

function inFiles(texts: readonly string[]): Files {
  const starts = Array.from({ length: Math.ceil(texts.length / objectsPerFile) }, (_, index) => index * objectsPerFile);
  return Object.fromEntries(
    starts.map((start) => [`${start}.yaml`, texts.slice(start, start + objectsPerFile).join("\n---\n")]),
  );
}

function crowdedServices(): Files {
  const services = Array.from({ length: 100 }, (_, service) => {
    const endpoints = Array.from({ length: 1000 }, (__, endpoint) => ({
      address: `10.${service}.${endpoint >> 8}.${endpoint & 255}`,
      labels: { version: endpoint % 2 === 0 ? "v1" : "v2" },
    }));
    const spec = {
      hosts: [`service-${service}.example.com`],
      location: "MESH_INTERNAL",
      resolution: "STATIC",
      ports: [{ number: 80, name: "http", protocol: "HTTP" }],
      endpoints,
    };
    const metadata = { name: `service-${service}`, namespace: `ns-${service % 10}` };
    return JSON.stringify({ apiVersion: "networking.istio.io/v1", kind: "ServiceEntry", metadata, spec });
  });
  return Object.fromEntries(services.map((text, service) => [`${service}.yaml`, text]));
}
