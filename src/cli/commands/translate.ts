import type { JsonValue } from "@bufbuild/protobuf";
import { resourceJson } from "../../admin/resource/resource-json.ts";
import type { TypedResources } from "../../app/offline/read-mesh.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import type { Resource } from "../../pilot/model/resource.ts";
import type { Command, DocumentedFlag } from "../command.ts";
import { valueFlag } from "../flags/flag.ts";
import { meshFlags, readMeshFlags } from "../flags/mesh-flags.ts";
import { nodeFlags, readNodeFlags } from "../flags/node-flags.ts";
import { inNotation, isText, outputFlag } from "../flags/notation.ts";
import { readFlags } from "../flags/read-flags.ts";
import { complainOfIssues, openMesh } from "../mesh/open-mesh.ts";
import { dumpFor, readDump } from "../mesh/proxy-dump.ts";
import { proxyResourceTypes } from "../mesh/proxy-resource-types.ts";
import { resourceTables, tabledTypes } from "../proxies/resource-tables.ts";

/** Envoy's own form is the default. */
const forms = ["json", "yaml", "text", "wide"] as const;
const types = [...proxyResourceTypes.map(({ name }) => name), "all"] as const;

const flags: readonly DocumentedFlag[] = [
  ...nodeFlags("node"),
  valueFlag("type", types.join("|"), "Resource type to print.", "all"),
  ...meshFlags,
  outputFlag(forms),
];

export const command: Command = {
  usage: "DIR… --node ID [flags]",
  flags,
  examples: [
    "translate ./mesh --node router~gw-0.istio-system",
    "translate ./mesh --node sidecar~web-0.default --label version=v2 --type route -o yaml",
    "translate ./mesh --node sidecar~web-0.default --type route -o wide",
    "translate ./mesh --node sidecar~client-0.default --meta GENERATOR=grpc",
  ],
  problem: "the mesh has errors; resources of valid objects are still printed",
  async run(args, terminal) {
    const given = readFlags(args, flags, { expected: "DIR…", atLeast: 1, atMost: Infinity });
    const form = given.choice("output", forms);
    const type = given.choice("type", types);
    const settings = readMeshFlags(given, terminal);
    const { proxy } = readNodeFlags(given, "node", { ...settings, certificates: { type: "none" }, metadata: {} });
    const mesh = await openMesh(given.positionals, settings, terminal);
    const sent = mesh.resourcesFor(proxy);
    if (isText(form)) {
      const shown = tabledTypes.filter((each) => type === "all" || type === each);
      terminal.print(resourceTables(readDump(dumpFor(proxy, mesh)), shown, form));
    } else terminal.printData(inNotation(bodies(sent, type), form));
    const note = noteOn(sent, proxy);
    if (note !== undefined) terminal.complain(note);
    return complainOfIssues(mesh, terminal);
  },
};

function bodies(sent: readonly TypedResources[], type: (typeof types)[number]) {
  const shown = proxyResourceTypes.filter(({ name }) => type === "all" || type === name);
  return Object.fromEntries(
    shown.map(({ plural, typeUrl }) => {
      const resources = sent.filter((each) => each.typeUrl === typeUrl).flatMap((each) => each.resources);
      return [plural, resources.map(bodyOf)];
    }),
  );
}

/** The list of a resource gives its type, as in Envoy's static configuration. */
function bodyOf({ entry }: Resource): JsonValue {
  const opened = resourceJson(entry);
  if (typeof opened !== "object" || opened === null || Array.isArray(opened)) return opened;
  const { "@type": _type, ...body } = opened;
  return body;
}

/** Reports a mistake that looks like none: a gateway without listeners. */
function noteOn(sent: readonly TypedResources[], { type, labels }: Proxy): string | undefined {
  const listening = sent.some(({ shortName, resources }) => shortName === "LDS" && resources.length > 0);
  if (type !== "router" || listening) return undefined;
  const shown = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return `no listeners: no Gateway selects ${shown.join(", ")}`;
}
