import type { KindEffects, NoEffect } from "../../src/config/effect/effect-table.ts";
import { effectsOf } from "../../src/config/effect/effects.ts";
import { schemaFields } from "../../src/config/effect/schema-fields.ts";
import type { Kind } from "../../src/config/kind.ts";
import { kinds, kindsOfMixer } from "../../src/config/kinds.ts";
import { markdownTable } from "./table.ts";

export function effectsPage(): string {
  const own = kinds.filter((kind) => !kind.builtIn);
  const partly = own.filter((kind) => effectsOf(kind)?.whole === undefined);
  return `# Effects

The kinds and fields of Istio that change the configuration of proxies. A field without effect causes the issue
\`no-effect\` when it is set. The issue is a warning, or an error (**!**) if the author relies on the field for security.
\`--allow-unenforced\` turns these errors into warnings. Binnacle still keeps, analyses and sends such objects over MCP.

\`test/scenarios/effects.test.ts\` proves every line by bytes. It changes each field, also of the kinds without effect, and
compares all configuration of the proxies. Kinds of Kubernetes are not listed, because Binnacle reads only the fields that
it uses.

Some fields are not sent to proxies, because they decide how a proxy starts. \`binnacle bootstrap\` applies them to the file
that it prints, or says how to start Envoy (\`test/scenarios/bootstrap-effects.test.ts\`). *Injected pods* get them from the
injection: in their containers, or by Istio's agent (\`test/e2e/agent-settings.test.ts\`).

## Kinds without effect

All ${kindsOfMixer.length} kinds of Mixer (\`config.istio.io\`): ${reasonOf(effectsOf(kindsOfMixer[0] as Kind)?.whole)}.

${partly.map(sectionOf).join("\n")}`;
}

function sectionOf(kind: Kind): string {
  const effects = effectsOf(kind) ?? { kind };
  const { fields = {}, serverFields = {}, podFields = [], refused = [], note } = effects;
  const whole = [...Object.keys(fields), ...podFields, ...refused];
  const isCovered = (path: string) => whole.some((row) => path.startsWith(`${row}.`));
  const textOf = (path: string) => {
    if (refused.includes(path)) return "refused by validation";
    return startText(effects, path) ?? serverFields[path] ?? effectText(fields[path]);
  };
  const rows = [...schemaFields(kind.schema)]
    .filter(({ path, hasFields }) => !isCovered(path) && (!hasFields || whole.includes(path)))
    .map(({ path }) => [`\`${path}\``, textOf(path)]);
  const remark = note === undefined ? "" : `${note}\n\n`;
  return `## ${kind.kind}\n\n${remark}${markdownTable(["field", "effect"], rows)}`;
}

/** The places that apply a setting of the proxy's start; undefined for other fields. */
export function startText({ bootstrapFields = [], podFields = [] }: KindEffects, path: string): string | undefined {
  const places = [
    ...(bootstrapFields.includes(path) ? ["`binnacle bootstrap`"] : []),
    ...(podFields.includes(path) ? ["injected pods"] : []),
  ];
  return places.length === 0 ? undefined : places.join(", ");
}

export function effectText(row: NoEffect | undefined): string {
  return row === undefined ? "yes" : `no: ${reasonOf(row)}`;
}

function reasonOf(row: NoEffect | undefined): string {
  const fields = (row?.instead ?? []).map((field) => field.replace(/ (?<path>.+)$/u, " `$<path>`"));
  const instead = fields.length === 0 ? "" : ` (use instead: ${fields.join(", ")})`;
  return `${row?.security ? "**!** " : ""}${row?.reason}${instead}`;
}
