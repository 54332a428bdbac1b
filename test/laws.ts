import { posix } from "node:path";
import { constantLaw } from "./constant-law.ts";
import { keyLaw } from "./key-law.ts";
import { memoryLaw } from "./memory-law.ts";
import { edges as calledEdges } from "./reference/limits.ts";
import { spreadLaw } from "./spread-law.ts";
import { supervisionLaw } from "./supervision-law.ts";

/** One file of `src`: its path below `src/` and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** The imports that each folder may use beside itself, from the lowest layer up. */
export const layers: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  collection: ["lib"],
  xds: ["lib"],
  config: ["lib"],
  inject: ["lib", "config"],
  kube: ["lib"],
  etcd: ["lib"],
  ca: ["lib"],
  mcp: ["lib", "collection", "config", "xds"],
  galley: ["lib", "collection", "config", "kube", "etcd", "mcp"],
  pilot: ["lib", "collection", "config", "xds"],
  explain: ["lib", "config", "pilot"],
  provenance: ["lib", "config"],
  history: ["lib", "config"],
  transport: ["lib"],
  fleet: ["lib", "transport"],
  admin: ["lib", "collection", "config", "inject", "xds", "galley", "mcp", "pilot", "explain", "transport"],
  recording: ["lib", "config", "history", "xds", "galley", "pilot"],
  plan: ["lib", "collection", "config", "xds", "pilot", "explain", "fleet", "admin"],
  desk: [
    "lib",
    "collection",
    "config",
    "xds",
    "galley",
    "pilot",
    "explain",
    "provenance",
    "history",
    "transport",
    "admin",
    "plan",
  ],
  app: [
    "lib",
    "collection",
    "config",
    "inject",
    "xds",
    "kube",
    "etcd",
    "ca",
    "galley",
    "mcp",
    "pilot",
    "explain",
    "history",
    "transport",
    "admin",
    "plan",
    "desk",
    "recording",
  ],
  cli: [
    "lib",
    "collection",
    "config",
    "inject",
    "xds",
    "galley",
    "mcp",
    "pilot",
    "explain",
    "provenance",
    "history",
    "transport",
    "admin",
    "plan",
    "desk",
    "recording",
    "app",
    "fleet",
  ],
};

/** The files that may import each generated vocabulary. MCP has its own, and an xDS dialect. So has the authority. */
const speakers = {
  istio: ["config", "galley", "pilot/registry"],
  kubernetes: ["config", "galley"],
  mcp: ["mcp"],
  ca: ["app/ca"],
  etcd: ["etcd"],
  envoy: ["mcp", "xds", "pilot/networking", "pilot/xds", "explain", "admin", "plan", "recording", "cli", "fleet"],
} as const;

const pureFolders = new Set([
  "lib",
  "collection",
  "config",
  "ca",
  "inject",
  "etcd",
  "galley",
  "mcp",
  "xds",
  "pilot",
  "explain",
  "provenance",
  "history",
  "recording",
  "plan",
]);
const edges = /^(?:galley\/source\/(?:file|kube|zookeeper|eureka)|lib\/(?:ip-address|time\/turn)\.ts$)/;
const impureModules = /^node:(?:fs|net|tls|http|https|http2|dgram|child_process|timers)(?:\/|$)/;
const impureWords =
  /\b(?:Date\.now|new Date\(\)|performance\.|Math\.random|randomUUID|setTimeout|setInterval|setImmediate|process\.|console\.)/;

/** Graphs offer writable collections as `inputs`. Galley writes its own, and the link writes Pilot's. */
const inputOwners = new Set(["collection", "galley", "pilot"]);
/** Key sets are no objects of users: the process fetches them beside the pipeline. */
const keySetWriter = "app/jwks/key-sets.ts";
const rootWriter = "app/ca/trusted-roots.ts";

/** Built once, in the composition root: a second one would be a second pipeline from source to proxy. */
const builtOnce = ["Processor", "Snapshotter", "DiscoveryServer"];
const maxLines = 400;

