import { readFileSync } from "node:fs";
import { optionTable } from "../../app/options/options.ts";
import { inputTexts } from "../../app/store/input-texts.ts";
import { hasErrors } from "../../config/finding.ts";
import { injectionSource } from "../../config/mesh/injection-source.ts";
import { parseMeshConfig } from "../../config/parse/mesh-files.ts";
import { toYaml } from "../../config/yaml/to-yaml.ts";
import { parseDocuments, parseOnly } from "../../config/yaml/yaml.ts";
import { injectObject, type ObjectOptions } from "../../inject/inject-object.ts";
import {
  defaultSettings,
  discoveryAddressOf,
  type InjectionSettings,
} from "../../inject/settings/injection-settings.ts";
import { readValues } from "../../inject/settings/read-values.ts";
import { errorFrom, MeshError } from "../../lib/errors.ts";
import { type Command, type DocumentedFlag, ExitCode, type Terminal } from "../command.ts";
import { switchFlag, valueFlag } from "../flags/flag.ts";
import { optionFlag } from "../flags/option-flag.ts";
import { inNotation, outputFlag } from "../flags/notation.ts";
import { filenameFlag, namedPaths, pathPositionals } from "../flags/paths.ts";
import { readFlagFile } from "../flags/read-flag-file.ts";
import { type ReadFlags, readFlags } from "../flags/read-flags.ts";
import { issueText } from "../issues/issue-text.ts";
import { openInputs } from "../mesh/open-inputs.ts";

const injectNotations = ["yaml", "json"] as const;

const flags: readonly DocumentedFlag[] = [
  { ...filenameFlag, doc: "File with workloads, or - for stdin. May be repeated. The flag name may be omitted." },
  valueFlag("values", "FILE", "Settings of injected proxies: Istio's Helm values (YAML or JSON)."),
  optionFlag(optionTable.mesh),
  optionFlag(optionTable.revision),
  valueFlag("image", "IMAGE", "Image of the proxy and of the init container, instead of the values' one."),
  valueFlag("discovery-address", "ADDR", "Address of the control plane, instead of istiod.istio-system.svc:15012."),
  switchFlag("native", "Runs proxies as native sidecars."),
  switchFlag("cni", "Leaves the redirection of traffic to a CNI plugin."),
  valueFlag("namespace", "NAMESPACE", "Namespace of objects that name none.", "default"),
  outputFlag(injectNotations),
];

export const command: Command = {
  usage: "-f FILE [flags]",
  flags,
  examples: [
    "inject -f deployment.yaml > injected.yaml",
    "inject -f - --values values.yaml --mesh mesh.yaml < deployment.yaml",
    "inject -f deployment.yaml -o json",
    "inject -f deployment.yaml --image istio/proxyv2:1.29.6 --native",
  ],
  problem: "an object cannot be read or injected; then nothing is printed",
  async run(args, terminal) {
    const given = readFlags(args, flags, pathPositionals);
    const paths = namedPaths(given);
    const notation = given.choice("output", injectNotations);
    const options = objectOptions(given, terminal);
    const documents = await injectedDocuments(paths, options, terminal);
    if (documents === undefined) return ExitCode.problem;
    if (notation === "yaml") terminal.printData(documents.map(({ text }) => text).join("\n---\n"));
    else terminal.printData(inNotation(listOf(documents), notation));
    return ExitCode.ok;
  },
};

interface InjectedDocument {
  /** An object that is not injected keeps its text, with comments. */
  readonly text: string;
  readonly value: unknown;
}

/** A list as kubectl prints it, which `kubectl apply` takes. */
function listOf(documents: readonly InjectedDocument[]): object {
  return { apiVersion: "v1", kind: "List", items: documents.map(({ value }) => value) };
}

/** Every document; undefined after an error. */
async function injectedDocuments(
  paths: readonly string[],
  options: ObjectOptions,
  terminal: Terminal,
): Promise<readonly InjectedDocument[] | undefined> {
  const { complain, coloured } = terminal;
  const { inputs, textOf } = await openInputs(paths, terminal);
  const injected: InjectedDocument[] = [];
  let failed = false;
  for (const { text, file } of await inputTexts(inputs)) {
    for (const document of parseDocuments(text, file)) {
      for (const issue of document.issues) complain(issueText(issue, { textOf, coloured: coloured.complain }));
      const { value, outcomes } = injectObject(document.value, options);
      const problems = outcomes.filter(({ type }) => type !== "injected");
      for (const { type, object, messages } of problems) {
        const place = `${file}:${document.line}`;
        complain(
          `${place}: ${object} ${type === "skipped" ? "is not injected" : "cannot be injected"}: ${messages.join("; ")}`,
        );
      }
      failed ||= hasErrors(document.issues) || outcomes.some(({ type }) => type === "failed");
      injected.push({ text: value === document.value ? document.text.trim() : toYaml(value), value });
    }
  }
  return failed ? undefined : injected;
}

function objectOptions(given: ReadFlags, terminal: Terminal): ObjectOptions {
  const settings = settingsFrom(given);
  const meshConfigs = given.has("mesh") ? [readMesh(given.value("mesh"), terminal)] : [];
  return {
    settings,
    ...injectionSource({ meshConfigs, proxyConfigs: [] }, discoveryAddressOf(settings)),
    defaultNamespace: given.value("namespace"),
    revisions: [settings.revision || "default"],
  };
}

function settingsFrom(given: ReadFlags): InjectionSettings {
  const values = given.has("values") ? readValuesFile(given.value("values")) : defaultSettings;
  const revision = given.has("revision") ? given.value("revision") : values.revision;
  const image = given.value("image");
  return {
    ...values,
    revision: revision === "default" ? "" : revision,
    image: image === "" ? values.image : { ...values.image, proxy: image, init: image },
    discoveryAddress: given.value("discovery-address") || values.discoveryAddress,
    native: given.has("native") || values.native,
    cni: given.has("cni") || values.cni,
  };
}

function readValuesFile(file: string): InjectionSettings {
  try {
    const read = readValues(parseOnly(readFileSync(file, "utf8"), file));
    if ("settings" in read) return read.settings;
    throw new Error(read.problems.join("; "));
  } catch (cause) {
    throw new MeshError("bad-option", `--values: ${file}: ${errorFrom(cause).message}`, { cause });
  }
}

function readMesh(file: string, { complain, coloured }: Terminal) {
  const text = readFlagFile("mesh", file);
  const { config, issues } = parseMeshConfig({ text, file, source: "file" });
  for (const issue of issues) complain(issueText(issue, { textOf: () => text, coloured: coloured.complain }));
  if (config === undefined) throw new MeshError("bad-option", `--mesh: ${file} cannot be used`);
  return config;
}
