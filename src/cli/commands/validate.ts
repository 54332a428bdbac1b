import { withReference } from "../../admin/galley/issues.ts";
import { hasErrors } from "../../config/finding.ts";
import { counted } from "../../lib/counted.ts";
import { type Command, type DocumentedFlag, ExitCode, type Terminal } from "../command.ts";
import { meshFlags, readMeshFlags } from "../flags/mesh-flags.ts";
import { inNotation, notations, outputFlag } from "../flags/notation.ts";
import { filenameFlag, namedPaths, pathPositionals } from "../flags/paths.ts";
import { readFlags } from "../flags/read-flags.ts";
import { issueCount, issueText } from "../issues/issue-text.ts";
import { type OpenedMesh, openMesh } from "../mesh/open-mesh.ts";

const flags: readonly DocumentedFlag[] = [
  {
    ...filenameFlag,
    doc: "File or directory to check, or - for stdin. May be repeated. The flag name may be omitted before the path.",
  },
  ...meshFlags,
  outputFlag(notations),
];

export const command: Command = {
  usage: "[-f] FILE…|DIR… [flags]",
  flags,
  examples: [
    "validate ./mesh",
    "validate -f routes.yaml -f gateway.yaml --mesh mesh.yaml",
    "validate ./mesh -o json",
    "validate - < routes.yaml",
  ],
  problem: "an object is invalid (warnings do not count)",
  async run(args, terminal) {
    const given = readFlags(args, flags, pathPositionals);
    const notation = given.choice("output", notations);
    const mesh = await openMesh(namedPaths(given), readMeshFlags(given, terminal), terminal);
    if (mesh.ignored !== undefined) terminal.complain(mesh.ignored);
    if (notation === "text") printText(mesh, terminal);
    else terminal.printData(inNotation(mesh.issues.map(withReference), notation));
    return hasErrors(mesh.issues) ? ExitCode.problem : ExitCode.ok;
  },
};

function printText({ issues, objects, textOf }: OpenedMesh, { print, complain, coloured }: Terminal): void {
  for (const issue of issues) print(issueText(issue, { textOf, coloured: coloured.print }));
  // The substitute of an unusable policy is in use, but it is not valid.
  const unusable = issues.filter(({ code }) => code === "unusable-policy").length;
  complain(`${counted(objects - unusable, "valid object")}, ${issueCount(issues)}`);
}
