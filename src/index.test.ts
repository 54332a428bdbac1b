import { expect, onTestFinished, test } from "vitest";
import { createControlPlane, createGalley, kindOf, kinds, MemorySource, parseConfigs } from "./index.ts";
import { RecordingLogger } from "./testing/recording/recording-logger.ts";

const off = { sources: [], mcp: "off", xds: "127.0.0.1:0", http: "off", metrics: "off", ctrlz: "off" };

function serviceEntry(name: string): string {
  return `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: { name: ${name}, namespace: shop }
spec: { hosts: [${name}.shop], resolution: NONE, ports: [{ number: 80, name: http, protocol: HTTP }] }
`;
}

/** Applies YAML as an embedding program does. */
function put(source: MemorySource, text: string): void {
  const { configs } = parseConfigs({ text, file: "", source: source.name, kinds, defaultNamespace: "default" });
  for (const config of configs) source.set(kindOf(config.apiVersion, config.kind)?.collection ?? "", config);
}

function ownSource(): MemorySource {
  return new MemorySource({ name: "program", collections: kinds.map(({ collection }) => collection) });
}

test("an embedding program feeds its own control plane, before and after start", async () => {
  const source = ownSource();
  put(source, serviceEntry("cart"));
  const plane = createControlPlane({ ...off, ownSources: [source], logger: new RecordingLogger() });
  onTestFinished(() => plane.stop());
  await plane.start();
  expect(plane.summary().services).toBe(1);
  put(source, serviceEntry("ratings"));
  await plane.idle();
  expect(plane.summary().services).toBe(2);
});

test("an embedding program runs Galley alone with its own source", async () => {
  const source = ownSource();
  put(source, serviceEntry("cart"));
  const galley = createGalley({ ...off, ownSources: [source], logger: new RecordingLogger() });
  onTestFinished(() => galley.stop());
  await galley.start();
  expect(galley.summary()).toEqual({ objects: 1, warnings: 0, errors: 0, unenforced: {} });
});
