import { expect, onTestFinished, test } from "vitest";
import { YamlSource } from "../testing/galley/yaml-source.ts";
import { RecordingLogger } from "../testing/recording/recording-logger.ts";
import { shopEntry } from "../testing/server/wired-server.ts";
import { TempTree } from "../testing/temp-tree.ts";
import { type ControlPlaneOptions, createControlPlane, createPilot } from "./control-plane.ts";

const anyPort = "127.0.0.1:0";
const anyPorts = { xds: anyPort, http: anyPort, metrics: anyPort, ctrlz: anyPort };

async function tree(files: Readonly<Record<string, string>>): Promise<TempTree> {
  const made = await TempTree.create();
  onTestFinished(() => made.close());
  for (const [file, text] of Object.entries(files)) await made.write(file, text);
  return made;
}

function planeWith(options: ControlPlaneOptions) {
  const logger = new RecordingLogger();
  const plane = createControlPlane({ ...anyPorts, sources: [], logger, ...options });
  onTestFinished(() => plane.stop());
  return { plane, logger };
}

const told = (logger: RecordingLogger, message: string) =>
  logger.lines.filter((line) => line.message === message).map(({ fields }) => fields);

test("the summary counts name clashes as warnings, and unenforced objects by kind", async () => {
  const [first, second] = [new YamlSource("first"), new YamlSource("second")];
  for (const source of [first, second]) source.apply(shopEntry("reviews"));
  const place = undefined;
  const issue = {
    severity: "warning",
    code: "no-effect",
    object: "Telemetry shop/a",
    path: "",
    message: "a",
    place,
  } as const;
  const denied = { ...issue, severity: "error", object: "AuthorizationPolicy shop/deny" } as const;
  first.report("a.yaml", [issue, denied]);
  const { plane } = planeWith({ ownSources: [first, second] });
  await plane.start();
  expect(plane.summary()).toEqual({ services: 1, warnings: 2, errors: 1, unenforced: { AuthorizationPolicy: 1 } });
});

test("files without objects are a warning after the start", async () => {
  const files = await tree({ "mesh/empty.yaml": "# nothing\n", "mesh/a.yaml": shopEntry("reviews") });
  const { plane, logger } = planeWith({ sources: [`file:${files.path("mesh")}`] });
  await plane.start();
  const warnings = logger.lines.filter(({ level }) => level === "warn");
  expect(warnings.map(({ fields }) => fields)).toEqual([]);
  const empty = await tree({ "mesh/empty.yaml": "# nothing\n" });
  const other = planeWith({ sources: [`file:${empty.path("mesh")}`] });
  await other.plane.start();
  const found = other.logger.lines.filter(({ level }) => level === "warn");
  expect(found.map(({ fields }) => fields)).toEqual([{ scope: "source", path: empty.path("mesh") }]);
});

test("a reload reads new sources, and a list with an error changes nothing", async () => {
  const files = await tree({ "a/a.yaml": shopEntry("reviews"), "b/b.yaml": shopEntry("ratings") });
  const { plane, logger } = planeWith({ sources: [`file:${files.path("a")}`] });
  await plane.start();
  await plane.reload(() => [`file:${files.path("a")}`, `file:${files.path("b")}`]);
  await plane.idle();
  expect(plane.summary().services).toBe(2);
  await files.write("a/more.yaml", shopEntry("details"));
  await expect(plane.reload(() => ["bad:"])).rejects.toMatchObject({ code: "bad-option" });
  await plane.idle();
  expect(plane.summary().services).toBe(3);
  const errors = logger.lines.filter(({ level }) => level === "error");
  expect(errors.map(({ fields }) => fields)).toMatchObject([
    { scope: "source", reason: expect.stringContaining("bad:") },
  ]);
});

test("a reload makes every source read again, also after an error", async () => {
  let reloads = 0;
  const source = Object.assign(new YamlSource("test"), { reload: async () => void (reloads += 1) });
  const { plane } = planeWith({ ownSources: [source] });
  await plane.start();
  await plane.reload();
  expect(reloads).toBe(1);
  await expect(plane.reload(() => ["bad:"])).rejects.toMatchObject({ code: "bad-option" });
  expect(reloads).toBe(2);
});

test("a plane that is abandoned logs the failure, pushes nothing more and stops", async () => {
  const source = new YamlSource("test");
  const { plane, logger } = planeWith({ ownSources: [source], debounceAfterMs: 200, debounceMaxMs: 200 });
  const { http } = await plane.start();
  source.apply(shopEntry("reviews"));
  await plane.abandon(new Error("planted"));
  await expect(fetch(`http://${http}/ready`)).rejects.toThrow("fetch failed");
  const errors = logger.lines.filter(({ level }) => level === "error");
  expect(errors.map(({ fields }) => fields)).toEqual([
    { scope: "server", err: expect.objectContaining({ message: "planted" }) },
  ]);
});

test("a stop is a line of the log", async () => {
  const { plane, logger } = planeWith({ ownSources: [new YamlSource("test")] });
  await plane.start();
  await plane.stop();
  expect(told(logger, "stopping")).toEqual([{ scope: "server" }]);
});

test("Pilot alone has the sources of the embedding program, or needs one", async () => {
  const logger = new RecordingLogger();
  expect(() => createPilot({ ...anyPorts, sources: [], logger })).toThrow("--source");
  const pilot = createPilot({ ...anyPorts, sources: [], logger, ownSources: [new YamlSource("test")] });
  onTestFinished(() => pilot.stop());
  const { metrics } = await pilot.start();
  const page = await (await fetch(`http://${metrics}/metrics`)).text();
  expect(page.match(/^istio_build\{component="[a-z]+"/gmu)).toEqual(['istio_build{component="pilot"']);
});
