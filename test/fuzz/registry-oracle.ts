import { ServiceEntrySchema } from "#gen/istio/networking/v1alpha3/service_entry_pb.js";
import { isMessage } from "@bufbuild/protobuf";
import type { Config } from "../../src/config/config.ts";
import { kinds } from "../../src/config/kinds.ts";
import { parseConfigs } from "../../src/config/parse/parse.ts";
import { toRaw } from "../../src/config/proto-json/to-raw.ts";
import { toYaml } from "../../src/config/yaml/to-yaml.ts";
import { defaultRetention, type RegistryPart, RegistryState } from "../../src/galley/source/registry/registry-state.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";
import { SourceRecorder } from "../../src/testing/recording/source-recorder.ts";
import { promise } from "./oracle.ts";

/**
 * The promises of every registry: its objects are ones that a user could write, a repeated listing says nothing new,
 * and nothing is left of a registry that has become empty.
 */
export function checkRegistry(parts: ReadonlyMap<string, RegistryPart>): void {
  const heard = new SourceRecorder();
  const options = { ...defaultRetention, deleteMode: "delete" as const, source: "fuzz", clock: new FakeClock() };
  const state = new RegistryState({ ...options, emit: heard.handler });
  state.replaceAll(parts);
  heard.state.forEach(checkWritable);
  const { length } = heard.calls;
  state.replaceAll(parts);
  promise(heard.calls.length === length, "a repeated listing says nothing new");
  state.replaceAll(new Map());
  promise(heard.state.size === 0 && heard.issues.size === 0, "nothing is left of an empty registry");
}

function checkWritable(config: Config): void {
  const { apiVersion, kind, namespace, name, labels, annotations, spec } = config;
  promise(isMessage(spec, ServiceEntrySchema), "services become ServiceEntries");
  const text = toYaml({
    apiVersion,
    kind,
    metadata: { name, namespace, labels, annotations },
    spec: toRaw(ServiceEntrySchema, spec),
  });
  const { configs, issues } = parseConfigs({
    text,
    file: "a.yaml",
    source: "fuzz",
    kinds,
    defaultNamespace: "default",
  });
  promise(configs.length === 1, () => `a file with this object would be refused:\n${text}\n${JSON.stringify(issues)}`);
}
