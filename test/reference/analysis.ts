import { allAnalyzers as analyzers } from "../../src/app/analysis/patch-values.ts";
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

The messages of \`binnacle analyze\` and \`/debug/analysis\`. Codes, names and levels are those of Istio of mid-2026; the
sentences are ours. Only Binnacle has the codes that begin with \`BIN\`. Two settings suppress a message:

- The annotation \`galley.istio.io/analyze-suppress\` of its object, with the code or \`*\` among its values.
- The flag \`--suppress "CODE=Kind namespace/name"\`, where \`*\` matches any text.

## Analyzers

An analyzer is skipped if the kinds with a ◆ are unknown; \`--verbose\` lists skipped analyzers. Kinds are unknown in two
cases. The mesh consists of ServiceEntries and has no object of Kubernetes' own kinds, or a source does not read the kinds.
Without a cluster, \`analyze\` assumes that Istio's own ingress gateway exists.

${markdownTable(["analyzer", "looks for", "reads"], [...found, validation])}
## In the objects themselves

With \`--analysis-status\`, Binnacle also writes the messages about a cluster (\`--source kube:\`) to
\`status.validationMessages\` of their objects. It removes a message when the object is fixed. A message has type (code and
name), level and documentationUrl. It has the text only if the definition of the kind has a field for it; today's
definitions of Istio have none.

With several processes, only the leader by the Lease \`binnacle-analysis\` writes. It changes no other field of a status,
and writes only differences. These writes cause no push. An object has at most 50 messages.

## Messages

${markdownTable(["code", "name", "level", "says"], codes)}`;
}