/** The files that call other servers. Each has its limits in the reference, and tests that exceed them. */
const callers = new Set(calledEdges.flatMap((edge) => edge.callers));
const calls = [
  /(?<![.#\w])fetch\(/u,
  /\bimport \{[^}]*\b(?:request|get)\b[^}]*\} from "node:https?"/u,
  /\bimport \{[^}]*\bconnect\b[^}]*\} from "node:(?:http2|net|tls)"/u,
  /\b(?:import \{[^}]*\} from |import\()"@grpc\/grpc-js"/u,
];
/** Functions that read everything, however large. `lib/bounded` reads up to a limit. */
const unboundedReads = /\.(?:text|json|arrayBuffer|blob|formData)\(\)|"node:stream\/consumers"/u;

const perFileLaws = [
  layerLaw,
  vocabularyLaw,
  constantLaw,
  keyLaw,
  memoryLaw,
  purityLaw,
  roadLaw,
  sizeLaw,
  spreadLaw,
  limitLaw,
  supervisionLaw,
  yamlLaw,
];

/** Every broken law, as `path: problem`. An empty list means that the architecture holds. */
export function violations(files: readonly SourceFile[]): string[] {
  const perFile = files.flatMap((file) =>
    perFileLaws.flatMap((law) => Array.from(law(file), (problem) => `${file.path}: ${problem}`)),
  );
  return [...perFile, ...builtOnce.flatMap((name) => constructionLaw(name, files))];
}

function* layerLaw(file: SourceFile): Iterable<string> {
  const from = topFolder(file.path);
  if (from === "testing") return;
  const allowed = from === "" ? Object.keys(layers) : layers[from];
  if (allowed === undefined) {
    yield `the folder ${from} has no place in the layers`;
    return;
  }
  for (const path of inside(file)) {
    const to = topFolder(path);
    if (to === from || allowed.includes(to) || (to === "testing" && isTest(file))) continue;
    yield `${from || "the root"} must not import ${path}`;
  }
}

/** The tests of `lib` may take samples from everywhere: they prove the codec, which does not depend on vocabularies. */
/** PCDS sends a message of Istio to the agent beside an Envoy. */
const agentConfig: Readonly<Record<string, string>> = {
  "pilot/networking/trust/build-proxy-config.ts": "#gen/istio/mesh/v1alpha1/proxy_pb.js",
};

function* vocabularyLaw(file: SourceFile): Iterable<string> {
  if (isTest(file) && topFolder(file.path) === "lib") return;
  const spoken = new Set(
    imports(file).flatMap((name) => (name === agentConfig[file.path] ? [] : (vocabularyOf(name) ?? []))),
  );
  if (spoken.has("istio") && spoken.has("envoy")) yield "speaks both Istio and Envoy";
  if (topFolder(file.path) === "testing") return;
  for (const vocabulary of spoken) {
    if (!speakers[vocabulary].some((folder) => file.path.startsWith(`${folder}/`)))
      yield `must not speak ${vocabulary}`;
  }
}

function* purityLaw(file: SourceFile): Iterable<string> {
  if (isTest(file) || edges.test(file.path) || !pureFolders.has(topFolder(file.path))) return;
  for (const name of imports(file)) if (impureModules.test(name)) yield `is pure but imports ${name}`;
  const word = impureWords.exec(codeOf(file));
  if (word !== null) yield `is pure but uses ${word[0]}`;
}

/**
 * One pipeline: Source → Processor → Snapshotter → Distributor → local link → Pilot's inputs. MCP is one of the
 * sources.
 */
function* roadLaw(file: SourceFile): Iterable<string> {
  const folder = topFolder(file.path);
  if (isTest(file) || folder === "testing") return;
  if (folder === "pilot" && inside(file).some((path) => path.startsWith("config/yaml/")))
    yield "pilot must not read YAML";
  // The public API exports sources, so that embedders can wire them.
  if (folder !== "app" && file.path !== "index.ts" && !file.path.startsWith("galley/source/")) {
    for (const path of inside(file)) if (isSource(path)) yield `only app may wire the source ${path}`;
  }
  if (!inputOwners.has(folder) && file.path !== "app/local-link.ts" && /\.inputs\b/.test(codeOf(file))) {
    yield "only app/local-link.ts may write Pilot's inputs";
  }
  if (!inputOwners.has(folder) && file.path !== keySetWriter && /\bfetchedKeySets\b/.test(codeOf(file))) {
    yield `only ${keySetWriter} may write key sets`;
  }
  if (!inputOwners.has(folder) && file.path !== rootWriter && /\btrustedRoots\b/.test(codeOf(file))) {
    yield `only ${rootWriter} may write trusted roots`;
  }
}

