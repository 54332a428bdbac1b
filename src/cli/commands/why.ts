import type { FieldCauses } from "../../desk/api/model/why.ts";
import { EditableMesh } from "../../app/offline/editable-mesh.ts";
import { assert } from "../../lib/assert.ts";
import { MeshError } from "../../lib/errors.ts";
import type { ResourceType } from "../../xds/resource-type.ts";
import { type Command, type DocumentedFlag, ExitCode, type Terminal } from "../command.ts";
import { meshFlags, type MeshFlagValues, readMeshFlags } from "../flags/mesh-flags.ts";
import { readNode, workloadFlags } from "../flags/node-flags.ts";
import { inNotation, isText, outputFlag, type TableForm, tableForms } from "../flags/notation.ts";
import { filenameFlag } from "../flags/paths.ts";
import { serverFlag } from "../flags/server-flag.ts";
import { type ReadFlags, readFlags } from "../flags/read-flags.ts";
import { assumedProxies } from "../mesh/assumed-proxies.ts";
import { fetchPage } from "../mesh/fetch-page.ts";
import { openInputs } from "../mesh/open-inputs.ts";
import { proxyResourceTypes } from "../mesh/proxy-resource-types.ts";
import { withServerProgress } from "../mesh/with-server-progress.ts";
import { Progress } from "../text/progress.ts";
import { causesOfField } from "../../desk/explain/causes-of-field.ts";
import { effectsOfLine } from "../why/effects-of-line.ts";
import { causesReport, causesText, effectsReport, effectsText, serverReport } from "../why/why-text.ts";

const defaultInput = "./mesh";

const flags: readonly DocumentedFlag[] = [
  { ...filenameFlag, default: defaultInput },
  ...workloadFlags,
  {
    ...serverFlag,
    default: "",
    doc: "Asks the server with this --http address and a desk about a connected proxy, as it is now, instead of reading files. Not for FILE:LINE.",
  },
  ...meshFlags,
  outputFlag(tableForms),
];

const expected = "PROXY TYPE RESOURCE [FIELD], or FILE:LINE";
const fileAndLine = /^(?<file>.+):(?<line>\d+)$/u;

export const command: Command = {
  usage: "PROXY TYPE RESOURCE [FIELD]|FILE:LINE [flags]",
  flags,
  examples: [
    "why router~gw-0.istio-system route http.8080 'virtual_hosts[0].routes[0].route.timeout' -f ./mesh",
    "why sidecar~web-0.default cluster 'outbound|9080||reviews.default.svc.cluster.local' connect_timeout",
    "why mesh/routes.yaml:6 -f ./mesh",
    "why gw-0.istio-system route http.8080 'virtual_hosts[0].routes[0].route.timeout' --server 127.0.0.1:8080",
  ],
  problem: "the mesh has no such resource, field or line",
  async run(args, terminal) {
    const given = readFlags(args, flags, { expected, atLeast: 1, atMost: 4 });
    const form = given.choice("output", tableForms);
    const place = given.positionals.length === 1 ? placeIn(given.positionals[0] ?? "") : undefined;
    if (place === undefined && given.positionals.length < 3) {
      throw new MeshError("bad-option", `expected ${expected}, found ${given.positionals.join(" ")}`);
    }
    const server = given.value("server");
    if (server !== "") {
      if (place !== undefined) throw new MeshError("bad-option", `--server: not for ${given.positionals[0] ?? ""}`);
      print(await withServerProgress(server, terminal, () => askServer(server, given)), form, terminal);
      return ExitCode.ok;
    }
    const settings = readMeshFlags(given, terminal);
    const paths = given.values("filename");
    const { inputs } = await openInputs(paths.length === 0 ? [defaultInput] : paths, terminal);
    await using mesh = await EditableMesh.open({ inputs, ...settings });
    print(await answer(mesh, place, { given, settings, terminal }), form, terminal);
    return ExitCode.ok;
  },
};

interface Answer {
  readonly data: unknown;
  readonly text: (form: "text" | "wide") => string;
}

function print({ data, text }: Answer, form: TableForm, terminal: Terminal): void {
  if (isText(form)) terminal.print(text(form));
  else terminal.printData(inNotation(data, form));
}

/** A server makes its trials in pieces between its pushes, for at most 20 s. */
const exchangeMs = 30_000;

async function askServer(server: string, given: ReadFlags): Promise<Answer> {
  const [node = "", word = "", resource = "", field = ""] = given.positionals;
  for (const flag of ["filename", "label", "meta"]) {
    if (given.values(flag).length > 0) throw new MeshError("bad-option", `--${flag}: not with --server`);
  }
  const { shortName: type } = knownType(word);
  const path = `/api/v1/proxies/${encodeURIComponent(node)}/resources/${encodeURIComponent(resource)}/why`;
  const query = new URLSearchParams({ type, field });
  // Our own page, which names its format.
  const found = (await fetchPage(server, `${path}?${query.toString()}`, { exchangeMs })) as FieldCauses;
  const data = serverReport(node, found);
  return { data, text: (form) => causesText(data, form) };
}

interface Asked {
  readonly given: ReadFlags;
  readonly settings: MeshFlagValues;
  readonly terminal: Terminal;
}

async function answer(
  mesh: EditableMesh,
  place: ReturnType<typeof placeIn> | undefined,
  asked: Asked,
): Promise<Answer> {
  let tried = 0;
  using progress = new Progress(asked.terminal, () => `${tried} changes tried`);
  const onTry = () => {
    tried += 1;
    progress.tick();
  };
  if (place !== undefined) {
    const proxies = assumedProxies(mesh.push, asked.settings);
    const data = effectsReport(await effectsOfLine(mesh, place, proxies, onTry));
    return { data, text: (form) => effectsText(data, form) };
  }
  const { proxy, ...question } = questionIn(mesh, asked);
  const triedMesh = {
    objects: mesh.objects,
    edit: mesh.edit.bind(mesh),
    resourcesOf: (type: ResourceType) => mesh.resourcesFor(proxy, type),
  };
  const data = causesReport(proxy.nodeId, question, await causesOfField(triedMesh, question, onTry));
  return { data, text: (form) => causesText(data, form) };
}

function questionIn(mesh: EditableMesh, { given, settings }: Asked) {
  const [node = "", type = "", resource = "", field = ""] = given.positionals;
  const sketch = { ...settings, certificates: { type: "none" }, metadata: {}, argument: "PROXY" } as const;
  return { proxy: readNode(node, given, sketch).proxy, type: typeNamed(type, mesh.types), resource, field };
}

function typeNamed(word: string, types: readonly ResourceType[]): ResourceType {
  const { shortName } = knownType(word);
  const type = types.find((each) => each.shortName === shortName);
  assert(type !== undefined, "a server has all types of a proxy");
  return type;
}

function knownType(word: string) {
  const known = proxyResourceTypes.find(({ name, plural }) => name === word || plural === word);
  if (known !== undefined) return known;
  const names = proxyResourceTypes.map(({ name }) => name).join(", ");
  throw new MeshError("bad-option", `TYPE: expected one of ${names}, found ${JSON.stringify(word)}`);
}

function placeIn(text: string): { readonly file: string; readonly line: number } {
  const { file, line } = fileAndLine.exec(text)?.groups ?? {};
  if (file === undefined) throw new MeshError("bad-option", `expected ${expected}, found ${text}`);
  return { file, line: Number(line) };
}
