import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import type { KubeConfig } from "@kubernetes/client-node";
import { errorFrom, MeshError } from "../lib/errors.ts";

/** The cluster to call, and the user to call it as. */
export interface KubeAccess {
  /**
   * Files as `$KUBECONFIG` lists them. The default is `~/.kube/config`, and without that file the pod's own service
   * account.
   */
  readonly kubeconfig: string | undefined;
  /** The name of a context; undefined for the current one. */
  readonly context: string | undefined;
}

const serviceAccountToken = "/var/run/secrets/kubernetes.io/serviceaccount/token";

const require = createRequire(import.meta.url);

/** The library takes long to load, so only commands that call a cluster load it. */
function emptyConfig(): KubeConfig {
  const library = require("#kubernetes-client") as { readonly KubeConfig: new () => KubeConfig };
  return new library.KubeConfig();
}

/** Reads the files again with each call. Throws `source-unavailable` with the list of existing contexts. */
export function loadKubeconfig({ kubeconfig, context }: KubeAccess): KubeConfig {
  const config = readConfig(kubeconfig);
  if (context !== undefined) config.setCurrentContext(context);
  const current = config.getCurrentContext();
  if (config.getContextObject(current) === null) {
    const known = config.getContexts().map(({ name }) => name);
    throw unusable(
      `there is no context "${current}"; there ${known.length === 0 ? "are none" : `is ${known.join(", ")}`}`,
    );
  }
  if (config.getCurrentCluster() === null) throw unusable(`the context "${current}" names an unknown cluster`);
  return config;
}

function readConfig(kubeconfig: string | undefined): KubeConfig {
  const config = emptyConfig();
  const files = kubeconfig?.split(delimiter).filter((file) => file !== "") ?? homeFiles();
  if (files.length > 0) {
    for (const file of files) merge(config, file);
  } else if (existsSync(serviceAccountToken)) {
    config.loadFromCluster();
  } else {
    throw unusable("found neither a kubeconfig nor the service account of a pod; use --kubeconfig FILE");
  }
  return config;
}

function homeFiles(): readonly string[] {
  return [join(homedir(), ".kube/config")].filter((file) => existsSync(file));
}

/** The first file that sets a value wins, as with kubectl. */
function merge(config: KubeConfig, file: string): void {
  const one = emptyConfig();
  try {
    one.loadFromFile(file);
    config.mergeConfig(one, config.getCurrentContext() !== undefined);
  } catch (cause) {
    throw unusable(`cannot use the kubeconfig ${file}: ${errorFrom(cause).message}`, cause);
  }
}

function unusable(problem: string, cause?: unknown): MeshError {
  return new MeshError("source-unavailable", problem, { cause });
}
