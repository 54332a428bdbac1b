import { type Config, configKey } from "../../config/config.ts";
import type { Kind } from "../../config/kind.ts";
import { kindOf } from "../../config/kinds.ts";
import { assert } from "../../lib/assert.ts";
import { configIn } from "../config/configs-in.ts";

/** Selects an object by kind and name, and one of its forms. */
export interface ObjectChoice {
  readonly kind: StoryKind;
  readonly name: string;
  readonly form: number;
}

export type StoryKind = keyof typeof manifests;

/**
 * Manifests as users write them, without names and labels. Names and addresses overlap, so that objects belong
 * together.
 */
const manifests = {
  ServiceEntry: (name: string) => ({
    apiVersion: "networking.istio.io/v1",
    spec: {
      hosts: [`${name}.example.com`],
      ports: [{ number: 80, name: "http", protocol: "HTTP" }],
      resolution: "DNS",
    },
  }),
  Gateway: (name: string) => ({
    apiVersion: "networking.istio.io/v1",
    spec: {
      selector: { app: "edge" },
      servers: [{ port: { number: 80, name: "http", protocol: "HTTP" }, hosts: [`${name}.example.com`] }],
    },
  }),
  VirtualService: (name: string) => ({
    apiVersion: "networking.istio.io/v1",
    spec: {
      hosts: [`${name}.example.com`],
      http: [{ route: [{ destination: { host: `${name}.shop.svc.cluster.local` } }] }],
    },
  }),
  Service: (_name: string, form: number) => ({
    apiVersion: "v1",
    spec: { clusterIP: `10.9.0.${form}`, ports: [{ name: "http", port: 80 + form }] },
  }),
  Endpoints: (_name: string, form: number) => ({
    apiVersion: "v1",
    subsets: [{ addresses: [{ ip: `10.0.0.${form}` }], ports: [{ name: "http", port: 80 + form }] }],
  }),
  Pod: (name: string, form: number) => ({
    apiVersion: "v1",
    spec: { nodeName: name, serviceAccountName: `account-${form}` },
    status: { podIP: `10.0.0.${form}`, phase: "Running" },
  }),
  Ingress: (name: string, form: number) => ({
    apiVersion: "networking.k8s.io/v1",
    spec: {
      ingressClassName: form === 0 ? "other" : "istio",
      rules: [{ host: `${name}-${form}.example.com`, http: { paths: [path(name)] } }],
    },
  }),
};

function path(service: string): object {
  return { path: "/", pathType: "Prefix", backend: { service: { name: service, port: { number: 80 } } } };
}

// The keys of a literal are the names of its type.
export const storyKinds = Object.keys(manifests) as readonly StoryKind[];
export const storyNames = ["x", "y"] as const;
/** The number of forms of an object. The last form of a ServiceEntry makes the transformer `echo` fail. */
export const forms = 4;
const poisonedForm = forms - 1;

/** The label that holds the number of the batch in which a source wrote an object. */
export const generationLabel = "generation";
export const poisonLabel = "poisoned";

/** The rows of the kind table that stories use. */
export const storyTable: readonly Kind[] = storyKinds.map((kind) => {
  const row = kindOf(manifests[kind]("x", 0).apiVersion, kind);
  assert(row !== undefined, `${kind} is in the kind table`);
  return row;
});

export const storyCollections: readonly string[] = storyTable.map(({ collection }) => collection);

export function storyCollection(kind: StoryKind): string {
  const collection = storyCollections[storyKinds.indexOf(kind)];
  assert(collection !== undefined, "the table has a row for every kind of stories");
  return collection;
}

/** The object as the source with this name has it. */
export function storyObject({ kind, name, form }: ObjectChoice, source: string): Config {
  const labels = kind === "ServiceEntry" && form === poisonedForm ? { [poisonLabel]: "yes" } : {};
  return configOf({ kind, name, form }, { ...labels, form: String(form) }, source);
}

/** Two objects that a source writes in every batch, in two collections. A reader that sees one must see the other. */
export function markerObjects(source: string, generation: number): readonly (readonly [StoryKind, Config])[] {
  const labels = { [generationLabel]: String(generation) };
  return (["ServiceEntry", "Gateway"] as const).map((kind) => {
    return [kind, configOf({ kind, name: `marker-${source}`, form: 0 }, labels, source)];
  });
}

export function storyKey({ name }: ObjectChoice): string {
  return configKey({ namespace: "shop", name });
}

const known = new Map<string, Config>();

function configOf(choice: ObjectChoice, labels: Readonly<Record<string, string>>, source: string): Config {
  const { kind, name, form } = choice;
  const text = JSON.stringify({ kind, metadata: { name, namespace: "shop", labels }, ...manifests[kind](name, form) });
  const id = `${source} ${text}`;
  const earlier = known.get(id);
  if (earlier !== undefined) return earlier;
  const config = configIn(text, { file: "story.json", source });
  known.set(id, config);
  return config;
}
