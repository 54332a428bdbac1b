import { type Config, configKey } from "../config/config.ts";
import { kindOf, kinds } from "../config/kinds.ts";
import { parseConfigs } from "../config/parse.ts";
import { assert } from "../lib/assert.ts";

/** An object as a user writes it. */
interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
  };
  readonly spec: object;
}

/** Which object of which kind, and in which of its forms. */
export interface ObjectChoice {
  readonly kind: StoryKind;
  readonly name: string;
  readonly form: number;
}

const apiVersion = "networking.istio.io/v1";
export const storyKinds = ["ServiceEntry", "Gateway", "VirtualService", "DestinationRule"] as const;
export type StoryKind = (typeof storyKinds)[number];
export const storyNames = ["x", "y", "z"] as const;
/** How many forms an object takes; the last one of a ServiceEntry is poison to the transformer `echo`. */
export const forms = 4;
export const poisonedForm = forms - 1;

/** Says which batch of a source an object was written in. */
export const generationLabel = "generation";
export const poisonLabel = "poisoned";

export const storyCollections: readonly string[] = storyKinds.map(collectionOf);

export function collectionOf(kind: StoryKind): string {
  const row = kindOf(apiVersion, kind);
  assert(row !== undefined, `${kind} is in the kind table`);
  return row.collection;
}

const known = new Map<string, Config>();

/** The object as a source of this name has it. */
export function storyObject(choice: ObjectChoice, source: string): Config {
  const labels = choice.kind === "ServiceEntry" && choice.form === poisonedForm ? { [poisonLabel]: "yes" } : {};
  return configOf(manifest(choice.kind, choice.name, { ...labels, form: String(choice.form) }), source);
}

/** Two objects that a source writes in every batch, in two collections: whoever sees one must see the other. */
export function witnesses(source: string, generation: number): readonly (readonly [StoryKind, Config])[] {
  const name = `witness-${source}`;
  const labels = { [generationLabel]: String(generation) };
  return (["ServiceEntry", "Gateway"] as const).map((kind) => [kind, configOf(manifest(kind, name, labels), source)]);
}

export function keyOf({ name }: ObjectChoice): string {
  return configKey({ namespace: "shop", name });
}

function manifest(kind: StoryKind, name: string, labels: Readonly<Record<string, string>>): Manifest {
  return { apiVersion, kind, metadata: { name, namespace: "shop", labels }, spec: specs[kind](name) };
}

const specs: Readonly<Record<StoryKind, (name: string) => object>> = {
  ServiceEntry: (name) => ({
    hosts: [`${name}.shop.svc.cluster.local`],
    ports: [{ number: 80, name: "http", protocol: "HTTP" }],
    resolution: "DNS",
  }),
  Gateway: (name) => ({
    selector: { app: "edge" },
    servers: [{ port: { number: 80, name: "http", protocol: "HTTP" }, hosts: [`${name}.example.com`] }],
  }),
  VirtualService: (name) => ({
    hosts: [`${name}.example.com`],
    http: [{ route: [{ destination: { host: `${name}.shop.svc.cluster.local` } }] }],
  }),
  DestinationRule: (name) => ({ host: `${name}.shop.svc.cluster.local` }),
};

function configOf(object: Manifest, source: string): Config {
  const text = JSON.stringify(object);
  const id = `${source} ${text}`;
  const earlier = known.get(id);
  if (earlier !== undefined) return earlier;
  const { configs, issues } = parseConfigs({ text, file: "story.json", source, kinds, defaultNamespace: "default" });
  const [config] = configs;
  assert(config !== undefined, `a story's objects are valid: ${issues[0]?.message}`);
  known.set(id, config);
  return config;
}