/** `config/yaml` bounds the work of the parser before it parses. Another import of the parser would have no bound. */
function* yamlLaw(file: SourceFile): Iterable<string> {
  if (isTest(file) || topFolder(file.path) === "testing" || file.path.startsWith("config/yaml/")) return;
  for (const name of imports(file)) if (/^yaml(?:\/|$)/u.test(name)) yield `only config/yaml may import ${name}`;
}

/** Every call to another server, and every read from it, has limits of bytes, time and count. */
function* limitLaw(file: SourceFile): Iterable<string> {
  if (isTest(file) || topFolder(file.path) === "testing") return;
  if (callsOut(file) && !callers.has(file.path)) yield "calls a peer without limits in test/reference/limits.ts";
  const read = unboundedReads.exec(withoutComments(file.text));
  // The standard input of a command belongs to the user.
  if (read !== null && file.path !== "cli/start.ts") yield `reads without a limit: ${read[0]}`;
}

/** True if the file calls another server, so that a test can check the list of callers. */
export function callsOut(file: SourceFile): boolean {
  const text = withoutComments(file.text);
  return calls.some((call) => call.test(text));
}

function* sizeLaw(file: SourceFile): Iterable<string> {
  const lines = file.text.trimEnd().split("\n").length;
  if (lines > maxLines) yield `has ${lines} lines, the limit is ${maxLines}`;
}

/** Reports nothing until there is a composition root. */
function constructionLaw(name: string, files: readonly SourceFile[]): string[] {
  if (!files.some((file) => topFolder(file.path) === "app")) return [];
  const sites = files
    .filter((file) => !isTest(file) && topFolder(file.path) !== "testing")
    .flatMap((file) => Array.from(codeOf(file).matchAll(new RegExp(`\\bnew ${name}\\(`, "g")), () => file.path));
  if (sites.length === 1 && sites.every((path) => topFolder(path) === "app")) return [];
  return [`new ${name}(…) belongs in app, once; found ${sites.length === 0 ? "nowhere" : `in ${sites.join(", ")}`}`];
}

/** The imports and re-exports of the file, types included, as written. */
function imports(file: SourceFile): string[] {
  const found = withoutComments(file.text).matchAll(/\b(?:from\s+|import\s+|import\(\s*)"([^"]+)"/g);
  return Array.from(found, (match) => match[1] ?? "");
}

/** Its imports from our own sources, as paths below `src/`. */
function inside(file: SourceFile): string[] {
  const relative = imports(file).filter((name) => name.startsWith("."));
  return relative.map((name) => posix.join(posix.dirname(file.path), name));
}

function vocabularyOf(name: string): keyof typeof speakers | undefined {
  if (name.startsWith("#gen/istio/mcp/") || name.startsWith("#gen/mcp/")) return "mcp";
  // Extensions of Istio's own build of Envoy, and of the agent beside it, beyond the stock one.
  if (name.startsWith("#gen/istio/envoy/") || name.startsWith("#gen/istio/networking/nds/")) return "envoy";
  if (name.startsWith("#gen/istio/v1/auth/")) return "ca";
  if (name.startsWith("#gen/istio/")) return "istio";
  if (name.startsWith("#gen/k8s/")) return "kubernetes";
  if (name.startsWith("#gen/etcd/")) return "etcd";
  return name.startsWith("#gen/envoy/") ? "envoy" : undefined;
}

/** `galley/source/source.ts` is the interface. Every other file there is an implementation. */
function isSource(path: string): boolean {
  return path.startsWith("galley/source/") && path !== "galley/source/source.ts";
}

function isTest(file: SourceFile): boolean {
  return file.path.endsWith(".test.ts");
}

function topFolder(path: string): string {
  return path.includes("/") ? path.slice(0, path.indexOf("/")) : "";
}

function codeOf(file: SourceFile): string {
  return withoutComments(file.text).replaceAll(/"(?:\\.|[^"\\\n])*"/g, '""');
}

/** Strings are matched too, and kept: an Istio host such as a star, a slash and a star opens no comment. */
function withoutComments(text: string): string {
  return text.replaceAll(/("(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)|\/\*[\s\S]*?\*\/|\/\/.*$/gm, "$1");
}
