/**
 * Bundles `src` and every library that it uses, so that a server starts from a few files. The chunks follow the
 * commands: a short command loads nothing of a server, and libraries of one source load when that source is used.
 */
import { dirname, join, relative, resolve } from "node:path";
import { type RolldownPlugin, rolldown } from "rolldown";

export const root = resolve(import.meta.dirname, "../..");

/** The files of the package that others load by name. */
const entries = {
  binnacle: "src/cli/main.ts",
  index: "src/index.ts",
  xds: "src/xds.ts",
  "kubernetes-client": "src/kube/kubernetes-client.ts",
} as const;

/** A command that loads none of these is short: it asks a server, or prints what it knows. */
const heavy = /^(?:gen|src\/(?:galley|pilot|mcp|xds))\//u;

/**
 * The chunks of a server. Each has the modules that its roots load at once, without those of the chunks before it, so
 * that no chunk imports a later one.
 */
const layers = [
  { name: "xds-protocol", roots: ["src/xds.ts"] },
  { name: "config", roots: ["src/cli/commands/validate.ts"] },
  { name: "server", roots: ["src/cli/commands/serve.ts", "src/cli/commands/galley.ts", "src/cli/commands/pilot.ts"] },
] as const;

export interface BundleOptions {
  /** Adds maps, by which a stack names our files. */
  readonly sourceMaps: boolean;
}

/** Adds the files to the folder. Returns the paths of all bundled modules, below the root. */
export async function bundle(folder: string, { sourceMaps }: BundleOptions): Promise<readonly string[]> {
  const input = Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, join(root, path)]));
  const graph = new ModuleGraph();
  const bundler = await rolldown({
    cwd: root,
    input,
    platform: "node",
    plugins: [graph.plugin],
    // Of its 800 modules, a KubeConfig needs few. None does anything when it loads, but they do not say so.
    treeshake: { moduleSideEffects: [{ test: /\/@kubernetes\/client-node\//u, sideEffects: false }] },
    logLevel: "warn",
  });
  const { output } = await bundler.write({
    dir: folder,
    format: "esm",
    keepNames: true,
    // V8 keeps the text of a file, in half the memory if all characters are ASCII. Comments are in the sources.
    charset: "ascii",
    comments: { jsdoc: false },
    sourcemap: sourceMaps,
    sourcemapExcludeSources: true,
    // As if the sources were in the package. They are not: the bundle is not minified.
    sourcemapPathTransform: (source, map) =>
      relative(dirname(map), join(folder, relative(root, resolve(dirname(map), source)))),
    chunkFileNames: "chunks/[name]-[hash].js",
    codeSplitting: {
      groups: ["common", ...layers.map(({ name }) => name)].map((name, index) => {
        const isOfLayer = (id: string) => graph.layerOf(relative(root, id)) === name;
        return { name, test: isOfLayer, priority: layers.length - index };
      }),
    },
  });
  await bundler.close();
  return output.flatMap((each) => (each.type === "chunk" ? each.moduleIds.map((id) => relative(root, id)) : []));
}

/** Which module imports which, statically. Paths are below the root. */
class ModuleGraph {
  readonly #imports = new Map<string, readonly string[]>();
  #layers: ReadonlyMap<string, string> | undefined;

  readonly plugin: RolldownPlugin = {
    name: "module-graph",
    moduleParsed: ({ id, importedIds }) => {
      const imported = importedIds.map((each) => relative(root, each));
      this.#imports.set(relative(root, id), imported);
    },
  };

  layerOf(path: string): string | undefined {
    this.#layers ??= this.#assignLayers();
    return this.#layers.get(path);
  }

  #assignLayers(): ReadonlyMap<string, string> {
    const assigned = new Map<string, string>();
    const server = this.#closure(layers.flatMap(({ roots }) => roots));
    for (const path of this.#short()) if (server.has(path)) assigned.set(path, "common");
    for (const { name, roots } of layers)
      for (const path of this.#closure(roots)) if (!assigned.has(path)) assigned.set(path, name);
    return assigned;
  }

  /** The modules of short commands, and of the code that finds and starts a command. */
  #short(): ReadonlySet<string> {
    const commands = [...this.#imports.keys()].filter((path) => path.startsWith("src/cli/commands/"));
    const isShort = (path: string) => !Iterator.from(this.#closure([path])).some((each) => heavy.test(each));
    return this.#closure(["src/cli/start.ts", ...commands.filter(isShort)]);
  }

  #closure(roots: readonly string[]): ReadonlySet<string> {
    const found = new Set(roots);
    for (const path of found) for (const imported of this.#imports.get(path) ?? []) found.add(imported);
    return found;
  }
}
