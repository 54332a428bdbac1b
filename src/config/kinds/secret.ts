import { create } from "@bufbuild/protobuf";
import { type ConfigMap, ConfigMapSchema, type Secret, SecretSchema } from "#gen/k8s/core/v1/data_pb.js";
import { isMapping } from "../../lib/is-mapping.ts";
import {
  authoritiesProblem,
  chainProblem,
  keyProblem,
  revocationsProblem,
  stapleProblem,
} from "../credential/key-material.ts";
import { type SealedParts, sealParts } from "../credential/sealed-parts.ts";
import {
  authoritiesIn,
  isCredentialPart,
  pairIn,
  pullConfigIn,
  pullSecretPart,
  pullSecretType,
  type SecretParts,
} from "../credential/secret-parts.ts";
import { fieldPath } from "../field-path.ts";
import { error, type Finding, type Remark } from "../finding.ts";
import type { Kind } from "../kind.ts";

const core = { group: "", versions: ["v1"], builtIn: true, scope: "namespace", body: "object" } as const;

/** Types whose content is never a certificate of a gateway. An API server need not send them. */
const foreignTypes = ["helm.sh/release.v1", "kubernetes.io/service-account-token"];

export const secret: Kind<typeof SecretSchema> = {
  ...core,
  kind: "Secret",
  plural: "secrets",
  collection: "k8s/core/v1/secrets",
  output: "k8s/core/v1/secrets",
  snapshot: "credentials",
  fieldSelector: foreignTypes.map((type) => `type!=${type}`).join(","),
  schema: SecretSchema,
  seal,
  validate: ({ sealed, spec }, raw) => {
    const parts = sealed?.reveal() ?? {};
    return [
      ...missingParts(spec, parts),
      ...pairFindings(parts, raw),
      ...authorityFindings(parts, raw),
      ...pullFindings(spec, parts, raw),
    ];
  },
};

export const configMap: Kind<typeof ConfigMapSchema> = {
  ...core,
  kind: "ConfigMap",
  plural: "configmaps",
  collection: "k8s/core/v1/configmaps",
  output: "k8s/core/v1/configmaps",
  snapshot: "credentials",
  schema: ConfigMapSchema,
  validate: ({ spec }, raw) => authorityFindings(partsOfConfigMap(spec), raw),
};

/** The CA certificates and revocation lists of a ConfigMap, which are public. */
export function partsOfConfigMap({ data, binaryData }: ConfigMap): SecretParts {
  const texts = Object.entries(data).map(([name, text]) => [name, Buffer.from(text)] as const);
  return Object.fromEntries([...Object.entries(binaryData), ...texts].filter(([name]) => isCredentialPart(name)));
}

/** Takes the content out of a Secret, and keeps the names of its parts. Unused parts are dropped, not sealed. */
function seal({ data, stringData, type }: Secret): { readonly spec: Secret; readonly sealed: SealedParts } {
  const texts = Object.entries(stringData).map(([name, text]) => [name, Buffer.from(text)] as const);
  const all = [...Object.entries(data), ...texts];
  const used = all.filter(([name]) => isUsed(name, type));
  const names = Object.fromEntries(all.map(([name]) => [name, new Uint8Array()]));
  return { spec: create(SecretSchema, { data: names, type }), sealed: sealParts(Object.fromEntries(used)) };
}

/** As in istiod, credentials for a registry count only in a Secret of their type. */
function isUsed(name: string, type: string): boolean {
  if (name === pullSecretPart) return type === pullSecretType;
  return isCredentialPart(name) && !foreignTypes.includes(type);
}

function missingParts({ type }: Secret, parts: SecretParts): readonly Finding[] {
  if (type !== "kubernetes.io/tls" || pairIn(parts) !== undefined) return [];
  const message = "a Secret of type kubernetes.io/tls needs tls.crt and tls.key";
  return [error("data", { code: "missing-certificate", message })];
}

function pairFindings(parts: SecretParts, raw: unknown): readonly Finding[] {
  const pair = pairIn(parts);
  if (pair === undefined) return [];
  const { names, chain, key, staple } = pair;
  return [
    ...findingsAt(names.chain, chainProblem(chain), raw),
    ...findingsAt(names.key, keyProblem(key, chain), raw),
    ...findingsAt(names.staple ?? "", staple && stapleProblem(staple), raw),
  ];
}

function authorityFindings(parts: SecretParts, raw: unknown): readonly Finding[] {
  const authorities = authoritiesIn(parts);
  if (authorities === undefined) return [];
  const { names, certificates, revocations } = authorities;
  return [
    ...findingsAt(names.certificates, authoritiesProblem(certificates), raw),
    ...findingsAt(names.revocations, revocations && revocationsProblem(revocations), raw),
  ];
}

/** The texts never quote the content. */
function pullFindings({ type }: Secret, parts: SecretParts, raw: unknown): readonly Finding[] {
  if (type !== pullSecretType) return [];
  const config = pullConfigIn(parts);
  if (config === undefined) {
    const message = `a Secret of type ${pullSecretType} needs ${pullSecretPart}`;
    return [error("data", { code: "bad-pull-secret", message })];
  }
  const message = "these are not credentials for registries as a JSON object";
  return findingsAt(pullSecretPart, isJsonObject(config) ? undefined : { code: "bad-pull-secret", message }, raw);
}

function isJsonObject(bytes: Uint8Array): boolean {
  try {
    return isMapping(JSON.parse(Buffer.from(bytes).toString()));
  } catch {
    return false;
  }
}

const fields = ["stringData", "binaryData", "data"];

/** A finding at the field in which the author wrote the part. */
function findingsAt(name: string, problem: Remark | undefined, raw: unknown): readonly Finding[] {
  if (problem === undefined) return [];
  const written = fields.find((field) => isMapping(raw) && isMapping(raw[field]) && Object.hasOwn(raw[field], name));
  return [error(fieldPath(written ?? "data", name), problem)];
}
