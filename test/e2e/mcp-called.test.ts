import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createGalley, createPilot } from "../../src/app/control-plane.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { RecordingLogger } from "../../src/testing/recording/recording-logger.ts";
import { TempTree } from "../../src/testing/temp-tree.ts";
import { MortalGalley } from "./support/binnacle/mortal-galley.ts";
import { startPilot } from "./support/binnacle/server.ts";
import { freePort } from "./support/free-port.ts";
import { get } from "./support/http.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { TestAuthority } from "./support/tls/certificates.ts";
import { SteadyFleet } from "./support/xds/steady-fleet.ts";
import { serviceYaml } from "./support/yaml.ts";

const patience = { seconds: 30 };

test("proxies of a dialled Pilot receive edits, and nothing when its Galley restarts unchanged", async () => {
  using mesh = new MeshDir({ "shop.yaml": serviceYaml({ name: "shop", port: 8000, endpoints: [{ port: 9 }] }) });
  const door = `127.0.0.1:${await freePort()}`;
  await using galley = new MortalGalley(await freePort(), mesh.path, "--mcp-sink", door);
  const [pilot] = await Promise.all([startPilot([`mcp+listen://${door}`]), galley.start()]);
  await using _ = pilot;
  using steadyFleet = new SteadyFleet(pilot.xdsPort, mesh);
  await steadyFleet.receivesChange();
  await steadyFleet.holdsFreshState();

  const { types } = steadyFleet.report;
  const fresh = pilot.timesSaid("source fresh");
  await galley.kill();
  await pilot.line(/"reason":"(?!no Galley has called)[^"]+".*"source stale"/, patience);
  const { body } = await get(pilot.httpPort, "/debug/sources");
  const [source] = JSON.parse(body) as readonly unknown[];
  expect(source).toMatchObject({ name: `mcp+listen://${door}`, state: "stale" });
  await galley.start();
  const again = () => pilot.timesSaid("source fresh") > fresh;
  await eventually("the source follows again", again, patience);
  expect(steadyFleet.report.types).toEqual(types);

  await steadyFleet.receivesChange();
  const { lost, broken, remarks } = steadyFleet.report;
  expect({ lost, broken, remarks }).toEqual({ lost: {}, broken: 0, remarks: [] });
});

test("with certificates, only a listed Galley may call", async () => {
  using authority = await TestAuthority.create();
  const folder = await TempTree.create();
  onTestFinished(() => folder.close());
  using mesh = new MeshDir({ "shop.yaml": serviceYaml({ name: "shop", port: 8000, endpoints: [{ port: 9 }] }) });
  const [ours, theirs] = await Promise.all([authority.issueServer("pilot"), authority.issue("istio-system", "galley")]);
  const accessList = join(folder.directory, "list.yaml");
  writeFileSync(accessList, JSON.stringify({ allowed: ["spiffe://cluster.local/ns/istio-system/sa/mixer"] }));

  const quiet = { xds: "127.0.0.1:0", http: "off", metrics: "off", ctrlz: "off" };
  const door = `127.0.0.1:${await freePort()}`;
  const shown = `ca=${ours.rootCertificates}&cert=${ours.certificateChain}&key=${ours.privateKey}`;
  const logger = new RecordingLogger();
  const pilot = createPilot({
    ...quiet,
    sources: [`mcps+listen://${door}?${shown}&access-list=${accessList}`],
    logger,
  });
  onTestFinished(() => pilot.stop());
  const started = pilot.start();
  const galley = createGalley({
    ...quiet,
    mcp: "off",
    sources: [`file:${mesh.path}`],
    mcpSink: door,
    mcpSinkAuth: "MUTUAL",
    mcpTlsCert: theirs.certificateChain,
    mcpTlsKey: theirs.privateKey,
    mcpTlsCa: [theirs.rootCertificates],
    logger: new RecordingLogger(),
  });
  onTestFinished(() => galley.stop());
  await galley.start();
  const refused = () => logger.messages("warn").includes("mcp source refused");
  await eventually("Galley is turned away", refused, patience);

  writeFileSync(accessList, JSON.stringify({ allowed: ["spiffe://cluster.local/ns/istio-system/sa/galley"] }));
  await expect(started).resolves.toMatchObject({ xds: expect.stringMatching(/:\d+$/) as string });
  const where = logger.lines.find(({ message }) => message === "waiting for galleys");
  expect(where?.fields).toMatchObject({ address: door });
});
