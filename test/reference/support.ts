import { effectsOf } from "../../src/config/effect/effects.ts";
import { schemaFields } from "../../src/config/effect/schema-fields.ts";
import { apiVersionOf, type Kind } from "../../src/config/kind.ts";
import { kinds, kindsOfMixer } from "../../src/config/kinds.ts";
import { effectText, startText } from "./effects.ts";
import { markdownTable } from "./table.ts";

/** The fields of one kind, and those that do less than in Istio. */
interface Support {
  readonly kind: Kind;
  /** The number of all fields. */
  readonly fields: number;
  /** Fields that a proxy gets at its start, from elsewhere. */
  readonly atStart: readonly Exception[];
  readonly without: readonly Exception[];
}

interface Exception {
  readonly path: string;
  readonly text: string;
}

export function supportPage(): string {
  const supports = kinds.filter((kind) => !kind.builtIn && effectsOf(kind)?.whole === undefined).map(supportOf);
  const rows = supports.map(({ kind, fields, atStart, without }) => [
    `[${kind.kind}](#${kind.kind.toLowerCase()})`,
    [kind, ...kind.versions.slice(1).map((version) => ({ ...kind, versions: [version] }))]
      .map((each) => `\`${apiVersionOf(each)}\``)
      .join(", "),
    String(fields - atStart.length - without.length),
    String(atStart.length || "–"),
    String(without.length || "–"),
  ]);
  const builtIn = new Set(kinds.filter((kind) => kind.builtIn).map(({ kind }) => kind));
  return `# Is it supported?

Does Binnacle support field X of kind Y? **A field of a kind on this page works as in Istio, unless the section of the kind lists it.**
Then its row says what happens instead. [Effects](effects.md) lists every field, also those that work. \`binnacle validate\` warns of
fields without effect in your files, and [features](../features.md) describes what proxies get.

${markdownTable(["kind", "API versions", "fields that work", "at the start of a proxy", "without effect"], rows)}
Of Kubernetes' own kinds, Binnacle reads the fields that it uses: ${[...builtIn].join(", ")} ([kinds](kinds.md)).

Without effect: the ${kindsOfMixer.length} kinds of Mixer (\`config.istio.io\`). They are read, validated and carried. The
[README](../../README.md#what-is-not-there) lists kinds that are not read.

${supports.map(sectionOf).join("\n")}`;
}

function supportOf(kind: Kind): Support {
  const effects = effectsOf(kind) ?? { kind };
  const { fields = {}, podFields = [], refused = [] } = effects;
  const whole = [...Object.keys(fields), ...podFields, ...refused];
  const isCovered = (path: string) => whole.some((row) => path.startsWith(`${row}.`));
  const paths = [...schemaFields(kind.schema)]
    .filter(({ path, hasFields }) => !isCovered(path) && (!hasFields || whole.includes(path)))
    .map(({ path }) => path);
  const startTexts = paths.flatMap((path) => exception(path, startText(effects, path)));
  const atStart = startTexts.filter(({ path }) => !refused.includes(path));
  const without = paths.flatMap((path) => {
    if (refused.includes(path)) return exception(path, "refused by validation");
    return startText(effects, path) === undefined ? exception(path, fields[path] && effectText(fields[path])) : [];
  });
  return { kind, fields: paths.length, atStart, without };
}

function exception(path: string, text: string | undefined): readonly Exception[] {
  return text === undefined ? [] : [{ path, text }];
}

function sectionOf({ kind, atStart, without }: Support): string {
  const note = effectsOf(kind)?.note;
  const remark = note === undefined ? "" : `${note}\n\n`;
  const all = `[All fields](effects.md#${kind.kind.toLowerCase()}).`;
  const tables = [
    ...tableOf("without effect", without),
    ...tableOf("at the start of a proxy, not over xDS", atStart),
  ].join("\n");
  if (tables === "") return `## ${kind.kind}\n\n${remark}Every field works. ${all}\n`;
  return `## ${kind.kind}\n\n${remark}All other fields work. ${all}\n\n${tables}`;
}

function tableOf(head: string, exceptions: readonly Exception[]): readonly string[] {
  if (exceptions.length === 0) return [];
  return [
    markdownTable(
      ["field", head],
      exceptions.map(({ path, text }) => [`\`${path}\``, text]),
    ),
  ];
}
