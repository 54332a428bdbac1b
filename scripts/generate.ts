/**
 * Generates protobuf-es code into `gen/` from two roots. One is Envoy's v3 protos from the npm package
 * `@grpc/grpc-js-xds`, plus the listed additions where that package lags. The other is our own `proto/`. Deterministic:
 * the same inputs give the same bytes. Patches of EnvoyFilters may name any message of Envoy. To load all generated
 * modules takes a second, so one module has all descriptors as text, which is parsed on first use.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { additions } from "./proto-additions.ts";

const root = resolve(import.meta.dirname, "..");
const gen = join(root, "gen");
const stage = join(gen, ".proto");
const deps = join(root, "node_modules/@grpc/grpc-js-xds/deps");
/** Our own descriptions come last. They replace imports that the package lacks (opentelemetry). */
const importRoots = [
  ...["envoy-api", "xds", "googleapis", "protoc-gen-validate"].map((name) => join(deps, name)),
  join(root, "proto"),
];

/** The origin of an imported file. `undefined` when neither root contains it (opencensus and the like). */
function locate(path: string): string | undefined {
  return importRoots.map((dir) => join(dir, path)).find((file) => existsSync(file));
}

function importsOf(file: string): string[] {
  const imports = readFileSync(file, "utf8").matchAll(/^import (?:public |weak )?"([^"]+)";/gm);
  return Array.from(imports, (match) => match[1] ?? "").filter((path) => !path.startsWith("google/protobuf/"));
}

/** Every file that `path` needs, itself included. `undefined` when one of them is not available. */
function closure(path: string, seen = new Map<string, string>()): Map<string, string> | undefined {
  if (seen.has(path)) return seen;
  const file = locate(path);
  if (file === undefined) return undefined;
  seen.set(path, file);
  for (const imported of importsOf(file)) if (closure(imported, seen) === undefined) return undefined;
  return seen;
}

function stageFile(path: string, file: string): void {
  const target = join(stage, path);
  mkdirSync(dirname(target), { recursive: true });
  let text = readFileSync(file, "utf8");
  for (const addition of additions.filter((each) => each.file === path)) {
    if (text.split(addition.after).length !== 2)
      throw new Error(`proto addition no longer fits: ${path}: ${addition.after}`);
    if (text.includes(addition.line)) throw new Error(`proto addition is obsolete: ${path}: ${addition.line}`);
    text = text.replace(addition.after, `${addition.after}\n  ${addition.line}`);
  }
  writeFileSync(target, text);
}

rmSync(gen, { recursive: true, force: true });
for (const path of globSync("**/v3/*.proto", { cwd: join(deps, "envoy-api") }).toSorted()) {
  for (const [name, file] of closure(path) ?? []) stageFile(name, file);
}
for (const path of globSync("{udpa/type,xds}/**/*.proto", { cwd: join(deps, "xds") }).toSorted()) {
  for (const [name, file] of closure(path) ?? []) stageFile(name, file);
}
cpSync(join(root, "proto"), stage, { recursive: true });

writeFileSync(join(stage, "buf.yaml"), "version: v2\n");
const template = {
  version: "v2",
  plugins: [
    {
      local: ["node", join(root, "node_modules/@bufbuild/protoc-gen-es/bin/protoc-gen-es")],
      out: gen,
      strategy: "all",
      opt: ["target=js+dts", "import_extension=js"],
    },
  ],
};
const buf = join(root, "node_modules/.bin/buf");
const result = spawnSync(buf, ["generate", stage, "--template", JSON.stringify(template)], { stdio: "inherit" });
if (result.status !== 0) throw new Error("buf generate failed");

/**
 * The library collects the types of all files below a file, again for each path to them. For Envoy's files that is half
 * of a start. A file refers only to types of its imports, and of what these import publicly.
 */
writeFileSync(
  join(gen, "file-desc.js"),
  `import { fileDesc as describeFile } from "@bufbuild/protobuf/codegenv2";

/** Builds the descriptor of a file, as the library does. */
export function fileDesc(base64, imports = []) {
  const file = describeFile(base64, imports.map(withPublicImports));
  file.dependencies = imports;
  return file;
}

function withPublicImports(file) {
  const dependencies = file.proto.publicDependency.map((index) => withPublicImports(file.dependencies[index]));
  return { ...file, dependencies };
}
`,
);
for (const module of globSync("**/*_pb.js", { cwd: gen })) {
  const path = join(gen, module);
  const text = readFileSync(path, "utf8");
  const [line = "", names = ""] = /^import \{ (.*) \} from "@bufbuild\/protobuf\/codegenv2";$/m.exec(text) ?? [];
  const others = names.split(", ").filter((name) => name !== "fileDesc");
  if (line === "" || others.length === names.split(", ").length) throw new Error(`${module} describes no file`);
  const own = relative(dirname(path), join(gen, "file-desc.js"));
  const imports = [
    ...(others.length > 0 ? [`import { ${others.join(", ")} } from "@bufbuild/protobuf/codegenv2";`] : []),
    `import { fileDesc } from "${own.startsWith(".") ? own : `./${own}`}";`,
  ];
  writeFileSync(path, text.replace(line, imports.join("\n")));
}

const messagesOfEnvoy = ["envoy", "udpa", "xds", "istio/envoy"].flatMap((path) => ["--path", join(stage, path)]);
const image = join(gen, "descriptors.binpb");
const described = spawnSync(buf, ["build", stage, "--exclude-source-info", "-o", image, ...messagesOfEnvoy], {
  stdio: "inherit",
});
if (described.status !== 0) throw new Error("buf build failed");
const base64 = readFileSync(image).toString("base64");
rmSync(image);
writeFileSync(
  join(gen, "envoy/descriptor_set.js"),
  `/** A google.protobuf.FileDescriptorSet of every message of Envoy. */\nexport const envoyDescriptors = Object.freeze({ base64: "${base64}" });\n`,
);
writeFileSync(
  join(gen, "envoy/descriptor_set.d.ts"),
  "export declare const envoyDescriptors: { readonly base64: string };\n",
);
