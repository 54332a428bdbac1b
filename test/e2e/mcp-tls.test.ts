import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { credentials, Metadata, Server, ServerCredentials, type ServerDuplexStream } from "@grpc/grpc-js";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type ControlPlaneOptions, createGalley, createPilot } from "../../src/app/control-plane.ts";
import { resourceSinkPath } from "../../src/app/mcp/mcp-paths.ts";
import { kinds } from "../../src/config/kinds.ts";
import { MemorySource } from "../../src/galley/source/memory-source.ts";
import { GrpcStatus } from "../../src/lib/grpc/grpc-stream.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { RecordingLogger } from "../../src/testing/recording/recording-logger.ts";
import { bytesAsIs } from "../../src/testing/stream/grpc-js-rig.ts";
import { TempTree } from "../../src/testing/temp-tree.ts";
import { freePort } from "./support/free-port.ts";
import { portOf } from "./support/http.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { metric } from "./support/metrics.ts";
import { type IssuedFiles, TestAuthority } from "./support/tls/certificates.ts";
import { StockSink } from "./support/xds/mcp-sink.ts";
import { SteadyFleet } from "./support/xds/steady-fleet.ts";
import { serviceYaml } from "./support/yaml.ts";

const quiet = { sources: [], xds: "127.0.0.1:0", http: "off", metrics: "off", ctrlz: "off" };
const gateways = "istio/networking/v1alpha3/gateways";
const patience = { seconds: 20 };
const pilotId = "spiffe://cluster.local/ns/istio-system/sa/pilot";
const mixerId = "spiffe://cluster.local/ns/istio-system/sa/mixer";

let authority: TestAuthority;
let folder: TempTree;
let ours: IssuedFiles;
let pilot: IssuedFiles;
let mixer: IssuedFiles;

beforeAll(async () => {
  authority = await TestAuthority.create();
  folder = await TempTree.create();
  [ours, pilot, mixer] = await Promise.all([
    authority.issueServer("galley"),
    authority.issue("istio-system", "pilot"),
    authority.issue("istio-system", "mixer"),
  ]);
});

afterAll(async () => {
  authority[Symbol.dispose]();
  await folder.close();
});

function list(...allowed: readonly string[]): string {
  return JSON.stringify({ allowed });
}

async function startGalley(accessList?: string, options: ControlPlaneOptions = {}) {
  const logger = new RecordingLogger();
  const source = new MemorySource({ name: "memory:test", collections: kinds.map(({ collection }) => collection) });
  const galley = createGalley({
    ...quiet,
    mcp: "127.0.0.1:0",
    mcpTlsCert: ours.certificateChain,
    mcpTlsKey: ours.privateKey,
    mcpTlsCa: [ours.rootCertificates],
    ...(accessList !== undefined && { mcpAccessList: accessList }),
    ownSources: [source],
    logger,
    ...options,
  });
  onTestFinished(() => galley.stop());
  const { mcp } = await galley.start();
  return { galley, port: portOf(mcp), logger };
}

function sinkAt(port: number, client?: IssuedFiles): StockSink {
  const [key, chain] = client ? [readFileSync(client.privateKey), readFileSync(client.certificateChain)] : [null, null];
  const shown = credentials.createSsl(readFileSync(ours.rootCertificates), key, chain);
  const sink = new StockSink(port, { shown }).subscribe([gateways]);
  onTestFinished(() => sink[Symbol.dispose]());
  return sink;
}

async function isLetIn(port: number, client?: IssuedFiles): Promise<boolean> {
  using sink = sinkAt(port, client);
  const answered = sink.until("is answered", ({ answered: all }) => all.has(gateways)).then(() => true);
  return await Promise.race([answered, sink.ended.then(() => false)]);
}

test("without a list only clients with a valid certificate are admitted, and the log is not flooded", async () => {
  const { port, logger } = await startGalley();
  expect(await isLetIn(port, pilot)).toBe(true);
  for (let attempt = 0; attempt < 3; attempt++) {
    expect(await sinkAt(port).ended).toMatchObject({ code: GrpcStatus.UNAUTHENTICATED });
  }
  using strangers = await TestAuthority.create();
  const stranger = await strangers.issue("istio-system", "pilot");
  expect(await isLetIn(port, stranger)).toBe(false);
  expect(logger.messages("warn").filter((message) => message === "mcp sink refused")).toHaveLength(1);
});

