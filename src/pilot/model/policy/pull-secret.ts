import type { ConfigId } from "../../../config/config.ts";
import { keyOf } from "../config-id.ts";
import type { Credential } from "../credential/credential.ts";
import type { KeyAccess } from "../credential/key-access.ts";
import { refusalTexts } from "../credential/secret-verdict.ts";
import type { PushContext } from "../push-context.ts";
import type { Extension } from "./extension.ts";

/** The credentials with which an agent fetches a module, as far as the proxy may have them. */
export type PullSecret =
  /** The module needs none. */
  | { readonly type: "none" }
  | { readonly type: "served"; readonly credential: Credential }
  /** The agent gets an empty secret, as from istiod, and then does not even try to fetch the module. */
  | { readonly type: "withheld"; readonly cause: string };

/** The Secret that an agent needs to fetch the module. A file needs none, and no agent would hide one from the module. */
export function pullSecretIdOf({ filter }: Extension): ConfigId | undefined {
  return filter.type === "wasm" && filter.code.type === "remote" ? filter.pull.secret : undefined;
}

/**
 * As in istiod, the proxy must be authenticated, and the extension must apply to it. So the Secret is in the namespace
 * of the proxy or in the root namespace. The caller passes only extensions that apply.
 */
export function pullSecretOf(extension: Extension, keys: KeyAccess, push: PushContext): PullSecret {
  const id = pullSecretIdOf(extension);
  if (id === undefined) return { type: "none" };
  if (keys !== "allowed") return { type: "withheld", cause: `the proxy gets no pull secret: ${refusalTexts[keys]}` };
  const credential = push.secretCredentials.get(keyOf(id));
  if (credential?.pullConfig !== undefined) return { type: "served", credential };
  const cause = `there is no Secret ${keyOf(id)} of type kubernetes.io/dockerconfigjson to fetch the module with`;
  return { type: "withheld", cause };
}
