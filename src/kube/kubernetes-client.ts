/** The part of the Kubernetes client library that we use. The package has it as a file of its own. */
export { KubeConfig } from "@kubernetes/client-node";