test("authentication comes before rate limits, so strangers use up no budget", async () => {
  const { port } = await startGalley(undefined, { mcpStreamBurst: 1, mcpStreamIntervalMs: 3_600_000 });
  for (let attempt = 0; attempt < 3; attempt++) expect(await isLetIn(port)).toBe(false);
  expect(await isLetIn(port, pilot)).toBe(true);
  expect(await sinkAt(port, pilot).ended).toMatchObject({ code: GrpcStatus.RESOURCE_EXHAUSTED });
});

test("a dialled sink gets our certificate and must have a trusted one, and each call is counted", async () => {
  const server = new Server();
  const called = Promise.withResolvers<boolean>();
  const codec = {
    requestSerialize: bytesAsIs,
    requestDeserialize: bytesAsIs,
    responseSerialize: bytesAsIs,
    responseDeserialize: bytesAsIs,
  };
  const method = { path: resourceSinkPath, requestStream: true, responseStream: true, ...codec } as const;
  const serve = (call: ServerDuplexStream<Buffer, Buffer>) => {
    call.sendMetadata(new Metadata());
    call.on("data", () => called.resolve(true));
  };
  server.addService({ EstablishResourceStream: method }, { EstablishResourceStream: serve });
  const [root, cert, key] = [ours.rootCertificates, ours.certificateChain, ours.privateKey].map((file) =>
    readFileSync(file),
  );
  const identity = ServerCredentials.createSsl(
    root ?? null,
    [{ cert_chain: cert ?? Buffer.of(), private_key: key ?? Buffer.of() }],
    true,
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", identity, (error, bound) => (error === null ? resolve(bound) : reject(error)));
  });
  onTestFinished(() => server.forceShutdown());
  const metrics = await freePort();
  await startGalley(undefined, {
    mcpSink: `127.0.0.1:${port}`,
    mcpSinkAuth: "MUTUAL",
    metrics: `127.0.0.1:${metrics}`,
  });
  expect(await called.promise).toBe(true);
  const counted = async () => (await metric(metrics, "istio_mcp_reconnections")) === 1;
  await eventually("the call is counted", counted, patience);
});

test("an expired certificate admits no client", async () => {
  const { port } = await startGalley();
  const names = [{ type: "url" as const, value: pilotId }];
  const expired = await authority.issueNames("expired", names, { from: -2, until: -1 });
  expect(await isLetIn(port, expired)).toBe(false);
});

test("a list admits certificates by name, and a changed list applies to open streams", async () => {
  const file = join(folder.directory, "list.yaml");
  writeFileSync(file, list(pilotId));
  const { port, logger } = await startGalley(file);
  expect([await isLetIn(port, pilot), await isLetIn(port, mixer)]).toEqual([true, false]);
  const open = sinkAt(port, pilot);
  await open.until("is answered", ({ answered }) => answered.has(gateways));

  writeFileSync(file, list(mixerId));
  expect(await open.ended).toMatchObject({ code: GrpcStatus.UNAUTHENTICATED });
  expect([await isLetIn(port, pilot), await isLetIn(port, mixer)]).toEqual([false, true]);

  writeFileSync(file, "allowed: [");
  const noticed = () => logger.messages("error").includes("access list not replaced");
  await eventually("the broken list is noticed", noticed, patience);
  expect([await isLetIn(port, pilot), await isLetIn(port, mixer)]).toEqual([false, true]);
});

test("a missing or invalid list prevents the start of Galley", async () => {
  const missing = join(folder.directory, "missing.yaml");
  await expect(startGalley(missing)).rejects.toThrow(/--mcp: .*missing\.yaml/);
  const broken = join(folder.directory, "broken.yaml");
  writeFileSync(broken, "allowed: everybody");
  await expect(startGalley(broken)).rejects.toThrow(`--mcp: ${broken}: allowed must be a list of names`);
});

