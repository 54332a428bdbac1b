import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import { type Command, type DocumentedFlag, ExitCode, type Terminal } from "../command.ts";
import { objectsAt, objectsIn } from "../diff/compared-objects.ts";
import { resourcesAt, resourcesIn } from "../diff/compared-resources.ts";
import { type ComparedThing, differencesOf } from "../diff/difference.ts";
import { differenceCount, differenceText } from "../diff/diff-text.ts";
import { checkSides, type Side, sideOf } from "../diff/side.ts";
import { type MeshFlagValues, meshFlags, readMeshFlags } from "../flags/mesh-flags.ts";
import { nodeFlags, readNodeFlags } from "../flags/node-flags.ts";
import { inNotation, notations, outputFlag } from "../flags/notation.ts";
import { readFlags } from "../flags/read-flags.ts";
import { serverFlag } from "../flags/server-flag.ts";
import { complainOfIssues, openMesh } from "../mesh/open-mesh.ts";
import { withServerProgress } from "../mesh/with-server-progress.ts";
import { fetchStatus, proxiesNamed } from "../proxies/fetch-status.ts";

const flags: readonly DocumentedFlag[] = [
  { ...serverFlag, doc: "The --http address of the server that server: and proxy:NODE mean." },
  ...nodeFlags("node").map((flag) =>
    flag.name === "node" ? { ...flag, doc: `Also compares the resources of this proxy. ${flag.doc}` } : flag,
  ),
  ...meshFlags,
  outputFlag(notations),
];

export const command: Command = {
  usage: "A B [flags]",
  flags,
  examples: [
    "diff ./mesh ./new-mesh",
    "diff ./mesh ./new-mesh --node sidecar~web-0.default",
    "diff server: ./mesh --server 127.0.0.1:8080",
    "diff proxy:web-0.default proxy:web-1.default --server 127.0.0.1:8080",
    "diff ./mesh ./new-mesh -o json",
  ],
  problem: "A and B differ, or one of them has errors or cannot be read",
  async run(args, terminal) {
    const given = readFlags(args, flags, {
      expected: "A and B, each of them DIR, FILE, -, server:[ADDR] or proxy:NODE",
      atLeast: 2,
      atMost: 2,
    });
    const notation = given.choice("output", notations);
    const server = given.value("server");
    const [a = "", b = ""] = given.positionals;
    const sides = [sideOf(a, server), sideOf(b, server)] as const;
    checkSides(sides, given.has("node"));
    const settings = readMeshFlags(given, terminal);
    const sketch = { ...settings, certificates: { type: "none" }, metadata: {} } as const;
    const proxy = given.has("node") ? readNodeFlags(given, "node", sketch).proxy : undefined;
    const read = (side: Side) => contentOf(side, { server, settings, proxy }, terminal);
    const [before, after] = [await read(sides[0]), await read(sides[1])];
    const objects = differencesOf(before.objects, after.objects);
    const resources = differencesOf(before.resources, after.resources);
    const all = [...objects, ...resources];
    if (notation === "text") {
      for (const each of all) terminal.print(differenceText(each, terminal.coloured.print));
      terminal.complain(differenceCount(all));
    } else terminal.printData(inNotation({ a, b, objects, resources }, notation));
    const isEqual = all.length === 0 && before.code === ExitCode.ok && after.code === ExitCode.ok;
    return isEqual ? ExitCode.ok : ExitCode.problem;
  },
};

interface Content {
  readonly objects: readonly ComparedThing[];
  readonly resources: readonly ComparedThing[];
  /** A side with errors is not whole: it is never equal to the other one. */
  readonly code: ExitCode;
}

interface ContentOptions {
  readonly server: string;
  readonly settings: MeshFlagValues;
  readonly proxy: Proxy | undefined;
}

async function contentOf(
  side: Side,
  { server, settings, proxy }: ContentOptions,
  terminal: Terminal,
): Promise<Content> {
  switch (side.type) {
    case "files": {
      const mesh = await openMesh([side.path], settings, terminal);
      const resources = proxy === undefined ? [] : resourcesIn(mesh, proxy);
      return { objects: objectsIn(mesh), resources, code: complainOfIssues(mesh, terminal) };
    }
    case "server":
      return await withServerProgress(side.server, terminal, async () => ({
        objects: await objectsAt(side.server),
        resources: proxy === undefined ? [] : await resourcesOf(side.server, proxy.nodeId),
        code: ExitCode.ok,
      }));
    case "proxy":
    default:
      return await withServerProgress(server, terminal, async () => ({
        objects: [],
        resources: await resourcesOf(server, side.node),
        code: ExitCode.ok,
      }));
  }
}

/** A proxy may have several streams. The first one is enough. */
async function resourcesOf(server: string, wanted: string): Promise<readonly ComparedThing[]> {
  const { proxies } = await fetchStatus(server);
  const [proxy] = proxiesNamed(wanted, proxies);
  return await resourcesAt(server, proxy?.connection ?? wanted);
}
