import { unobservedGalleys } from "../../src/app/mcp/remote-galleys.ts";
import { defaultOptions } from "../../src/app/options/options.ts";
import { schemes } from "../../src/app/sources/schemes.ts";
import { parseSourceUrl } from "../../src/app/sources/source-url.ts";
import { kinds } from "../../src/config/kinds.ts";
import {
  maxAddedValues,
  maxDirectiveLength,
  maxDocumentLength,
  maxIssuesOfFile,
  maxIssuesOfObject,
  maxNesting,
  maxProperties,
} from "../../src/config/yaml/limits.ts";
import { maxFileBytes } from "../../src/galley/source/file/file-read.ts";
import { MeshError } from "../../src/lib/errors.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";
import { markdownTable } from "./table.ts";

/** The form of a scheme's URLs, their content, and the recipe that describes their settings. */
interface SchemeText {
  readonly form: string;
  readonly what: string;
  readonly recipe?: string;
}

const apart = "run-galley-and-pilot-apart";
const istiod = "feed-istiod-from-binnacle";

const schemeTexts: Readonly<Record<string, SchemeText>> = {
  file: { form: "file:DIR", what: "a directory of YAML, watched" },
  etcd: { form: "etcd://HOST:PORT[,HOST:PORT]/PREFIX", what: "objects in etcd", recipe: "serve-from-etcd" },
  etcds: { form: "etcds://HOST:PORT[,HOST:PORT]/PREFIX", what: "the same over TLS", recipe: "serve-from-etcd" },
  "eureka+http": {
    form: "eureka+http://HOST:PORT[,HOST:PORT]/PATH",
    what: "applications that register in Eureka",
    recipe: "serve-from-eureka",
  },
  "eureka+https": {
    form: "eureka+https://HOST:PORT[,HOST:PORT]/PATH",
    what: "the same over TLS",
    recipe: "serve-from-eureka",
  },
  kube: { form: "kube:[CONTEXT]", what: "a cluster of Kubernetes", recipe: "serve-from-kubernetes" },
  mcp: { form: "mcp://HOST[:PORT]", what: "a remote Galley that Binnacle connects to", recipe: apart },
  mcps: { form: "mcps://HOST[:PORT]", what: "the same over TLS", recipe: apart },
  "mcp+listen": { form: "mcp+listen://[HOST]:PORT", what: "a remote Galley that connects to Binnacle", recipe: apart },
  "mcps+listen": { form: "mcps+listen://[HOST]:PORT", what: "the same over mutual TLS", recipe: apart },
  xds: { form: "xds://HOST[:PORT]", what: "an istiod, or another Binnacle", recipe: istiod },
  xdss: { form: "xdss://HOST[:PORT]", what: "the same over TLS", recipe: istiod },
  zookeeper: {
    form: "zookeeper://HOST:PORT[,HOST:PORT]/ROOT",
    what: "services that register in ZooKeeper",
    recipe: "serve-from-zookeeper",
  },
  zookeepers: {
    form: "zookeepers://HOST:PORT[,HOST:PORT]/ROOT",
    what: "the same over TLS",
    recipe: "serve-from-zookeeper",
  },
};

export interface Scheme extends SchemeText {
  readonly name: string;
  readonly settings: readonly string[];
}

/** Every scheme that `--source` understands. */
export const sourceSchemes: readonly Scheme[] = Object.keys(schemes).map((name) => {
  const { form, ...more } = schemeTexts[name] ?? { form: `${name}:`, what: "" };
  return { name, form, ...more, settings: settingsOf(name, form) };
});

/** The settings that the scheme lists in its error about an unknown setting. */
function settingsOf(scheme: string, form: string): readonly string[] {
  const example = form.replaceAll(/\[[^\]]*\]/gu, "").replaceAll("PORT", "1");
  try {
    const tools = { kinds, clock: new FakeClock(), options: defaultOptions(), galleys: unobservedGalleys() };
    schemes[scheme]?.({ ...parseSourceUrl(`${example}?`), query: new Map([["no-such-setting", ""]]) }, tools);
  } catch (thrown) {
    const { message } = MeshError.from(thrown);
    const listed = /unknown setting no-such-setting; the settings are (?<names>.*)$/u.exec(message)?.groups?.["names"];
    if (listed !== undefined) return listed.split(", ").filter((name) => name !== "optional");
  }
  return [];
}

export function sourcesPage(): string {
  const settingsTexts = sourceSchemes.map(({ settings }) => settings.map((name) => `\`${name}\``).join(", ") || "–");
  const rows = sourceSchemes.map(({ form, what, recipe }, index) => [
    `\`${form}\``,
    recipe === undefined ? what : `[${what}](../recipes/${recipe}.md)`,
    settingsTexts[index] === settingsTexts[index - 1] ? "the same" : (settingsTexts[index] ?? ""),
  ]);
  return `# Sources

The URLs of \`--source\`. The flag may be repeated. If two sources have an object of the same name, the first source wins.
A directory needs no flag (\`binnacle serve DIR\`), and \`off\` means no source. Settings are in the query of the URL, as in
\`kube:?namespaces=shop&optional=30s\`. The recipe of a source describes its settings and their defaults. Every source has
\`optional=DURATION\`: the mesh waits at most that long for it, and then serves without its objects, policies
included. Schemes with TLS have files with certificates (\`ca\`, \`cert\`,
\`key\`). Passwords are never part of a URL, because logs contain URLs.

A source that loses its origin is stale and keeps its objects. When the origin is back, only differences are sent. An origin
that comes back and lists nothing of what it had is doubted, because a server with the wrong disk answers with success as
well: the objects stay for 30 s, and the source is stale with that reason. Deleted files and deletions on a live watch
count at once. [Faults](faults.md) lists how each source fails and recovers.

${markdownTable(["URL", "content", "settings"], rows)}
${limitsOfYaml()}`;
}

function mebibytes(count: number): string {
  return `${count / 1024 / 1024} MiB`;
}

/** The limits of YAML, wherever it is read: files, values in etcd, input of commands. */
function limitsOfYaml(): string {
  const rows = [
    ["one file", mebibytes(maxFileBytes)],
    ["one document", mebibytes(maxDocumentLength)],
    ["levels of lists and mappings", String(maxNesting)],
    ["values that aliases add to a document", String(maxAddedValues)],
    ["anchors and tags before one value", String(maxProperties)],
    ["characters of a directive such as `%TAG`", String(maxDirectiveLength)],
    ["issues listed of one object", String(maxIssuesOfObject)],
    ["issues listed of one file", String(maxIssuesOfFile)],
  ];
  return `
## Limits of YAML

Within these limits, the time to read a document is linear in its length. A document beyond a limit causes an issue with
the place and the limit. Its objects keep their last good version. Other documents of the file are still read.

${markdownTable(["limit", "value"], rows)}`;
}