test("a Pilot with an expired certificate is admitted after renewal, without a restart", async () => {
  const { port } = await startGalley();
  const names = [{ type: "url" as const, value: pilotId }];
  const files = await authority.issueNames("renewed", names, { from: -2, until: -1 });
  const query = `ca=${files.rootCertificates}&cert=${files.certificateChain}&key=${files.privateKey}`;
  const logger = new RecordingLogger();
  const plane = createPilot({ ...quiet, sources: [`mcps://127.0.0.1:${port}?${query}`], logger });
  onTestFinished(() => plane.stop());
  const started = plane.start();
  const stale = () => JSON.stringify(logger.lines).includes("UNAUTHENTICATED");
  await eventually("Pilot is turned away", stale, patience);
  await authority.issueNames("renewed", names);
  await expect(started).resolves.toMatchObject({ xds: expect.stringMatching(/:\d+$/) as string });
});

test("proxies see no effect when their Pilot's certificate expires and is replaced", async () => {
  using mesh = new MeshDir({ "shop.yaml": serviceYaml({ name: "shop", port: 8000, endpoints: [{ port: 9 }] }) });
  const mcp = `127.0.0.1:${await freePort()}`;
  const fromFiles = { sources: [`file:${mesh.path}`], ownSources: [], mcp };
  const { galley: first } = await startGalley(undefined, fromFiles);
  const names = [{ type: "url" as const, value: pilotId }];
  const files = await authority.issueNames("rotated", names);
  const query = `ca=${files.rootCertificates}&cert=${files.certificateChain}&key=${files.privateKey}`;
  const logger = new RecordingLogger();
  const plane = createPilot({ ...quiet, sources: [`mcps://${mcp}?${query}`], logger });
  onTestFinished(() => plane.stop());
  using steadyFleet = new SteadyFleet(portOf((await plane.start()).xds), mesh);
  await steadyFleet.receivesChange();

  await authority.issueNames("rotated", names, { from: -2, until: -1 });
  await first.stop();
  await startGalley(undefined, fromFiles);
  const refused = () => JSON.stringify(logger.lines).includes("UNAUTHENTICATED");
  await eventually("Pilot is turned away", refused, patience);
  const heard = steadyFleet.receivesChange();
  await authority.issueNames("rotated", names);
  await heard;
  await steadyFleet.holdsFreshState();
  const { types, lost, broken, remarks } = steadyFleet.report;
  expect(Object.values(types).map(({ needless }) => needless)).toEqual(Object.values(types).map(() => 0));
  expect({ lost, broken, remarks }).toEqual({ lost: {}, broken: 0, remarks: [] });
});

test("a Galley is trusted only under the expected name, also a SPIFFE id", async () => {
  const names = [{ type: "url" as const, value: "spiffe://cluster.local/ns/istio-system/sa/galley" }];
  const galley = await authority.issueNames("spiffe-galley", names);
  const { port } = await startGalley(undefined, {
    mcpTlsCert: galley.certificateChain,
    mcpTlsKey: galley.privateKey,
  });
  const query = `ca=${pilot.rootCertificates}&cert=${pilot.certificateChain}&key=${pilot.privateKey}`;
  const pilotWith = (serverName: string) => {
    const source = `mcps://127.0.0.1:${port}?${query}&server-name=${serverName}`;
    const logger = new RecordingLogger();
    const plane = createPilot({ ...quiet, sources: [source], logger });
    onTestFinished(() => plane.stop());
    return { plane, logger };
  };
  const { plane } = pilotWith("spiffe://cluster.local/ns/istio-system/sa/galley");
  await plane.start();
  const { plane: wrong, logger } = pilotWith("spiffe://cluster.local/ns/istio-system/sa/other");
  const started = wrong.start().catch((thrown: unknown) => String(thrown));
  const refused = () => JSON.stringify(logger.lines).includes("its certificate is not that of");
  await eventually("the wrong Galley is refused", refused, patience);
  await wrong.stop();
  expect(await started).toContain("stopped before the start was complete");
});
