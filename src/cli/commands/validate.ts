import type { Issue } from "../../config/issue.ts";
import { MeshError } from "../../lib/errors.ts";
import { type Command, type DocumentedFlag, ExitCode, type Terminal } from "../command.ts";
import { meshFlags, readMeshFlags } from "../flags/mesh-flags.ts";
import { inNotation, outputFlag } from "../flags/notation.ts";
import { readFlags } from "../flags/read-flags.ts";
import { issueCount, issueText } from "../issues/issue-text.ts";
import { type OpenedMesh, openMesh } from "../mesh/open-mesh.ts";
import { counted } from "../text/counted.ts";

const notations = ["text", "json", "yaml"] as const;

const flags: readonly DocumentedFlag[] = [
  {
    name: "filename",
    short: "f",
    type: "value",
    placeholder: "PATH",
    doc: "a file or directory to check, - for what is piped in; may be repeated, and left out before the path",
    default: "",
  },
  ...meshFlags,
  outputFlag(notations),
];

const paths = { expected: "FILE… or DIR…", atLeast: 0, atMost: Infinity };

export const command: Command = {
  usage: "[-f] FILE…|DIR… [flags]",
  flags,
  examples: [
    "validate ./mesh",
    "validate -f routes.yaml -f gateway.yaml --mesh mesh.yaml",
    "validate ./mesh -o json",
    "validate - < routes.yaml",
  ],
  problem: "something is invalid (warnings alone are not)",
  async run(args, terminal) {
    const given = readFlags(args, flags, paths);
    const named = [...given.values("filename"), ...given.positionals];
    if (named.length === 0) throw new MeshError("bad-option", `expected ${paths.expected}, found none`);
    const notation = given.choice("output", notations);
    const mesh = await openMesh(named, readMeshFlags(given, terminal), terminal);
    if (notation === "text") printText(mesh, terminal);
    else terminal.print(inNotation(mesh.issues.map(withReference), notation));
    return mesh.issues.some(({ severity }) => severity === "error") ? ExitCode.problem : ExitCode.ok;
  },
};

function printText({ issues, objects, textOf }: OpenedMesh, { print, complain, coloured }: Terminal): void {
  for (const issue of issues) print(issueText(issue, { textOf, coloured: coloured.print }));
  complain(`${counted(objects, "valid object")}, ${issueCount(issues)}`);
}

/** As the debug pages show an issue. */
function withReference(issue: Issue) {
  const { place } = issue;
  return { reference: place === undefined ? "" : `${place.file}:${place.line}`, ...issue };
}
