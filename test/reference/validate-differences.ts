import type { KnownDifference } from "../e2e/differential/known/known-difference.ts";
import { knownDifferences } from "../e2e/differential/known-differences.ts";
import { markdownTable } from "./table.ts";

export function validateDifferencesPage(): string {
  const ours = knownDifferences.flatMap((row) =>
    row.type === "ours"
      ? [
          [
            kindsOf(row),
            `\`${row.code}\``,
            row.fields.map((field) => `\`${field}\``).join(", "),
            row.values.said,
            row.reason,
          ],
        ]
      : [],
  );
  const theirs = knownDifferences.flatMap((row) =>
    row.type === "theirs" ? [[kindsOf(row), row.said, row.reason]] : [],
  );
  return `# Where validate differs from istioctl

\`binnacle validate\` and \`istioctl validate\` accept and refuse the same objects, except for the rows of this page. Warnings
do not count, and neither do errors \`no-effect\` (see \`--allow-unenforced\`). \`npm run differential\` compares the verdicts on
50 000 mutated objects of every kind. It fails for a difference that no row explains.

## Refused by Binnacle alone

Fields are below \`spec\`: \`[]\` stands for an index, \`*\` for a key, \`**\` for any number of steps.

${markdownTable(["kind", "code", "field", "value", "reason"], ours)}
## Refused by istioctl alone

${markdownTable(["kind", "object", "reason"], theirs)}`;
}

function kindsOf({ kinds }: KnownDifference): string {
  return kinds === "all" ? "every kind" : kinds.join(", ");
}
