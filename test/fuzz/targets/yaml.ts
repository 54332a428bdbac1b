import { isDeepStrictEqual } from "node:util";
import { isMessage } from "@bufbuild/protobuf";
import { type Config, configId } from "../../../src/config/config.ts";
import { kindOf, kinds } from "../../../src/config/kinds.ts";
import { type ParsedFile, parseConfigs } from "../../../src/config/parse/parse.ts";
import { toRaw } from "../../../src/config/proto-json/to-raw.ts";
import { readQuickly } from "../../../src/config/yaml/quick/quick-document.ts";
import { type Slice, splitDocuments } from "../../../src/config/yaml/split.ts";
import { toYaml } from "../../../src/config/yaml/to-yaml.ts";
import { readThoroughly } from "../../../src/config/yaml/yaml.ts";
import { promise } from "../oracle.ts";
import type { FuzzTarget } from "../target.ts";

/**
 * Files of users. Parsing never throws. A document that is read quickly is the same as the parser reads it. An accepted
 * object is the same after it was printed and parsed again.
 */
export const target: FuzzTarget = {
  name: "yaml",
  mode: "sync",
  words: [
    "apiVersion: networking.istio.io/v1\n",
    "kind: VirtualService\n",
    "metadata: { name: a, namespace: shop }\n",
    "spec:\n",
    "\n---\n",
    "kind: List\nitems:\n",
    "&a ",
    "*a",
    "<<: ",
    "!!binary ",
    "__proto__: ",
    "constructor: ",
    "1e999",
    "0x7fffffffffffffff",
  ],
  planted: {
    file: "src/config/parse/parse-object.ts",
    before: "  const decoded = decode(row.schema, raw ?? {}",
    text: "JSON.stringify(object.fields)",
  },
  check: (input) => {
    const text = input.toString("utf8");
    const parsed = parse(text);
    const lines = text.split("\n").length;
    for (const { code, message, place, path } of parsed.issues) {
      promise(!message.startsWith("this cannot be read: "), () => `the reader failed: ${message}`);
      const line = place?.line ?? 1;
      promise(line >= 1 && line <= lines, () => `${code} at ${path}: line ${line} of ${lines}`);
    }
    for (const config of parsed.configs)
      promise(!isBroken(config, parsed) || isBrokenLater(config, parsed), "an object is either accepted or broken");
    const again = parse(text, parsed);
    promise(versionsOf(again) === versionsOf(parsed), "a file that did not change yields the same objects");
    promise(again.issues.length === parsed.issues.length, "a file that did not change yields the same issues");
    for (const slice of splitDocuments(text)) checkQuick(slice);
    parsed.configs.forEach(checkPrinted);
  },
};

function parse(text: string, previous?: ParsedFile): ParsedFile {
  return parseConfigs({ text, file: "a.yaml", source: "fuzz", kinds, defaultNamespace: "default", previous });
}

function isBroken({ kind, namespace, name }: Config, { broken }: ParsedFile): boolean {
  return broken.has(configId(kind, namespace, name));
}

/** A broken second definition of an object does not remove the first. */
function isBrokenLater(config: Config, { documents }: ParsedFile): boolean {
  const objects = documents.flatMap((document) => document.objects);
  const accepted = objects.findLastIndex((object) => object.config === config);
  return objects.slice(accepted + 1).some(({ id, broken }) => broken && id === objects[accepted]?.id);
}

function versionsOf({ configs }: ParsedFile): string {
  return configs.map(({ version }) => version).join();
}

function checkQuick(slice: Slice): void {
  const quick = readQuickly(slice.text);
  if (quick === undefined) return;
  const thorough = readThoroughly(slice, "a.yaml");
  promise(thorough?.issues.length === 0, "a document that is read quickly has no mistakes");
  promise(isDeepStrictEqual(quick.value, thorough.value), "a document that is read quickly has the same value");
}

/** Differential: the printed form of an object means the same as the text of the user. */
function checkPrinted(config: Config): void {
  const row = kindOf(config.apiVersion, config.kind);
  promise(row !== undefined, () => `an accepted object has a kind, not ${config.kind}`);
  const { apiVersion, kind, namespace, name, labels, annotations, createdAt, spec } = config;
  if (row.seal !== undefined || row.body === "object" || !isMessage(spec, row.schema)) return;
  const creationTimestamp = new Date(createdAt).toISOString();
  const metadata = { name, namespace, labels, annotations, creationTimestamp };
  const printed = toYaml({ apiVersion, kind, metadata, spec: toRaw(row.schema, spec) });
  const [again] = parse(printed).configs;
  promise(again?.version === config.version, () => `printed and parsed again, this differs:\n${printed}`);
}
