import { analyzers } from "../../src/config/analysis/analyzers.ts";
import { validationAnalyzer } from "../../src/config/analysis/issue-messages.ts";
import { messageTypes } from "../../src/config/analysis/messages.ts";
import { markdownTable } from "./table.ts";

export function analysisPage(): string {
  const found = analyzers.map(({ name, description, inputs, needs = [] }) => {
    const needed = new Set(needs.map(({ kind }) => kind));
    const read = inputs.map(({ kind }) => (needed.has(kind) ? `${kind} ◆` : kind));
    return [`\`${name}\``, description, read.toSorted().join(", ")];
  });
  const validation = [`\`${validationAnalyzer.name}\``, validationAnalyzer.description, "every kind"];
  const codes = messageTypes.map(({ code, name, level, template }) => [`\`${code}\``, name, level, template]);
  return `# Analysis

What \`binnacle analyze\` and \`/debug/analysis\` look for. Codes, names and levels are those of Istio of mid-2026, the
sentences are ours; what begins with \`BIN\` is said by Binnacle alone. A message is left out where its object has the
annotation \`galley.istio.io/analyze-suppress\` with the code, or \`*\`, among its values, and by \`--suppress "CODE=Kind
namespace/name"\`, where \`*\` stands for any text.

## Analyzers

An analyzer is skipped (\`--verbose\` lists which) where nothing is known of the kinds with a ◆: in a mesh that is made of
ServiceEntries and has no object of Kubernetes' own kinds, or where a source does not read them. Without a cluster,
\`analyze\` takes Istio's own ingress gateway to be there.

${markdownTable(["analyzer", "looks for", "reads"], [...found, validation])}
## In the objects themselves

With \`--analysis-status\` what is found in a cluster (\`--source kube:\`) also stands in \`status.validationMessages\` of the
object that it is about, and goes when the object is mended: type with code and name, level, documentationUrl, and the
message itself where the definition of the kind has room for it, which today's of Istio do not. Of several processes one
writes, by the Lease \`binnacle-analysis\`; other fields of a status are not touched, nothing is written where nothing
differs, and nobody is pushed anything because of it. An object has at most 50.

## Messages

${markdownTable(["code", "name", "level", "says"], codes)}`;
}
