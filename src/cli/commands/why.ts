import { EditableMesh } from "../../app/offline/editable-mesh.ts";
import { MeshError } from "../../lib/errors.ts";
import type { ResourceType } from "../../xds/resource-type.ts";
import { type Command, type DocumentedFlag, ExitCode, type Terminal } from "../command.ts";
import { meshFlags, type MeshFlagValues, readMeshFlags } from "../flags/mesh-flags.ts";
import { readNode, workloadFlags } from "../flags/node-flags.ts";
import { inNotation, isText, outputFlag, tableForms } from "../flags/notation.ts";
import { filenameFlag } from "../flags/paths.ts";
import { type ReadFlags, readFlags } from "../flags/read-flags.ts";
import { assumedProxies } from "../mesh/assumed-proxies.ts";
import { openInputs } from "../mesh/open-inputs.ts";
import { proxyResourceTypes } from "../mesh/proxy-resource-types.ts";
import { Progress } from "../text/progress.ts";
import { causesOfField } from "../why/causes-of-field.ts";
import { effectsOfLine } from "../why/effects-of-line.ts";
import { causesReport, causesText, effectsReport, effectsText } from "../why/why-text.ts";

const defaultInput = "./mesh";

const flags: readonly DocumentedFlag[] = [
  { ...filenameFlag, default: defaultInput },
  ...workloadFlags,
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
  ],
  problem: "the mesh has no such resource, field or line",
  async run(args, terminal) {
    const given = readFlags(args, flags, { expected, atLeast: 1, atMost: 4 });
    const form = given.choice("output", tableForms);
    const place = given.positionals.length === 1 ? placeIn(given.positionals[0] ?? "") : undefined;
    if (place === undefined && given.positionals.length < 3) {
      throw new MeshError("bad-option", `expected ${expected}, found ${given.positionals.join(" ")}`);
    }
    const settings = readMeshFlags(given, terminal);
    const paths = given.values("filename");
    const { inputs } = await openInputs(paths.length === 0 ? [defaultInput] : paths, terminal);
    await using mesh = await EditableMesh.open({ inputs, ...settings });
    const { data, text } = await answer(mesh, place, { given, settings, terminal });
    if (isText(form)) terminal.print(text(form));
    else terminal.printData(inNotation(data, form));
    return ExitCode.ok;
  },
};

interface Asked {
  readonly given: ReadFlags;
  readonly settings: MeshFlagValues;
  readonly terminal: Terminal;
}

async function answer(mesh: EditableMesh, place: ReturnType<typeof placeIn> | undefined, asked: Asked) {
  let tried = 0;
  using progress = new Progress(asked.terminal, () => `${tried} changes tried`);
  const onTry = () => {
    tried += 1;
    progress.tick();
  };
  if (place !== undefined) {
    const proxies = assumedProxies(mesh.push, asked.settings);
    const data = effectsReport(await effectsOfLine(mesh, place, proxies, onTry));
    return { data, text: (form: "text" | "wide") => effectsText(data, form) };
  }
  const question = questionIn(mesh, asked);
  const data = causesReport(question, await causesOfField(mesh, question, onTry));
  return { data, text: (form: "text" | "wide") => causesText(data, form) };
}

function questionIn(mesh: EditableMesh, { given, settings }: Asked) {
  const [node = "", type = "", resource = "", field = ""] = given.positionals;
  const sketch = { ...settings, certificates: { type: "none" }, metadata: {}, argument: "PROXY" } as const;
  return { proxy: readNode(node, given, sketch).proxy, type: typeNamed(type, mesh.types), resource, field };
}

function typeNamed(word: string, types: readonly ResourceType[]): ResourceType {
  const known = proxyResourceTypes.find(({ name, plural }) => name === word || plural === word);
  const type = types.find(({ typeUrl }) => typeUrl === known?.typeUrl);
  if (type !== undefined) return type;
  const names = proxyResourceTypes.map(({ name }) => name).join(", ");
  throw new MeshError("bad-option", `TYPE: expected one of ${names}, found ${JSON.stringify(word)}`);
}

function placeIn(text: string): { readonly file: string; readonly line: number } {
  const { file, line } = fileAndLine.exec(text)?.groups ?? {};
  if (file === undefined) throw new MeshError("bad-option", `expected ${expected}, found ${text}`);
  return { file, line: Number(line) };
}
